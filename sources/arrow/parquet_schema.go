package arrow

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
)

// leaf is a column of a Parquet file, with the lists around it.
type leaf struct {
	*parquet.Node
	lists   []int // lengths of the lists of fixed size around the values, the outermost first
	varying int   // number of the lists of varying length around them
	// item is the definition level of an entry that is an element of the innermost list of varying
	// length, even if the element is null. At a lower level the list is empty, or it or a
	// struct around it is null. 0: the values are not within such a list.
	item int
}

// schemaKey is the entry of a file's metadata in which writers of Arrow store the
// schema, as a message of an IPC stream in base64.
const schemaKey = "ARROW:schema"

// parquetFields returns the fields of a file as Arrow fields. Parquet has no lists of
// fixed size, durations and names of time zones. They come from the schema that writers
// of Arrow store, if it agrees with the file.
func parquetFields(f *parquet.File) ([]arrow.Field, error) {
	stored, err := storedSchema(f)
	if err != nil {
		return nil, fmt.Errorf("%w: the entry %s of the footer's metadata: %w", parquet.ErrCorrupt, schemaKey, err)
	}
	fields := make([]arrow.Field, 0, len(f.Root.Children))
	for _, n := range f.Root.Children {
		field := fieldOf(n)
		if s, ok := stored[n.Name]; ok {
			field.Metadata = s.Metadata
			field.Type = refine(field.Type, &s)
		}
		fields = append(fields, field)
	}
	return fields, nil
}

// storedSchema returns the fields of the schema that writers of Arrow store, by name.
func storedSchema(f *parquet.File) (stored map[string]ipc.Field, err error) {
	for _, kv := range f.Metadata {
		if kv.Key == schemaKey && err == nil {
			stored, err = storedFields(kv.Value)
		}
	}
	return stored, err
}

// storedFields reads the value of ARROW:schema.
func storedFields(text string) (map[string]ipc.Field, error) {
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil, err
	}
	if len(data) < 8 {
		return nil, fmt.Errorf("a message of %d bytes", len(data))
	}
	prefix, length := messageLength(data)
	if length < 0 || length > len(data)-prefix {
		return nil, fmt.Errorf("a message of %d bytes says that it has %d", len(data)-prefix, length)
	}
	m, err := ipc.ParseMessage(data[prefix:][:length])
	if err != nil {
		return nil, err
	}
	if m.Schema == nil {
		return nil, errors.New("a message without a schema")
	}
	fields := map[string]ipc.Field{}
	for _, f := range m.Schema.Fields {
		fields[f.Name] = f
	}
	return fields, nil
}

// fieldOf returns a node as a field, from Parquet's schema alone.
func fieldOf(n *parquet.Node) arrow.Field {
	return arrow.Field{Name: n.Name, Type: parquetType(n), Nullable: n.Repetition == parquet.Optional}
}

// parquetType returns the Arrow type of a node, from Parquet's schema alone.
func parquetType(n *parquet.Node) arrow.DataType {
	if n.Repetition == parquet.Repeated { // a list without the groups around it
		once := *n
		once.Repetition = parquet.Required
		return arrow.ListOfField(fieldOf(&once))
	}
	if n.Leaf >= 0 {
		return leafType(n)
	}
	switch {
	case isMap(n):
		pair := n.Children[0].Children
		return arrow.MapOf(parquetType(pair[0]), parquetType(pair[1]))
	case isGroupOfList(n):
		return arrow.ListOfField(fieldOf(listElement(n)))
	}
	fields := make([]arrow.Field, 0, len(n.Children))
	for _, c := range n.Children {
		fields = append(fields, fieldOf(c))
	}
	return arrow.StructOf(fields...)
}

// isMap reports whether a node is a map of keys and values.
func isMap(n *parquet.Node) bool {
	return n.Logical.Kind == parquet.Map && len(n.Children) == 1 && len(n.Children[0].Children) == 2
}

// isGroupOfList reports whether a node is a list, with its repeated node within. A map without
// values is one, too: a list of keys.
func isGroupOfList(n *parquet.Node) bool {
	if len(n.Children) != 1 {
		return false
	}
	return n.Logical.Kind == parquet.List || n.Logical.Kind == parquet.Map && len(n.Children[0].Children) == 1
}

// listElement returns the node of a list's elements. It is the node within the repeated
// group or, in the older form, the repeated node itself.
func listElement(n *parquet.Node) *parquet.Node {
	repeated := n.Children[0]
	if repeated.Leaf < 0 && len(repeated.Children) == 1 && repeated.Name != "array" && repeated.Name != n.Name+"_tuple" {
		return repeated.Children[0]
	}
	once := *repeated
	once.Repetition = parquet.Required
	return &once
}

// leafType is parquetType for a leaf.
func leafType(n *parquet.Node) arrow.DataType {
	units := map[parquet.Unit]arrow.TimeUnit{parquet.Milliseconds: arrow.Millisecond, parquet.Microseconds: arrow.Microsecond, parquet.Nanoseconds: arrow.Nanosecond}
	unit, known := units[n.Logical.Unit]
	integer := n.Physical == parquet.Int64 && n.Logical.Bits == 64 || n.Physical == parquet.Int32 && n.Logical.Bits < 64
	switch kind := n.Logical.Kind; {
	case kind == parquet.Decimal:
		return &arrow.Decimal128Type{Precision: int32(n.Logical.Precision), Scale: int32(n.Logical.Scale)}
	case kind == parquet.Null:
		return arrow.Null
	case kind == parquet.Interval:
		return arrow.FixedWidthTypes.MonthDayNanoInterval
	case kind == parquet.Date && n.Physical == parquet.Int32:
		return arrow.FixedWidthTypes.Date32
	case kind == parquet.Time && n.Physical == parquet.Int32 && known:
		return &arrow.Time32Type{Unit: unit}
	case kind == parquet.Time && n.Physical == parquet.Int64 && known:
		return &arrow.Time64Type{Unit: unit}
	case kind == parquet.Timestamp && n.Physical == parquet.Int64 && known:
		if n.Logical.UTC {
			return &arrow.TimestampType{Unit: unit, TimeZone: "UTC"}
		}
		return &arrow.TimestampType{Unit: unit}
	case kind == parquet.Integer && integer:
		if t := integerType(n.Logical.Bits, n.Logical.Signed); t != nil {
			return t
		}
	case kind == parquet.Float16 && n.Physical == parquet.FixedLenByteArray && n.Length == 2:
		return arrow.FixedWidthTypes.Float16
	case (kind == parquet.String || kind == parquet.Enum || kind == parquet.JSON) && n.Physical == parquet.ByteArray:
		return arrow.BinaryTypes.String
	}
	switch n.Physical {
	case parquet.Boolean:
		return arrow.FixedWidthTypes.Boolean
	case parquet.Int32:
		return arrow.PrimitiveTypes.Int32
	case parquet.Int64:
		return arrow.PrimitiveTypes.Int64
	case parquet.Int96: // timestamps of Hive, Impala and older Spark
		return &arrow.TimestampType{Unit: arrow.Nanosecond}
	case parquet.Float:
		return arrow.PrimitiveTypes.Float32
	case parquet.Double:
		return arrow.PrimitiveTypes.Float64
	case parquet.FixedLenByteArray:
		return &arrow.FixedSizeBinaryType{ByteWidth: n.Length}
	default:
		return arrow.BinaryTypes.Binary
	}
}

func integerType(bits int, signed bool) arrow.DataType {
	types := map[int][2]arrow.DataType{
		8:  {arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int8},
		16: {arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int16},
		32: {arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int32},
		64: {arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Int64},
	}
	if signed {
		return types[bits][1]
	}
	return types[bits][0]
}

// refine adds to a type from Parquet's schema the details of the stored field. If the
// two do not agree, the type stays.
func refine(t arrow.DataType, stored *ipc.Field) arrow.DataType {
	switch t := t.(type) {
	case *arrow.ListType:
		if len(stored.Children) != 1 {
			return t
		}
		of := t.ElemField()
		of.Type, of.Metadata = refine(of.Type, &stored.Children[0]), stored.Children[0].Metadata
		switch s := stored.Type.(type) {
		case *arrow.FixedSizeListType:
			if s.Len() == 0 { // FixedSizeListOfField would panic, and pyarrow does not read what it writes
				return s
			}
			return arrow.FixedSizeListOfField(s.Len(), of)
		case *arrow.ListType, *arrow.LargeListType, *arrow.ListViewType, *arrow.LargeListViewType:
			return arrow.ListOfField(of)
		}
	case *arrow.MapType:
		if _, same := stored.Type.(*arrow.MapType); same && len(stored.Children) == 1 && len(stored.Children[0].Children) == 2 {
			pair := stored.Children[0].Children
			return arrow.MapOfWithMetadata(refine(t.KeyType(), &pair[0]), pair[0].Metadata, refine(t.ItemType(), &pair[1]), pair[1].Metadata)
		}
	case *arrow.StructType:
		fields := t.Fields()
		for i := range fields {
			for k := range stored.Children {
				if c := &stored.Children[k]; c.Name == fields[i].Name {
					fields[i].Type, fields[i].Metadata = refine(fields[i].Type, c), c.Metadata
				}
			}
		}
		return arrow.StructOf(fields...)
	case *arrow.TimestampType:
		if of, ok := stored.Type.(*arrow.TimestampType); ok && of.TimeZone != "" {
			return &arrow.TimestampType{Unit: t.Unit, TimeZone: of.TimeZone}
		}
	case *arrow.Int64Type:
		if duration, ok := stored.Type.(*arrow.DurationType); ok {
			return duration
		}
	}
	return t
}

// nodeAt returns the node at a place of the schema, and for each list of varying length on the
// way to it the definition level of an entry that is an element of the list.
func nodeAt(f *parquet.File, at []int, lists []listPlace) (n *parquet.Node, items []int) {
	n = f.Root
	for k, i := range at {
		if isList(lists, k) {
			item := 0
			n, item = elementsOf(n)
			items = append(items, item)
			continue
		}
		n = n.Children[i]
	}
	return n, items
}

// isList reports whether one of some lists is at the place to which k indices lead.
func isList(lists []listPlace, k int) bool {
	return slices.ContainsFunc(lists, func(l listPlace) bool { return l.at == k })
}

// elementsOf returns the node of the elements of a list or map, and the definition level of
// an entry that is an element.
func elementsOf(n *parquet.Node) (element *parquet.Node, item int) {
	if n.Repetition == parquet.Repeated { // a list without the groups around it
		return n, n.MaxDef
	}
	repeated := n.Children[0]
	if isMap(n) {
		return repeated, repeated.MaxDef
	}
	return listElement(n), repeated.MaxDef
}

// findLeaf returns the column of the field at a place of the schema. Below the lists of
// varying length, if there are any, its lists have fixed sizes.
func findLeaf(f *parquet.File, at []int, lists []listPlace, t arrow.DataType) (*leaf, error) {
	l := &leaf{}
	n, items := nodeAt(f, at, lists)
	if l.varying = len(items); l.varying > 0 {
		l.item = items[l.varying-1]
	}
	for {
		list, ok := t.(*arrow.FixedSizeListType)
		if !ok {
			break
		}
		l.lists = append(l.lists, int(list.Len()))
		t = list.Elem()
		if n.Repetition != parquet.Repeated {
			n = listElement(n)
		}
	}
	if n.Leaf < 0 {
		return nil, fmt.Errorf("%w: no column where the schema has one", parquet.ErrCorrupt)
	}
	l.Node = f.Leaves[n.Leaf]
	return l, nil
}

// leavesOf appends the numbers of the leaves below a node.
func leavesOf(n *parquet.Node, list []int) []int {
	if n.Leaf >= 0 {
		return append(list, n.Leaf)
	}
	for _, c := range n.Children {
		list = leavesOf(c, list)
	}
	return list
}
