package ipc

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
)

// maxDepth bounds fields within fields.
const maxDepth = 64

// Schema describes the columns of a file or stream.
type Schema struct {
	Fields    []Field
	Metadata  arrow.Metadata
	BigEndian bool // the byte order of all buffers
}

// Field is a column, or a field below another field.
type Field struct {
	// Field has the type of the values. It does not show a dictionary. A decimal always
	// has 128 bits here; Bits tells how many it has.
	arrow.Field
	Children []Field
	// Index is the type of the indices into a dictionary, or nil if the field has
	// values. Dictionary is the number of the dictionary.
	Index      arrow.DataType
	Dictionary int64
	Ordered    bool  // the order of the dictionary has a meaning
	Bits       int   // of a decimal
	Codes      []int // of a union: the code of each child
	// Unknown is the number of a type that the specification lacks, so that nobody
	// knows which buffers it has. 0: the type is known.
	Unknown int
}

// Numbers of the union Type in Schema.fbs.
const (
	typeNull = 1 + iota
	typeInt
	typeFloatingPoint
	typeBinary
	typeUtf8
	typeBool
	typeDecimal
	typeDate
	typeTime
	typeTimestamp
	typeInterval
	typeList
	typeStruct
	typeUnion
	typeFixedSizeBinary
	typeFixedSizeList
	typeMap
	typeDuration
	typeLargeBinary
	typeLargeUtf8
	typeLargeList
	typeRunEndEncoded
	typeBinaryView
	typeUtf8View
	typeListView
	typeLargeListView
)

func parseSchema(t *table) (*Schema, error) {
	s := &Schema{Metadata: metadata(t, 2), BigEndian: t.int16(0, 0) == 1}
	for _, f := range t.list(1) {
		field, err := parseField(f, 0)
		if err != nil {
			return nil, err
		}
		s.Fields = append(s.Fields, field)
	}
	return s, nil
}

// metadata reads pairs of key and value.
func metadata(t *table, i int) arrow.Metadata {
	var keys, values []string
	for _, pair := range t.list(i) {
		keys = append(keys, pair.string(0))
		values = append(values, pair.string(1))
	}
	return arrow.NewMetadata(keys, values)
}

func parseField(t *table, depth int) (Field, error) {
	if depth > maxDepth {
		return Field{}, fmt.Errorf("fields nested more than %d deep", maxDepth)
	}
	f := Field{Field: arrow.Field{Name: t.string(0), Nullable: t.byte(1) != 0, Metadata: metadata(t, 6)}}
	for _, c := range t.list(5) {
		child, err := parseField(c, depth+1)
		if err != nil {
			return Field{}, err
		}
		f.Children = append(f.Children, child)
	}
	var err error
	if f.Type, err = dataType(t.byte(2), t.table(3), f.Children); err != nil {
		return Field{}, fmt.Errorf("field %.60q: %w", f.Name, err)
	}
	switch t.byte(2) {
	case typeDecimal:
		f.Bits = t.table(3).int32(2, 128)
	case typeUnion:
		f.Codes = t.table(3).ints(1)
	}
	if f.Type == nil {
		f.Unknown, f.Type = t.byte(2), arrow.Null
	}
	if d := t.table(4); d != nil {
		f.Dictionary, f.Index, f.Ordered = d.int64(0), arrow.PrimitiveTypes.Int32, d.byte(2) != 0
		if index := d.table(1); index != nil {
			f.Index = integer(index)
		}
		if f.Index.ID() == ofNoName {
			return Field{}, fmt.Errorf("field %.60q: the indices of its dictionary are not integers", f.Name)
		}
	}
	return f, nil
}

// errChildren is the cause of an error about a nested type with the wrong number of
// children.
var errChildren = errors.New("a nested type with the wrong number of fields")

// dataType returns the type for a number of the union Type, or nil if it is unknown.
func dataType(number int, t *table, children []Field) (arrow.DataType, error) {
	switch number {
	case typeList, typeLargeList, typeListView, typeLargeListView, typeFixedSizeList, typeMap:
		if len(children) != 1 {
			return nil, errChildren
		}
		return listType(number, t, &children[0])
	case typeRunEndEncoded:
		if len(children) != 2 {
			return nil, errChildren
		}
		switch children[0].Type.ID() {
		case arrow.INT16, arrow.INT32, arrow.INT64:
			return arrow.RunEndEncodedOf(children[0].Type, children[1].Type), nil
		default:
			return nil, fmt.Errorf("ends of runs cannot be %s", children[0].Type)
		}
	case typeStruct:
		fields := make([]arrow.Field, len(children))
		for i, c := range children {
			fields[i] = c.Field
		}
		return arrow.StructOf(fields...), nil
	case typeUnion:
		if t.int16(0, 0) == 1 {
			return &arrow.DenseUnionType{}, nil
		}
		return &arrow.SparseUnionType{}, nil
	default:
		return flatType(number, t), nil
	}
}

func listType(number int, t *table, child *Field) (arrow.DataType, error) {
	of := child.Field
	switch number {
	case typeList:
		return arrow.ListOfField(of), nil
	case typeLargeList:
		return arrow.LargeListOfField(of), nil
	case typeListView:
		return arrow.ListViewOfField(of), nil
	case typeLargeListView:
		return arrow.LargeListViewOfField(of), nil
	case typeMap:
		if _, ok := of.Type.(*arrow.StructType); !ok || len(child.Children) != 2 {
			return nil, errChildren
		}
		return arrow.MapOf(child.Children[0].Type, child.Children[1].Type), nil
	}
	n := t.int32(0, 0)
	switch {
	case n == 0: // FixedSizeListOfField would panic
		return &arrow.FixedSizeListType{}, nil
	case n < 0:
		return nil, fmt.Errorf("lists of %d elements", n)
	}
	return arrow.FixedSizeListOfField(int32(n), of), nil
}

// flatType is dataType for types without fields.
func flatType(number int, t *table) arrow.DataType {
	switch number {
	case typeNull:
		return arrow.Null
	case typeInt:
		return integer(t)
	case typeFloatingPoint:
		return [...]arrow.DataType{arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64}[min(max(t.int16(0, 0), 0), 2)]
	case typeBinary:
		return arrow.BinaryTypes.Binary
	case typeUtf8:
		return arrow.BinaryTypes.String
	case typeLargeBinary:
		return arrow.BinaryTypes.LargeBinary
	case typeLargeUtf8:
		return arrow.BinaryTypes.LargeString
	case typeBinaryView:
		return arrow.BinaryTypes.BinaryView
	case typeUtf8View:
		return arrow.BinaryTypes.StringView
	case typeBool:
		return arrow.FixedWidthTypes.Boolean
	case typeDecimal:
		return &arrow.Decimal128Type{Precision: int32(t.int32(0, 0)), Scale: int32(t.int32(1, 0))}
	case typeFixedSizeBinary:
		return &arrow.FixedSizeBinaryType{ByteWidth: t.int32(0, 0)}
	case typeDate, typeTime, typeTimestamp, typeDuration, typeInterval:
		return temporal(number, t)
	default:
		return nil
	}
}

// Foreign is a type that Arrow lacks, and that other programs write nevertheless: numbers or times of
// another width. Its values have a fixed width and are stored like all others.
type Foreign struct{ name string }

// ofNoName is the number of a type to which Arrow gives none.
const ofNoName arrow.Type = -1

// ID implements [arrow.DataType].
func (Foreign) ID() arrow.Type { return ofNoName }

// Name implements [arrow.DataType].
func (f Foreign) Name() string { return f.name }

// String implements [arrow.DataType].
func (f Foreign) String() string { return f.name }

// Fingerprint implements [arrow.DataType].
func (Foreign) Fingerprint() string { return "" }

// Layout implements [arrow.DataType].
func (Foreign) Layout() arrow.DataTypeLayout { return arrow.DataTypeLayout{} }

func integer(t *table) arrow.DataType {
	types := map[int][2]arrow.DataType{
		8:  {arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int8},
		16: {arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int16},
		32: {arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int32},
		64: {arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Int64},
	}
	bits, signed := t.int32(0, 0), min(t.byte(1), 1)
	if of, known := types[bits]; known {
		return of[signed]
	}
	return Foreign{fmt.Sprintf("%s%d", [...]string{"uint", "int"}[signed], bits)}
}

// temporal returns a type of times.
func temporal(number int, t *table) arrow.DataType {
	unit := func(otherwise int) arrow.TimeUnit { return arrow.TimeUnit(t.int16(0, otherwise)) }
	switch number {
	case typeDate:
		if t.int16(0, 1) == 0 {
			return arrow.FixedWidthTypes.Date32
		}
		return arrow.FixedWidthTypes.Date64
	case typeTime:
		if t.int32(1, 32) == 32 {
			return &arrow.Time32Type{Unit: unit(1)}
		}
		return &arrow.Time64Type{Unit: unit(1)}
	case typeTimestamp:
		return &arrow.TimestampType{Unit: unit(0), TimeZone: t.string(1)}
	case typeDuration:
		return &arrow.DurationType{Unit: unit(1)}
	}
	switch t.int16(0, 0) {
	case 0:
		return arrow.FixedWidthTypes.MonthInterval
	case 1:
		return arrow.FixedWidthTypes.DayTimeInterval
	case 2:
		return arrow.FixedWidthTypes.MonthDayNanoInterval
	default:
		return Foreign{"interval"}
	}
}
