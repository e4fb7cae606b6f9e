package arrow

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/dtype/arrowtype"
	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
)

// kind is the way in which a field is stored in the buffers of a record batch; see the
// section "Physical Memory Layout" of the columnar format.
type kind int

const (
	kindFixed      kind = iota // validity, values of width bytes
	kindWide                   // the same with 4 bytes, which become 8
	kindBits                   // validity, values of one bit
	kindOffsets                // validity, ends of width bytes, bytes
	kindViews                  // validity, views, any number of buffers
	kindList                   // validity; length elements of the child for each value
	kindLists                  // validity, ends of width bytes; elements of the child
	kindListViews              // validity, beginnings and sizes of width bytes; elements of the child
	kindStruct                 // validity; the one child that the column needs
	kindDecimal                // validity, integers of width bytes
	kindDictionary             // validity, indices of width bytes
	kindRuns                   // no buffers; ends of width bytes and values are children
	kindOther                  // a type that arrowtype refuses
)

// shown returns a field with its type as the format of Arrow has it. The type of an ipc.Field
// does not show dictionaries.
func shown(f *ipc.Field) arrow.Field {
	field := f.Field
	field.Type = shownType(f)
	return field
}

// shownType is shown for the type of a field.
func shownType(f *ipc.Field) arrow.DataType {
	if f.Index != nil {
		values := *f
		values.Index = nil
		return &arrow.DictionaryType{IndexType: f.Index, ValueType: shownType(&values), Ordered: f.Ordered}
	}
	switch t := f.Type.(type) {
	case *arrow.StructType:
		fields := make([]arrow.Field, len(f.Children))
		for i := range f.Children {
			fields[i] = shown(&f.Children[i])
		}
		return arrow.StructOf(fields...)
	case *arrow.ListType:
		return arrow.ListOfField(shown(&f.Children[0]))
	case *arrow.LargeListType:
		return arrow.LargeListOfField(shown(&f.Children[0]))
	case *arrow.ListViewType:
		return arrow.ListViewOfField(shown(&f.Children[0]))
	case *arrow.LargeListViewType:
		return arrow.LargeListViewOfField(shown(&f.Children[0]))
	case *arrow.MapType:
		key, value := &f.Children[0].Children[0], &f.Children[0].Children[1]
		return arrow.MapOfWithMetadata(shownType(key), key.Metadata, shownType(value), value.Metadata)
	default:
		return t
	}
}

// node is a field and the place of its buffers in a record batch.
type node struct {
	kind     kind
	index    int // number of the field among the batch's nodes
	buffer   int // number of its first buffer, without data buffers of views in front
	views    int // number of fields of views in front
	width    int
	signed   bool // the indices of a dictionary are signed
	length   int  // of lists
	scale    int  // of decimals
	elements int  // number of elements in one value
	children []*node
	// dictionary is the number of the dictionary. The only child is the field of its
	// values, as dictionary batches store them.
	dictionary int64
}

// layout counts the nodes and buffers of a batch's fields.
type layout struct {
	nodes, buffers, views int
	old                   bool       // see ipc.Message.Old
	unknown               *ipc.Field // a field whose nodes and buffers are unknown
}

// node returns how a field is stored, and counts its nodes and buffers.
func (l *layout) node(f *ipc.Field) *node {
	n := &node{index: l.nodes, buffer: l.buffers, views: l.views, elements: 1}
	l.nodes++
	if f.Index != nil {
		values := *f
		values.Index = nil
		n.kind, n.dictionary = kindDictionary, f.Dictionary
		n.width, n.signed = indexWidth(f.Index)
		child := (&layout{old: l.old}).node(&values)
		n.children, n.elements = []*node{child}, child.elements
		l.buffers += 2
		return n
	}
	if f.Unknown != 0 && l.unknown == nil {
		l.unknown = f
	}
	l.buffers += n.store(f.Type)
	if _, scale, ok := arrowtype.Decimal(f.Type); ok && n.kind == kindOther && f.Bits > 0 && f.Bits%8 == 0 {
		n.kind, n.width, n.scale = kindDecimal, f.Bits/8, scale
	}
	switch f.Type.ID() {
	case arrow.SPARSE_UNION, arrow.DENSE_UNION, arrow.RUN_END_ENCODED:
		if l.old {
			l.buffers++
		}
	}
	if n.kind == kindViews {
		l.views++
	}
	for i := range f.Children {
		n.children = append(n.children, l.node(&f.Children[i]))
	}
	switch n.kind {
	case kindList:
		n.elements = n.length * n.children[0].elements
	case kindRuns:
		n.elements, n.width = n.children[1].elements, n.children[0].width
	}
	return n
}

func indexWidth(t arrow.DataType) (width int, signed bool) {
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64:
		signed = true
	}
	return t.(arrow.FixedWidthDataType).Bytes(), signed
}

// store sets how values of a type are stored. It returns the number of their buffers,
// without the data buffers of views.
func (n *node) store(t arrow.DataType) (buffers int) {
	switch t := t.(type) {
	case *arrow.BooleanType:
		n.kind = kindBits
		return 2
	case *arrow.StringType, *arrow.BinaryType:
		n.kind, n.width = kindOffsets, 4
		return 3
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		n.kind, n.width = kindOffsets, 8
		return 3
	case *arrow.StringViewType, *arrow.BinaryViewType:
		n.kind = kindViews
		return 2
	case *arrow.FixedSizeListType:
		n.kind, n.length = kindList, int(t.Len())
		return 1
	case *arrow.ListType, *arrow.MapType:
		n.kind, n.width = kindLists, 4
		return 2
	case *arrow.LargeListType:
		n.kind, n.width = kindLists, 8
		return 2
	case *arrow.ListViewType:
		n.kind, n.width = kindListViews, 4
		return 3
	case *arrow.LargeListViewType:
		n.kind, n.width = kindListViews, 8
		return 3
	case *arrow.StructType:
		n.kind = kindStruct
		return 1
	case *arrow.RunEndEncodedType:
		n.kind = kindRuns
		return 0
	case *arrow.Date32Type, *arrow.Time32Type, *arrow.MonthIntervalType:
		n.kind, n.width = kindWide, 4
		return 2
	case *arrow.FixedSizeBinaryType:
		n.kind, n.width = kindFixed, t.ByteWidth
		return 2
	default:
		return n.storeOther(t)
	}
}

// storeOther is store for numbers, and for refused types, whose buffers only have to be
// counted.
func (n *node) storeOther(t arrow.DataType) (buffers int) {
	n.kind = kindOther
	switch t.ID() {
	case arrow.NULL:
		return 0
	case arrow.SPARSE_UNION:
		return 1
	case arrow.DENSE_UNION:
		return 2
	case arrow.DECIMAL128, arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		return 2
	}
	if fixed, ok := t.(arrow.FixedWidthDataType); ok {
		n.kind, n.width = kindFixed, fixed.Bytes()
	}
	return 2
}

// within returns the node of the innermost list of varying length around a column, and the
// node of the column below the list. Structs have only the children that lead to the column.
func (n *node) within(c *column) (list, items *node, err error) {
	behind := 1 // the indices before it lead to n
	for _, l := range c.lists {
		if list != nil {
			n = items
		}
		if list, err = n.only(c.at[behind:l.at]); err != nil {
			return nil, nil, err
		}
		below := list.list()
		if below.kind != kindLists && below.kind != kindListViews || len(below.children) != 1 {
			return nil, nil, fmt.Errorf("%w: no list where the schema has one", ipc.ErrCorrupt)
		}
		items, behind = below.children[0], l.at+1
	}
	if c.ends {
		return list, nil, nil
	}
	items, err = items.only(c.at[behind:])
	return list, items, err
}

// list returns the node of a list, below the structs that have nothing but the list.
func (n *node) list() *node {
	for n.kind == kindStruct {
		n = n.children[0]
	}
	return n
}

// only returns the node of a column. Each struct on the way to it keeps only the child
// that leads to the column.
func (n *node) only(at []int) (*node, error) {
	if len(at) == 0 {
		return n, nil
	}
	if n.kind != kindStruct || at[0] >= len(n.children) {
		return nil, fmt.Errorf("%w: no struct where the schema has one", ipc.ErrCorrupt)
	}
	child, err := n.children[at[0]].only(at[1:])
	if err != nil {
		return nil, err
	}
	outer := *n
	outer.children, outer.elements = []*node{child}, child.elements
	return &outer, nil
}
