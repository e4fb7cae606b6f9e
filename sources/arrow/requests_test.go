package arrow_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// remote puts files into a store in memory that counts reads.
func remote(t *testing.T, dir string, names ...string) (opt store.Options, reads *atomic.Int64) {
	t.Helper()
	opt.Memory = &store.Memory{}
	s, err := store.Open(t.Context(), "mem://bucket/dir", opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Put(t.Context(), name, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Sync(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
	reads = &atomic.Int64{}
	opt.Fault = func(op, _ string) error {
		if op == "read" {
			reads.Add(1)
		}
		return nil
	}
	return opt, reads
}

// TestRequests reads one of many columns, in three batches or row groups. Each buffer
// or column chunk takes a request.
func TestRequests(t *testing.T) {
	dir := unpack(t)
	for _, test := range []struct {
		file, column    string
		open, all, some int64 // numbers of requests
	}{
		{"none_v1.parquet", "int64", 1, 3, 1},
		{"snappy_v2.parquet", "string", 1, 3, 1},
		{"file_plain.arrow", "int64", 1, 4, 1},
		{"file_zstd.arrow", "float64", 1, 4, 1},
		{"file_plain.arrow", "string", 1, 8, 2},
		{"stream.arrows", "int64", 1, 5, 1},
	} {
		opt, reads := remote(t, dir, test.file)
		src := open(t, arrow.Options{Store: opt, Null: withNull(t).Null}, "mem://bucket/dir/"+test.file)
		opened := reads.Swap(0)
		a, err := src.Array(t.Context(), test.column)
		if err != nil {
			t.Fatal(err)
		}
		sourcetest.ReadAll(t, a)
		all := reads.Swap(0)
		if err := a.ReadRegion(t.Context(), ndarray.New(a.Info().Type, []int{2}), []int{1}); err != nil {
			t.Fatal(err)
		}
		if some := reads.Swap(0); opened != test.open || all != test.all || some != test.some {
			t.Errorf("%s, column %s: %d requests to open, %d for all rows, %d for two; want %d, %d, %d",
				test.file, test.column, opened, all, some, test.open, test.all, test.some)
		}
	}
}
