package sinks_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sinks"
)

// temporary returns a folder for an example, and what removes it.
func temporary() (folder string, remove func()) {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	return folder, func() { _ = os.RemoveAll(folder) }
}

// A region of any shape is written. Nothing is visible before Commit.
func Example() {
	folder, remove := temporary()
	defer remove()
	if err := writeHeights(context.Background(), folder); err != nil {
		fmt.Println(err)
		return
	}
	files, err := filepath.Glob(filepath.Join(folder, "heights", "c", "*", "*"))
	fmt.Println(len(files), "shards", err)
	// Output: 2 shards <nil>
}

func writeHeights(ctx context.Context, url string) error {
	w, err := sinks.Create(ctx, url, sinks.Options{})
	if err != nil {
		return err
	}
	defer w.Close() //nolint:errcheck // what was committed is durable
	a, err := w.CreateArray(ctx, "heights", sinks.ArraySpec{
		Type: dtype.Float32, Shape: []int{100, 200}, DimensionNames: []string{"y", "x"},
		Chunks: []int{10, 10}, Shards: []int{50, 100}, FillValue: []byte(`"NaN"`),
		Codecs: codecs.Specs("bytes", "zstd:level=5"),
	})
	if err != nil {
		return err
	}
	values := make([]float32, 50*200) // the lower half; the upper half stays NaN and is not stored
	if err := a.WriteRegion(ctx, ndarray.From(values, []int{50, 200}), []int{50, 0}); err != nil {
		return err
	}
	return w.Commit(ctx)
}

// Rows are appended as they come. They are gathered in memory until a chunk is complete,
// and each Commit shows readers what there is.
func ExampleArray_Append() {
	folder, remove := temporary()
	defer remove()
	ctx := context.Background()
	w, err := sinks.Create(ctx, folder, sinks.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close() //nolint:errcheck // what was committed is durable
	a, err := w.CreateArray(ctx, "counts", sinks.ArraySpec{Type: dtype.Int32, Shape: []int{0, 3}, Chunks: []int{100, 3}, DimensionNames: []string{"day", "kind"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for day := range int32(4) {
		row := ndarray.From([]int32{day, 10 * day, 100 * day}, []int{1, 3})
		start, err := a.Append(ctx, row, "day")
		if err == nil {
			err = w.Commit(ctx)
		}
		fmt.Println(start, a.Shape(), err)
	}
	// Output: [0 0] [1 3] <nil>
	// [1 0] [2 3] <nil>
	// [2 0] [3 3] <nil>
	// [3 0] [4 3] <nil>
}

// Rows are appended to a hierarchy that exists, perhaps one of another program.
func ExampleOpen() {
	folder, remove := temporary()
	defer remove()
	ctx := context.Background()
	if err := writeHeights(ctx, folder); err != nil {
		fmt.Println(err)
		return
	}
	w, err := sinks.Open(ctx, folder, sinks.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close() //nolint:errcheck // what was committed is durable
	a, err := w.Array(ctx, "heights")
	if err != nil {
		fmt.Println(err)
		return
	}
	row := ndarray.From(make([]float32, 200), []int{1, 200})
	start, err := a.Append(ctx, row, "y")
	if err == nil {
		err = w.Commit(ctx)
	}
	fmt.Println(start, a.Shape(), err)
	// Output: [100 0] [101 200] <nil>
}
