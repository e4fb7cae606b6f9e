package arrow

import (
	"errors"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/google/go-cmp/cmp"
)

// TestListColumns lists the columns of lists of varying length, and those that are refused.
func TestListColumns(t *testing.T) {
	list := arrow.ListOf(arrow.PrimitiveTypes.Int8)
	var got []string
	for _, c := range columns([]arrow.Field{
		{Name: "x", Type: list},
		{Name: "pairs", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8}))},
		{Name: "g", Type: arrow.StructOf(arrow.Field{Name: "x", Type: list})},
		{Name: "deep", Type: arrow.ListOf(list)},
		{Name: "unions", Type: arrow.ListOf(arrow.ListOf(arrow.SparseUnionOf(nil, nil)))},
		{Name: "words", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.StructOf(arrow.Field{Name: "a", Type: list})}},
		{Name: "twice", Type: list},
		{Name: "twice", Type: arrow.PrimitiveTypes.Int8},
	}) {
		text := c.path
		if c.err != nil {
			text += ": " + c.err.Error()
			if !errors.Is(c.err, errors.ErrUnsupported) {
				t.Errorf("%s: source.unsupported: skip does not leave it out", text)
			}
		}
		got = append(got, text)
	}
	want := []string{
		"x/values", "x/offsets", "pairs/values/key", "pairs/values/value/a", "pairs/offsets", "g/x/values", "g/x/offsets",
		"deep/values/values", "deep/values/offsets", "deep/offsets",
		"unions: arrow type sparse_union: the elements of an array are all of one type: make a column for each member of the union",
		"words: a dictionary of structs: decode it before writing, and each field of the struct becomes an array",
		"twice: 2 columns have this name, or would have it in a Zarr hierarchy: rename all but one, or leave all of them out",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}
