package store_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/store"
)

// A place is a folder of objects, in a bucket, in memory or on a disk.
func ExampleOpen() {
	ctx := context.Background()
	s, err := store.Open(ctx, "mem://bucket/folder", store.Options{Memory: &store.Memory{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = s.Close() }() // nothing waits to be written
	if err := s.Put(ctx, "a/zarr.json", []byte("{}")); err != nil {
		fmt.Println(err)
	}
	err = s.List(ctx, "a/", func(o store.Info) error {
		fmt.Println(strings.TrimPrefix(o.Key, "a/"), o.Size)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: zarr.json 2
}
