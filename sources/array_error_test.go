package sources_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/zmigrate/zmigrate/sources"
)

// TestWithoutArray leaves out the name of the array that a message has already.
func TestWithoutArray(t *testing.T) {
	of := &sources.ArrayError{Source: "in.zarr", Path: "a", Err: fmt.Errorf("chunk 0: %w", fs.ErrNotExist)}
	for _, test := range []struct {
		err        error
		path, want string
	}{
		{of, "a", "in.zarr: chunk 0: file does not exist"},
		{of, "b", `in.zarr: array "a": chunk 0: file does not exist`},
		{fmt.Errorf("read: %w", of), "a", `read: in.zarr: array "a": chunk 0: file does not exist`},
		{fs.ErrNotExist, "a", "file does not exist"},
	} {
		if err := sources.WithoutArray(test.err, test.path); err.Error() != test.want || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v without %q: %v, want %s", test.err, test.path, err, test.want)
		}
	}
}
