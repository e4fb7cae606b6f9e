package ndarray_test

import (
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// A region of an array is another array over the same memory.
func Example() {
	heights := ndarray.From([]int32{1, 2, 3, 4, 5, 6}, []int{2, 3})
	column := heights.Sub(ndarray.Region{Start: []int{0, 1}, Shape: []int{2, 1}})
	values := ndarray.New(heights.Type, []int{2, 1})
	ndarray.Copy(values, column)
	list, _ := ndarray.As[int32](values)
	fmt.Println(list)
	// Output: [2 5]
}
