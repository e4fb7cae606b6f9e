package arrow_test

import (
	"fmt"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/arrow"
)

// TestListTensors reads tensors within lists, maps and lists of fixed size. They have the shape, the order of axes and
// the names that their extension type tells. The metadata of elements become attributes.
func TestListTensors(t *testing.T) {
	for _, file := range []string{"testdata/list_tensors.arrow", "testdata/list_tensors.parquet"} {
		src := open(t, arrow.Options{}, file)
		for path, dim := range map[string]string{"list/values": "list_item", "map/values/value": "map_item"} {
			a, err := src.Array(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(a.Info().Shape, a.Info().DimensionNames), fmt.Sprintf("[3 3 2] [%s x y]", dim); got != want {
				t.Errorf("%s: %s: %s, want %s", file, path, got, want)
				continue
			}
			dst := ndarray.New(dtype.Int16, []int{3, 3, 2})
			if err := a.ReadRegion(t.Context(), dst, []int{0, 0, 0}); err != nil {
				t.Fatal(err)
			}
			got, _ := ndarray.As[int16](dst)
			if fmt.Sprint(got) != "[0 3 1 4 2 5 6 9 7 10 8 11 12 15 13 16 14 17]" {
				t.Errorf("%s: %s: %v", file, path, got)
			}
		}
		a, err := src.Array(t.Context(), "pairs")
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(a.Info().Shape, a.Info().DimensionNames); got != "[2 2 3 2] [row pairs_0 x y]" {
			t.Fatalf("%s: pairs: %s", file, got)
		}
		dst := ndarray.New(dtype.Int16, []int{1, 2, 1, 2})
		if err := a.ReadRegion(t.Context(), dst, []int{1, 0, 2, 0}); err != nil {
			t.Fatal(err)
		}
		if got, _ := ndarray.As[int16](dst); fmt.Sprint(got) != "[14 17 2 5]" {
			t.Errorf("%s: pairs: %v", file, got)
		}
		if a, err = src.Array(t.Context(), "plain/values"); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s", a.Info().Attributes); got != `[{units "m"}]` {
			t.Errorf("%s: attributes %s", file, got)
		}
	}
}
