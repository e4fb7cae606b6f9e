package arrow

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/arrowtype"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// column is a column of a file, or a field within a struct. It becomes an array. A list of
// varying length becomes several arrays: one of its elements, or one of each field of its
// elements, and one of its offsets.
type column struct {
	path string
	// at is the index of its field in the schema, then in each struct. The only field of a
	// list of varying length has index 0.
	at    []int
	field arrow.Field
	err   error // why the column cannot be an array; then the fields below typ are empty

	// lists are the lists of varying length around the column, the outermost first. If ends
	// is set, the array has the offsets of the last of them, and not its elements.
	lists []listPlace
	ends  bool

	typ   dtype.Type
	row   []int    // shape of a row, as it is stored
	order []int    // dimension i of a row in the array is stored dimension order[i]
	names []string // names of the dimensions of a row in the array; "": none
}

// listPlace is a list of varying length around a column.
type listPlace struct {
	at      int    // how many indices of column.at lead to the list
	item    string // name of the dimension of all elements of the list
	offsets string // path of the array of the offsets
}

// list returns the innermost list around a column, which has one.
func (c *column) list() listPlace { return c.lists[len(c.lists)-1] }

// around returns what has the offsets of the list around the innermost list of a column. It
// returns nil if there is no such list.
func (c *column) around() *column {
	if len(c.lists) < 2 {
		return nil
	}
	return &column{path: c.path, at: c.at, field: c.field, lists: c.lists[:len(c.lists)-1], ends: true}
}

// errCorrupt is the cause of errors about buffers that contradict the metadata.
var errCorrupt = codecs.Corrupt("the data are corrupt")

// lists tells how many elements the lists of a column have in each batch.
type lists struct {
	counts []int
	outer  []int // how many lists each batch has
	first  []int // how many lists of a batch precede the first that belongs to a row; nil: none
	base   []int // how many elements of a batch precede those of its first list; nil: none
	null   int   // number of the first list that is null; -1: none is

	// With list views, and with lists that are null and have elements in the file nevertheless, the
	// elements of lists that follow each other are anywhere. at says where
	// the lists of a batch are, in the order of the rows, and items where their elements are; at
	// is nil if first tells it, and items if base does. sums has, for each batch, the number of
	// elements before list 0, listsPiece, 2·listsPiece …
	at, items [][]part
	sums      [][]int64
	parts     int // in items
}

// part are elements that follow each other.
type part struct{ begin, n int }

// reach returns the number behind the last element of a batch that belongs to a list.
func (l *lists) reach(batch int) int {
	if l.items == nil {
		return l.base[batch] + l.counts[batch]
	}
	end := 0
	for _, p := range l.items[batch] {
		end = max(end, p.begin+p.n)
	}
	return end
}

// elements returns the number of elements in a row.
func (c *column) elements() int {
	n := 1
	for _, extent := range c.row {
		n *= extent
	}
	return n
}

// shape returns the shape of a row in the array.
func (c *column) shape() []int {
	shape := make([]int, len(c.row))
	for i, k := range c.order {
		shape[i] = c.row[k]
	}
	return shape
}

// columns lists the columns of a schema. A struct is a group, with a column for each of
// its fields.
func columns(fields []arrow.Field) []*column { return (&column{}).appendFields(nil, fields, "") }

// appendFields appends the columns of the fields of c, which is a struct.
func (c *column) appendFields(list []*column, fields []arrow.Field, group string) []*column {
	named := map[string]int{}
	for _, f := range fields {
		named[partOf(f)]++
	}
	for i, f := range fields {
		part := partOf(f)
		below := &column{path: group + part, at: append(slices.Clone(c.at), i), field: f, lists: c.lists}
		n := named[part]
		named[part] = 0
		s, isStruct := f.Type.(*arrow.StructType)
		of := elementOf(f.Type)
		switch {
		case n == 0: // the name was listed before
			continue
		case n > 1:
			below.err = noCounterpart{fmt.Errorf("%d columns have this name, or would have it in a Zarr hierarchy: rename all but one, or leave all of them out", n)}
		case isStruct && s.NumFields() > 0:
			list = below.appendFields(list, s.Fields(), below.path+"/")
			continue
		case of != nil && len(c.lists) < mostLists:
			list = below.appendList(list, of)
			continue
		default:
			below.err = below.describe()
		}
		list = append(list, below)
	}
	return list
}

// elementOf returns the elements of lists of varying length as a field, whose metadata may name
// an extension type. It returns nil for other types.
func elementOf(t arrow.DataType) *arrow.Field {
	switch t := t.(type) {
	case *arrow.ListType, *arrow.LargeListType, *arrow.ListViewType, *arrow.LargeListViewType, *arrow.MapType:
		of := t.(arrow.ListLikeType).ElemField()
		return &of
	default:
		return nil
	}
}

// mostLists bounds the lists of varying length that are within each other.
const mostLists = 16

// appendList appends the columns of c, a list of varying length. They are an array of
// elements, or a group of arrays if the elements are structs or lists themselves, and the
// offsets.
func (c *column) appendList(list []*column, of *arrow.Field) []*column {
	own := listPlace{at: len(c.at), item: c.field.Name + "_item", offsets: c.path + "/" + sources.ListOffsets}
	around := append(slices.Clone(c.lists), own)
	ends := &column{path: own.offsets, at: c.at, field: c.field, lists: around, ends: true, typ: dtype.Int64}
	items := &column{path: c.path + "/" + sources.ListValues, at: append(slices.Clone(c.at), 0), lists: around}
	items.field = *of
	items.field.Name = c.field.Name
	if s, isStruct := of.Type.(*arrow.StructType); isStruct && s.NumFields() > 0 {
		return append(items.appendFields(list, s.Fields(), items.path+"/"), ends)
	}
	if within := elementOf(of.Type); within != nil && len(around) < mostLists {
		items.field.Name = own.item
		inner := items.appendList(nil, within)
		if inner[0].path != items.path {
			return append(append(list, inner...), ends)
		}
		items = inner[0] // it cannot be an array
	} else {
		items.err = items.describe()
	}
	if items.err != nil {
		items.path = c.path // the offsets of no elements are of no use
		return append(list, items)
	}
	return append(list, items, ends)
}

// partOf returns the part of a column's path for a field: its name, or a substitute for
// a name that no path can have.
func partOf(f arrow.Field) string {
	if f.Name == "" || strings.Contains(f.Name, "/") {
		return zarr.CleanName(f.Name)
	}
	return f.Name
}

// noCounterpart is an error about columns that Zarr has no array for: their type is none of
// Zarr's, or their name is that of others.
type noCounterpart struct{ error }

// Is says that the cause is [errors.ErrUnsupported].
func (noCounterpart) Is(target error) bool { return target == errors.ErrUnsupported }

// describe determines the data type of a column and the shape of its rows.
func (c *column) describe() error {
	if of, ok := c.field.Type.(*arrow.DictionaryType); ok && of.ValueType.ID() == arrow.STRUCT {
		return noCounterpart{errors.New("a dictionary of structs: decode it before writing, and each field of the struct becomes an array")}
	}
	t, row, err := arrowtype.Of(c.field.Type)
	if _, ok := t.(dtype.Record); ok && err == nil {
		err = errors.New("structs within lists or dictionaries: make each of their fields a column of its own")
	}
	if err != nil {
		return noCounterpart{err}
	}
	order := make([]int, len(row))
	for i := range order {
		order[i] = i
	}
	c.typ, c.row, c.order, c.names = t, row, order, make([]string, len(row))
	// A list of fixed size may be a tensor, and so may its elements.
	for f, axis := c.field, 0; ; axis++ {
		if name, ok := metadataOf(f, extensionName); ok && name == tensorName {
			rank := len(c.row)
			if err := c.tensor(f, axis); err != nil {
				return err
			}
			axis += len(c.row) - rank
		}
		list, ok := f.Type.(*arrow.FixedSizeListType)
		if !ok {
			return nil
		}
		f = list.ElemField()
	}
}

const (
	extensionName     = "ARROW:extension:name"
	extensionMetadata = "ARROW:extension:metadata"
	tensorName        = "arrow.fixed_shape_tensor"
)

func metadataOf(f arrow.Field, key string) (string, bool) {
	i := f.Metadata.FindKey(key)
	if i < 0 {
		return "", false
	}
	return f.Metadata.Values()[i], true
}

// tensor sets the shape of a row from the metadata of the extension type
// arrow.fixed_shape_tensor, which stores its elements as one list. f is the field of that type, and
// axis is the dimension of the list in a row.
func (c *column) tensor(f arrow.Field, axis int) error {
	text, _ := metadataOf(f, extensionMetadata)
	var of struct {
		Shape       []int    `json:"shape"`
		Permutation []int    `json:"permutation"`
		DimNames    []string `json:"dim_names"`
	}
	if err := json.Unmarshal([]byte(text), &of); err != nil {
		return fmt.Errorf("the metadata of arrow.fixed_shape_tensor, %.80q: %w", text, err)
	}
	if axis == len(c.row) {
		return fmt.Errorf("an arrow.fixed_shape_tensor is stored as %s, which is not a list of fixed size", f.Type)
	}
	elements := 1
	for _, n := range of.Shape {
		if n < 1 || n > c.row[axis]/elements {
			elements = 0
			break
		}
		elements *= n
	}
	if elements != c.row[axis] {
		return fmt.Errorf("a tensor of shape %v is stored in lists of %d elements", of.Shape, c.row[axis])
	}
	rank := len(of.Shape)
	if of.Permutation == nil {
		of.Permutation = c.order[:0:0]
		for i := range rank {
			of.Permutation = append(of.Permutation, i)
		}
	}
	sorted := slices.Sorted(slices.Values(of.Permutation))
	for i, k := range sorted {
		if i != k {
			sorted = nil
			break
		}
	}
	if len(sorted) != rank || of.DimNames != nil && len(of.DimNames) != rank {
		return fmt.Errorf("the permutation %v and the names %q do not fit a tensor of shape %v", of.Permutation, of.DimNames, of.Shape)
	}
	var order []int
	var names []string
	for _, k := range of.Permutation {
		order = append(order, axis+k)
		if of.DimNames == nil {
			names = append(names, "")
		} else {
			names = append(names, of.DimNames[k])
		}
	}
	for i := axis + 1; i < len(c.row); i++ {
		order = append(order, rank-1+i)
	}
	c.order = append(c.order[:axis], order...)
	c.names = slices.Replace(c.names, axis, axis+1, names...)
	c.row = slices.Replace(c.row, axis, axis+1, of.Shape...)
	return nil
}

// attributes returns the pairs of a field's or schema's metadata, except those that
// only describe how it is stored.
func attributes(m arrow.Metadata) (list zarr.Attributes) {
	for i, key := range m.Keys() {
		if ofStorage(key) {
			continue
		}
		list = list.With(key, text(m.Values()[i]))
	}
	return list
}

// ofStorage reports whether a key of metadata only describes how something is stored.
func ofStorage(key string) bool {
	return strings.HasPrefix(key, "ARROW:") || strings.HasPrefix(key, "PARQUET:")
}

// text writes a JSON string, with bytes that are not UTF-8 replaced.
func text(s string) json.RawMessage {
	quoted, err := json.Marshal(strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		panic(err) // every string can be encoded
	}
	return quoted
}
