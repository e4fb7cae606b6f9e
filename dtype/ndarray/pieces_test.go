package ndarray_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestPieces numbers the elements of arrays and expects the numbers in order in the
// boxes.
func TestPieces(t *testing.T) {
	for _, test := range []struct {
		shape []int
		most  int
		boxes int
	}{
		{nil, 5, 1}, {[]int{0}, 5, 0}, {[]int{3, 0, 2}, 5, 0},
		{[]int{5}, 5, 1}, {[]int{6}, 5, 2}, {[]int{3}, 1, 3},
		{[]int{2, 3}, 6, 1}, {[]int{2, 3}, 5, 2}, {[]int{5, 3}, 6, 3}, {[]int{2, 7}, 5, 4},
		{[]int{4, 3, 2}, 4, 8}, {[]int{4, 3, 2}, 12, 2}, {[]int{4, 1, 2, 1}, 3, 4},
	} {
		n, _ := ndarray.Elements(test.shape)
		all := ndarray.New(dtype.Uint8, test.shape)
		for i := range n {
			all.Data[i] = byte(i)
		}
		var got []byte
		boxes := 0
		for r := range ndarray.Pieces(test.shape, test.most) {
			boxes++
			part := ndarray.New(dtype.Uint8, slices.Clone(r.Shape))
			if part.Len() > test.most {
				t.Errorf("%v: a box of shape %v, at most %d elements are wanted", test.shape, r.Shape, test.most)
			}
			ndarray.Copy(part, all.Sub(r))
			got = append(got, part.Data...)
		}
		if diff := cmp.Diff(all.Data, got, cmp.Comparer(slices.Equal[[]byte])); diff != "" || boxes != test.boxes {
			t.Errorf("%v in pieces of %d: %d boxes, want %d; elements (-want +got):\n%s", test.shape, test.most, boxes, test.boxes, diff)
		}
		for range ndarray.Pieces(test.shape, test.most) {
			break // a caller may end the loop early
		}
	}
}

// TestNext visits the elements of boxes in C order.
func TestNext(t *testing.T) {
	for _, test := range []struct {
		first, last []int
		want        [][]int
	}{
		{[]int{}, []int{}, [][]int{{}}},
		{[]int{3}, []int{3}, [][]int{{3}}},
		{[]int{1, 4}, []int{2, 6}, [][]int{{1, 4}, {1, 5}, {1, 6}, {2, 4}, {2, 5}, {2, 6}}},
		{[]int{0, 7, 1}, []int{1, 7, 2}, [][]int{{0, 7, 1}, {0, 7, 2}, {1, 7, 1}, {1, 7, 2}}},
	} {
		var got [][]int
		for index := slices.Clone(test.first); index != nil; index = ndarray.Next(index, test.first, test.last) {
			got = append(got, slices.Clone(index))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("from %v to %v (-want +got):\n%s", test.first, test.last, diff)
		}
	}
}
