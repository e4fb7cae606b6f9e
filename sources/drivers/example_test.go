package drivers_test

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/drivers"
)

// The content of a file tells its format. Any array is then read region by region.
func ExampleOpen() {
	ctx := context.Background()
	src, err := drivers.Open(ctx, "../../examples/data/coads_climatology.cdf")
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
	pacific := ndarray.New(sst.Info().Type, []int{1, 1, 3})
	err = sst.ReadRegion(ctx, pacific, []int{4, 45, 90})
	values, _ := ndarray.As[float32](pacific)
	fmt.Println(sst.Info().Shape, values, err)
	// Output: [12 90 180] [27.692223 27.424444 27.375807] <nil>
}
