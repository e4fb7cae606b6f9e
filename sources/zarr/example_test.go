package zarr_test

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// A region is read into memory of the caller. A place may be a folder, a bucket, an HTTP
// server or, as here, an archive.
func ExampleOpen() {
	ctx := context.Background()
	src, err := zarr.Open(ctx, "testdata/stored.zarr.zip", zarr.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close() //nolint:errcheck // it was only read
	a, err := src.Array(ctx, "sharded")
	if err != nil {
		fmt.Println(err)
		return
	}
	info := a.Info()
	fmt.Println(info.Type.Name(), info.Shape, info.Shards, info.Chunks)
	region := ndarray.New(info.Type, []int{2, 3})
	if err := a.ReadRegion(ctx, region, []int{3, 2}); err != nil {
		fmt.Println(err)
		return
	}
	values, _ := ndarray.As[uint16](region)
	fmt.Println(values)
	// Output: uint16 [9 8] [4 8] [2 4]
	// [26 27 28 34 35 36]
}
