package arrow_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources/arrow"
)

// TestPageChecksums flips every third bit, and so two or three of each byte, of pages that have checksums: dictionaries, and data
// pages of both versions. It reads all rows and some rows. Each read gives an error or
// the original values.
func TestPageChecksums(t *testing.T) {
	for _, name := range []string{"sums_v1.parquet", "sums_v2.parquet"} {
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
			return rows(t.Context(), "mem://b/"+name, memory)
		}
		want := read()
		if len(want) != 4 {
			t.Fatalf("%s: read %d of 4 times", name, len(want))
		}
		found, flipped := 0, 0
		footer := len(data) - 8 - int(binary.LittleEndian.Uint32(data[len(data)-8:]))
		for bit := 0; bit < 8*footer; bit += 3 {
			flipped++
			data[bit/8] ^= 1 << (bit % 8)
			got := read()
			for how, values := range got {
				if values != want[how] {
					t.Errorf("%s: bit %d of byte %d: other values of %s", name, bit%8, bit/8, how)
				}
			}
			found += len(want) - len(got)
			data[bit/8] ^= 1 << (bit % 8)
		}
		if found < flipped {
			t.Errorf("%s: only %d readings fail", name, found)
		}
	}
}

// TestZeroChecksums reads a file of Parquet.jl, which writes 0 in place of each checksum. In files
// of other programs, that is a wrong checksum.
func TestZeroChecksums(t *testing.T) {
	memory := &store.Memory{}
	st, err := store.Open(t.Context(), "mem://b", store.Options{Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string, writer string) map[string]string {
		data, err := os.ReadFile("testdata/" + name)
		if err == nil {
			err = st.Put(t.Context(), name, bytes.Replace(data, []byte("Parquet.jl"), []byte(writer), 1))
		}
		if err != nil {
			t.Fatal(err)
		}
		return rows(t.Context(), "mem://b/"+name, memory)
	}
	if diff := cmp.Diff(read("sums_v1.parquet", ""), read("zero_sums.parquet", "Parquet.jl")); diff != "" {
		t.Errorf("the file of Parquet.jl (-want +got):\n%s", diff)
	}
	if got := read("zero_sums.parquet", "Parquet.xx"); len(got) > 0 {
		t.Errorf("another program: %v", got)
	}
}

// rows reads the columns of a file, all rows and some rows, and leaves out reads that
// fail.
func rows(ctx context.Context, url string, memory *store.Memory) map[string]string {
	found := map[string]string{}
	src, err := arrow.OpenAll(ctx, files(url), arrow.Options{Store: store.Options{Memory: memory, Retries: -1}})
	if err != nil {
		return found
	}
	defer src.Close() //nolint:errcheck // only read
	for _, name := range src.Arrays() {
		a, err := src.Array(ctx, name)
		if err != nil || len(a.Info().Shape) != 1 || a.Info().Shape[0] != 60 {
			continue
		}
		for how, span := range map[string][2]int{"all rows": {0, 60}, "some rows": {25, 13}} {
			part := ndarray.New(a.Info().Type, []int{span[1]})
			if a.ReadRegion(ctx, part, []int{span[0]}) == nil {
				var all bytes.Buffer
				for item := range part.Items() {
					all.Write(binary.AppendUvarint(nil, uint64(len(item))))
					all.Write(item)
				}
				found[name+", "+how] = all.String()
			}
		}
	}
	return found
}
