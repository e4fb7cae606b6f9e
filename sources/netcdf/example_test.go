package netcdf_test

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/netcdf"
)

// Variables are read by regions.
func ExampleOpen() {
	ctx := context.Background()
	src, err := netcdf.Open(ctx, "../../examples/data/coads_climatology.cdf", netcdf.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close() //nolint:errcheck // it was only read
	sst, err := src.Array(ctx, "SST")
	if err != nil {
		fmt.Println(err)
		return
	}
	info := sst.Info()
	fmt.Println(info.Type.Name(), info.Shape, info.DimensionNames, string(info.Attributes.Get("units")))
	may := ndarray.New(info.Type, []int{1, 1, 3})
	if err := sst.ReadRegion(ctx, may, []int{4, 45, 90}); err != nil {
		fmt.Println(err)
		return
	}
	values, _ := ndarray.As[float32](may)
	fmt.Println(values)
	// Output: float32 [12 90 180] [TIME COADSY COADSX] "Deg C"
	// [27.692223 27.424444 27.375807]
}
