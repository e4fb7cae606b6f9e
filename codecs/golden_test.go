package codecs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/zarr"
)

// TestGolden decodes arrays that zarr-python wrote, and encodes and decodes
// their chunks again.
func TestGolden(t *testing.T) {
	for _, archive := range goldenArchives(t) {
		if n := testGolden(t, archive); n < 105 {
			t.Errorf("only %d arrays were read", n)
		}
	}
}

// TestGoldenFolder does the same over the whole folder that the archive was
// taken from.
func TestGoldenFolder(t *testing.T) {
	const folder = "../../shared/golden/zarr-python"
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the golden folder is not here: %v", err)
	}
	if n := testGolden(t, os.DirFS(folder)); n < 105 {
		t.Errorf("only %d arrays were read", n)
	}
}

// testGolden compares all arrays of a folder whose type and codecs are known,
// and returns their number.
func testGolden(t *testing.T, folder fs.FS) int {
	text, err := fs.ReadFile(folder, "expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Arrays []struct{ Store, Path, Raw string }
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, entry := range expected.Arrays {
		if entry.Store != "v3.zarr" || entry.Raw == "" {
			continue
		}
		where := path.Join(entry.Store, entry.Path)
		text, err := fs.ReadFile(folder, path.Join(where, zarr.MetadataKey))
		if err != nil {
			t.Fatal(err)
		}
		array, err := zarr.ParseArray(text, dtype.Standard())
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		chain, err := codecs.Standard().Bind(array.Codecs, codecs.Chunk{Type: array.Type, Shape: array.Grid.Chunk, Fill: array.Fill})
		if errors.Is(err, codecs.ErrUnknown) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		want, err := fs.ReadFile(folder, entry.Raw)
		if err != nil {
			t.Fatal(err)
		}
		got := readGolden(t, folder, where, array, chain)
		if t, ok := array.Type.(dtype.Ordered); ok && dtype.Native == dtype.Big {
			ndarray.Swap(got, t) // the expected values are little-endian
		}
		if !bytes.Equal(got.Data, want) {
			t.Errorf("%s: the values differ", where)
		}
		count++
	}
	return count
}

// readGolden reads a whole array. Each chunk is also encoded and decoded again.
func readGolden(t *testing.T, folder fs.FS, where string, array *zarr.Array, chain *codecs.Chain) ndarray.Array {
	t.Helper()
	var pool ndarray.Pool
	all := ndarray.New(array.Type, array.Grid.Shape)
	ndarray.Fill(all, array.Fill)
	for number := range array.Grid.Len() {
		index := array.Grid.Index(number)
		data, err := fs.ReadFile(folder, path.Join(where, array.Keys.Key(index)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // only the fill value
		}
		if err != nil {
			t.Fatal(err)
		}
		chunk := ndarray.New(array.Type, array.Grid.Chunk)
		if err := chain.Decode(&pool, chunk, data); err != nil {
			t.Errorf("%s, chunk %v: %v", where, index, err)
			continue
		}
		stored := ndarray.New(array.Type, array.Grid.Chunk)
		encoded, buffer, err := chain.Encode(&pool, chunk)
		if err == nil {
			err = chain.Decode(&pool, stored, encoded)
		}
		if err != nil || !bytes.Equal(chunk.Data, stored.Data) {
			t.Errorf("%s, chunk %v does not survive: %v", where, index, err)
		}
		if buffer != nil {
			buffer.Release()
		}
		region := array.Grid.Region(index)
		inside := ndarray.Region{Start: make([]int, len(index)), Shape: region.Shape}
		ndarray.Copy(all.Sub(region), chunk.Sub(inside))
	}
	if n := pool.Lent(); n != 0 {
		t.Errorf("%s: %d buffers were not released", where, n)
	}
	return all
}
