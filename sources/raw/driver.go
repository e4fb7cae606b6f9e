package raw

import (
	"context"

	"github.com/zmigrate/zmigrate/sources"
)

// Driver returns the driver of raw files. It recognises no file, because nothing in a file
// tells that it is raw.
func Driver() sources.Driver {
	return sources.Driver{Name: "raw", Title: "raw binary", Open: openRequest, Traits: sources.Traits{Declared: true}}
}

// openRequest opens the arrays that a request declares.
func openRequest(ctx context.Context, r sources.Request) (sources.Source, error) {
	arrays := make([]Array, len(r.Arrays))
	for i, a := range r.Arrays {
		arrays[i] = Array(a)
	}
	return Open(ctx, arrays, Options{Store: r.Store})
}
