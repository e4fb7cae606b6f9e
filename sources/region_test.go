package sources

import (
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestCheckRegion accepts what lies within an array of 4 × 3 elements, up to its edges.
func TestCheckRegion(t *testing.T) {
	days, err := dtype.Datetime64("D", 1)
	if err != nil {
		t.Fatal(err)
	}
	again, err := dtype.Datetime64("D", 1)
	if err != nil {
		t.Fatal(err)
	}
	info := &Info{Path: "a", Type: days, Shape: []int{4, 3}}
	if err := CheckRegion(info, ndarray.Array{}, []int{0, 0}); err == nil || !strings.Contains(err.Error(), "but dst has none") {
		t.Errorf("an array without a type: %v", err)
	}
	for _, test := range []struct {
		t            dtype.Type
		start, shape []int
		want         string
	}{
		{days, []int{0, 0}, []int{4, 3}, ""},
		{again, []int{3, 2}, []int{1, 1}, ""},
		{days, []int{4, 3}, []int{0, 0}, ""},
		{dtype.Int64, []int{0, 0}, []int{4, 3}, "array \"a\" has data type"},
		{days, []int{0}, []int{4, 3}, "has 2 dimensions"},
		{days, []int{0, 0}, []int{4}, "has 2 dimensions"},
		{days, []int{0, 0, 0}, []int{4, 3}, "has 2 dimensions"},
		{days, []int{0, 0}, []int{4, 3, 1}, "has 2 dimensions"},
		{days, []int{0}, []int{4}, "has 2 dimensions"},
		{days, []int{-1, 0}, []int{1, 1}, "outside of the shape [4 3]"},
		{days, []int{0, 0}, []int{1, -1}, "outside"},
		{days, []int{1, 0}, []int{4, 3}, "outside"},
		{days, []int{0, 3}, []int{1, 1}, "outside"},
		{days, []int{5, 0}, []int{0, 0}, "outside"},
	} {
		err := CheckRegion(info, ndarray.Array{Type: test.t, Shape: test.shape}, test.start)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s at %v of shape %v: got %v, want %q", test.t.Name(), test.start, test.shape, err, test.want)
		}
	}
}
