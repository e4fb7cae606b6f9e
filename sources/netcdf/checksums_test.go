package netcdf_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestChecksums flips a bit of every eleventh byte of a file in which metadata and chunks
// have checksums. It then reads stored chunks, whole arrays and single rows. Each read
// gives an error or the original values.
func TestChecksums(t *testing.T) {
	const name = "sums.h5"
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	memory := &store.Memory{}
	st, err := store.Open(t.Context(), "mem://b", store.Options{Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	read := func() map[string]string {
		if err := st.Put(t.Context(), name, data); err != nil {
			t.Fatal(err)
		}
		return threeWays(t.Context(), "mem://b/"+name, memory)
	}
	want := read()
	if len(want) != 4*3 {
		t.Fatalf("%d of 12 ways lead to values", len(want))
	}
	found := 0
	for i := 0; i < len(data); i += 11 {
		data[i] ^= 1 << (i % 8)
		got := read()
		for way, values := range got {
			if values != want[way] {
				t.Errorf("byte %d: other values of %s", i, way)
			}
		}
		if len(got) < len(want) {
			found++
		}
		data[i] ^= 1 << (i % 8)
	}
	if found < 130 {
		t.Errorf("only %d bytes made a difference", found)
	}
}

// threeWays reads the arrays of a file in three ways, and leaves out reads that fail.
func threeWays(ctx context.Context, url string, memory *store.Memory) map[string]string {
	found := map[string]string{}
	src, err := netcdf.OpenAll(ctx, []string{url}, netcdf.Options{Store: store.Options{Memory: memory, Retries: -1}, Kept: func(string) bool { return true }})
	if err != nil {
		return found
	}
	defer src.Close() //nolint:errcheck // only read
	for _, path := range src.Arrays() {
		a, err := src.Array(ctx, path)
		if err != nil || fmt.Sprint(a.Info().Shape) != "[6 4]" {
			continue
		}
		for how, read := range map[string]func() ([]byte, error){
			"carried through": func() ([]byte, error) { return storedBytes(ctx, a) },
			"read at once":    func() ([]byte, error) { return rowsOf(ctx, a, 6) },
			"read by rows":    func() ([]byte, error) { return rowsOf(ctx, a, 1) },
		} {
			if data, err := read(); err == nil {
				found[path+" "+how] = fmt.Sprintf("%v %s %x", a.Info().Codecs, a.Info().Type.Name(), data)
			}
		}
	}
	return found
}

// storedBytes returns the decoded chunks of an array, one after the other.
func storedBytes(ctx context.Context, a sources.Array) ([]byte, error) {
	stored := sources.AsStored(a)
	if stored == nil {
		return nil, fmt.Errorf("%s", a.Info().Obstacle)
	}
	chain, err := standard.Registry(dtype.Standard()).Bind(a.Info().Codecs, codecs.Chunk{Type: a.Info().Type, Shape: a.Info().Chunks, Fill: a.Info().Type.Default()})
	if err != nil {
		return nil, err
	}
	var all []byte
	grid := zarr.Grid{Shape: a.Info().Shape, Chunk: a.Info().Chunks}
	for i := range grid.Len() {
		in, err := stored.OpenStored(ctx, grid.Index(i))
		if err == nil && in == nil {
			all = append(all, "none"...)
			continue
		}
		if err == nil {
			err = stored.VerifyStored(ctx, grid.Index(i), in)
		}
		if err != nil {
			return nil, err
		}
		chunk := ndarray.New(a.Info().Type, a.Info().Chunks)
		if err := chain.DecodeRegion(ctx, &ndarray.Pool{}, chunk, []int{0, 0}, in); err != nil {
			return nil, err
		}
		all = append(all, chunk.Data...)
	}
	return all, nil
}

// rowsOf returns the elements of an array, read in steps of so many rows.
func rowsOf(ctx context.Context, a sources.Array, rows int) ([]byte, error) {
	var all []byte
	for at := 0; at < 6; at += rows {
		part := ndarray.New(a.Info().Type, []int{rows, 4})
		if err := a.ReadRegion(ctx, part, []int{at, 0}); err != nil {
			return nil, err
		}
		all = append(all, part.Data...)
	}
	return all, nil
}
