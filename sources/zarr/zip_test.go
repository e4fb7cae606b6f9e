package zarr_test

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/sources/zarr"
	zarrgrid "github.com/zmigrate/zmigrate/zarr"
)

// ascending returns the elements of an array of testdata/make_zips.py. From index
// missing on they are the fill value.
func ascending(shape []int, missing int) []uint16 {
	n, _ := ndarray.Elements(shape)
	values := make([]uint16, n)
	for i := range values {
		if values[i] = 65535; i < missing {
			values[i] = uint16(i)
		}
	}
	return values
}

// TestZip reads archives that zarr-python wrote, from a local file and by ranges from a
// store, and a group within an archive.
func TestZip(t *testing.T) {
	var memory store.Memory
	st, err := store.Open(t.Context(), "mem://zips", store.Options{Memory: &memory})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stored.zarr.zip", "deflated.zarr.zip"} {
		text, err := os.ReadFile("testdata/" + name)
		if err == nil {
			err = st.Put(t.Context(), name, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, arrays := range map[string]map[string]int{
		"stored.zarr.zip":   {"g/plain": 4 * 6, "sharded": 8 * 8},
		"stored.zarr.zip/g": {"plain": 4 * 6},
		"deflated.zarr.zip": {"a": 4 * 600},
	} {
		for _, folder := range []string{"testdata/", "mem://zips/"} {
			src := open(t, folder+name, zarr.Options{Store: store.Options{Memory: &memory}})
			for path, missing := range arrays {
				a, err := src.Array(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				got, _ := ndarray.As[uint16](sourcetest.ReadAll(t, a))
				if diff := cmp.Diff(ascending(a.Info().Shape, missing), got); diff != "" {
					t.Errorf("%s%s: %s (-want +got):\n%s", folder, name, path, diff)
				}
			}
			if title := src.Groups()[0].Attributes.Get("title"); name == "stored.zarr.zip" && string(title) != `"second"` {
				t.Errorf("%s%s: title %s", folder, name, title)
			}
			if len(src.Arrays()) != len(arrays) {
				t.Errorf("%s%s: arrays %q", folder, name, src.Arrays())
			}
			sourcetest.Run(t, src)
		}
	}
}

// TestZipDamage flips a bit of each byte of each chunk, in an archive that zarr-python
// wrote. It then reads the stored chunks, whole arrays and single rows. Each read gives
// an error or the original values.
func TestZipDamage(t *testing.T) {
	text, err := os.ReadFile("testdata/stored.zarr.zip")
	if err != nil {
		t.Fatal(err)
	}
	sound := zarrBytes(t, text)
	if len(sound) != 6 {
		t.Fatalf("%d of 6 ways lead to values", len(sound))
	}
	files, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	damaged := 0
	for _, f := range files.File {
		if !strings.Contains(f.Name, "/c/") {
			continue
		}
		begin, err := f.DataOffset()
		if err != nil {
			t.Fatal(err)
		}
		for i := range int(f.CompressedSize64) {
			bad := bytes.Clone(text)
			bad[int(begin)+i] ^= 1 << (i % 8)
			for way, data := range zarrBytes(t, bad) {
				if !bytes.Equal(data, sound[way]) {
					t.Errorf("byte %d of %s: other bytes when %s", i, f.Name, way)
				}
			}
			damaged++
		}
	}
	if damaged < 300 {
		t.Errorf("only %d bytes were damaged", damaged)
	}
}

// zarrBytes reads all arrays of an archive in three ways. It returns the bytes of reads
// that succeeded.
func zarrBytes(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	var memory store.Memory
	st, err := store.Open(t.Context(), "mem://zips", store.Options{Memory: &memory})
	if err == nil {
		err = st.Put(t.Context(), "a.zip", archive)
	}
	if err != nil {
		t.Fatal(err)
	}
	src := open(t, "mem://zips/a.zip", zarr.Options{Store: store.Options{Memory: &memory}})
	found := map[string][]byte{}
	for _, path := range src.Arrays() {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		for way, read := range map[string]func() ([]byte, error){
			"carried through": func() ([]byte, error) { return carriedBytes(t.Context(), sources.AsStored(a), a.Info()) },
			"read at once":    func() ([]byte, error) { return rowBytes(t.Context(), a, a.Info().Shape[0]) },
			"read by rows":    func() ([]byte, error) { return rowBytes(t.Context(), a, 1) },
		} {
			if data, err := read(); err == nil {
				found[path+" "+way] = data
			}
		}
	}
	return found
}

// carriedBytes returns the bytes of all objects of an array, one after the other.
func carriedBytes(ctx context.Context, s sources.Stored, info *sources.Info) ([]byte, error) {
	object := info.Shards
	if object == nil {
		object = info.Chunks
	}
	grid := zarrgrid.Grid{Shape: info.Shape, Chunk: object}
	var all []byte
	for i := range grid.Len() {
		in, err := s.OpenStored(ctx, grid.Index(i))
		if err != nil {
			return nil, err
		}
		if in == nil {
			continue
		}
		if err := s.VerifyStored(ctx, grid.Index(i), in); err != nil {
			return nil, err
		}
		data := make([]byte, in.Size())
		if err := in.ReadAt(ctx, data, 0); err != nil {
			return nil, err
		}
		all = append(all, data...)
	}
	return all, nil
}

// rowBytes returns the elements of an array, read in steps of so many rows.
func rowBytes(ctx context.Context, a sources.Array, rows int) ([]byte, error) {
	var all []byte
	info := a.Info()
	for at := 0; at < info.Shape[0]; at += rows {
		shape := slices.Clone(info.Shape)
		shape[0] = min(rows, info.Shape[0]-at)
		part := ndarray.New(info.Type, shape)
		start := make([]int, len(shape))
		start[0] = at
		if err := a.ReadRegion(ctx, part, start); err != nil {
			return nil, err
		}
		all = append(all, part.Data...)
	}
	return all, nil
}

// TestZipDamageOfALargeShard: a shard of an archive that is read in parts, because it is
// large, is compared with the checksum of the archive, too. Its inner chunks have none.
func TestZipDamageOfALargeShard(t *testing.T) {
	const n = 6 << 20
	document := v3(t, map[string]any{
		"shape": []int{n}, "chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{n}}},
		"codecs": []any{map[string]any{"name": "sharding_indexed", "configuration": map[string]any{"chunk_shape": []int{n}, "codecs": []any{"bytes"}, "index_codecs": []any{"bytes"}}}},
	})
	shard := append(bytes.Repeat([]byte{5}, n), "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x60\x00\x00\x00\x00\x00"...)
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for name, data := range map[string]string{"zarr.json": document, "c/0": string(shard)} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = f.Write([]byte(data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []bool{false, true} {
		data := archive.Bytes()
		if damaged {
			data[bytes.Index(data, shard[:100])+n/2] ^= 1
		}
		var memory store.Memory
		st, err := store.Open(t.Context(), "mem://zips", store.Options{Memory: &memory})
		if err == nil {
			err = st.Put(t.Context(), "a.zip", data)
		}
		if err != nil {
			t.Fatal(err)
		}
		a, err := open(t, "mem://zips/a.zip", zarr.Options{Store: store.Options{Memory: &memory}}).Array(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		got := ndarray.New(a.Info().Type, []int{n})
		err = a.ReadRegion(t.Context(), got, []int{0})
		if (err != nil) != damaged || !damaged && !bytes.Equal(got.Data, shard[:n]) {
			t.Errorf("damaged is %v: error %v", damaged, err)
		}
	}
}
