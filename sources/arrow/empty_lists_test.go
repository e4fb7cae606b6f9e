package arrow_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/arrow"
)

// TestEmptyLists opens tables with a column of lists of the fixed size 0. That column is
// refused, and the other one is read.
func TestEmptyLists(t *testing.T) {
	for _, file := range []string{"testdata/empty_lists.arrow", "testdata/empty_lists.parquet"} {
		src := open(t, arrow.Options{}, file)
		const want = "its lists have 0 elements, so the column has no values"
		if _, err := src.Array(t.Context(), "a"); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
		b, err := src.Array(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		got := ndarray.New(dtype.Int32, []int{3})
		if err := b.ReadRegion(t.Context(), got, []int{0}); err != nil || string(got.Data) != "\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00" {
			t.Errorf("%s: %v, %v", file, got.Data, err)
		}
	}
}
