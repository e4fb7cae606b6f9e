package netcdf_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// said returns shape, attributes and values of each readable array of a file. It leaves out
// the names of dimensions: numbers in made-up names depend on the arrays that cannot be
// read.
func said(ctx context.Context, opt netcdf.Options, url string) (map[string]string, error) {
	src, err := netcdf.OpenAll(ctx, []string{url}, opt)
	if err != nil {
		return nil, err
	}
	defer src.Close() //nolint:errcheck // only read
	all := map[string]string{}
	for _, path := range src.Arrays() {
		a, err := src.Array(ctx, path)
		if err != nil {
			continue
		}
		info := a.Info()
		if n, ok := ndarray.Bytes(info.Type, info.Shape); !ok || n > 1<<20 {
			continue
		}
		dst := ndarray.New(info.Type, info.Shape)
		if err := a.ReadRegion(ctx, dst, make([]int, len(info.Shape))); err != nil {
			continue
		}
		attributes, err := json.Marshal(info.Attributes)
		if err != nil {
			return nil, err
		}
		all[path] = fmt.Sprintf("%s %v %s %x", info.Type.Name(), info.Shape, attributes, dst.Data)
	}
	return all, nil
}

// TestFlippedBytes changes some bytes of small files in turn; the test of hdf5 changes all.
// Nothing panics or takes long. Where checksums cover all of a file, no array is read with another content.
func TestFlippedBytes(t *testing.T) {
	memory := &store.Memory{}
	st, err := store.Open(t.Context(), "mem://b/f", store.Options{Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	opt := netcdf.Options{Store: store.Options{Memory: memory}}
	for _, file := range []struct {
		archive, name string
		covered       bool
		step          int
	}{
		{"hdf5/testdata/golden.zip", "tiny_checked.h5", true, 7},
		{"testdata/netcdf4.zip", "classic_model.nc", false, 17},
	} {
		data, err := os.ReadFile(filepath.Join(sourcetest.Unzip(t, file.archive), file.name))
		if err != nil {
			t.Fatal(err)
		}
		read := func() (map[string]string, error) {
			if err := st.Put(t.Context(), file.name, data); err != nil {
				t.Fatal(err)
			}
			return said(t.Context(), opt, "mem://b/f/"+file.name)
		}
		want, err := read()
		if err != nil || len(want) == 0 {
			t.Fatal(want, err)
		}
		for at := 0; at < len(data); at += file.step {
			data[at] ^= 0xff
			began := time.Now()
			got, err := read()
			if took := time.Since(began); took > time.Minute {
				t.Errorf("%s: with byte %d changed reading takes %v", file.name, at, took)
			}
			data[at] ^= 0xff
			if err != nil || !file.covered {
				continue
			}
			for path := range maps.Keys(got) {
				if got[path] != want[path] {
					t.Errorf("%s: byte %d changes %s without an error: %s, want %s", file.name, at, path, got[path], want[path])
				}
			}
		}
	}
}
