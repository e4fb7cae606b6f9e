package arrow_test

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/arrow"
)

// The columns of a table are arrays over its rows.
func ExampleOpen() {
	ctx := context.Background()
	src, err := arrow.Open(ctx, "testdata/golden.zip/gzip_v1.parquet", arrow.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close() //nolint:errcheck // it was only read
	column, err := src.Array(ctx, "int32")
	if err != nil {
		fmt.Println(err)
		return
	}
	info := column.Info()
	fmt.Println(info.Type.Name(), info.Shape, info.DimensionNames)
	rows := ndarray.New(info.Type, []int{4})
	if err := column.ReadRegion(ctx, rows, []int{3}); err != nil {
		fmt.Println(err)
		return
	}
	values, _ := ndarray.As[int32](rows)
	fmt.Println(values)
	// Output: int32 [17] [row]
	// [1 1 -1537115142 -2147483648]
}
