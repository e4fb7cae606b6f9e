package raw_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/raw"
)

// A file of nothing but elements is read as the caller describes it.
func ExampleOpen() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	file := filepath.Join(folder, "grid.bin")
	if err := os.WriteFile(file, []byte{0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6}, 0o600); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	src, err := raw.Open(ctx, []raw.Array{{Name: "grid", URLs: []string{file}, Type: dtype.Uint16, Order: dtype.Big, Shape: []int{2, 3}}}, raw.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close() //nolint:errcheck // it was only read
	grid, err := src.Array(ctx, "grid")
	if err != nil {
		fmt.Println(err)
		return
	}
	row := ndarray.New(dtype.Uint16, []int{1, 3})
	if err := grid.ReadRegion(ctx, row, []int{1, 0}); err != nil {
		fmt.Println(err)
		return
	}
	values, _ := ndarray.As[uint16](row)
	fmt.Println(values)
	// Output: [4 5 6]
}
