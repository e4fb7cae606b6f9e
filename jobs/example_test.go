package jobs_test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/stages"
)

// A job is read, planned and run. A job that comes from a file is read by Load.
func Example() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	job, err := jobs.Parse("coads", []byte(`
zmigrate: 1
source: {driver: netcdf, url: coads_climatology.cdf, include: [SST]}
target: {url: `+folder+`/coads.zarr}
arrays:
  SST: {chunks: [3, 90, 180]}
`), "../examples/data", jobs.Environment{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	plan, err := jobs.NewPlan(ctx, job, jobs.Environment{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer plan.Close() //nolint:errcheck // the sources were only read
	var done atomic.Int64
	result, err := jobs.Run(ctx, plan, jobs.Environment{}, jobs.RunOptions{
		Observe: func(e stages.Event) { done.Add(e.Read) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Arrays, "arrays,", result.Chunks, "chunks,", done.Load(), "bytes")
	// Output: 4 arrays, 7 chunks, 779856 bytes
}
