package standard_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestGolden decodes arrays that zarr-python wrote, and encodes and decodes their
// chunks again.
func TestGolden(t *testing.T) {
	least := map[string]int{"zarr-python-v3.zip": 140, "zarrs-b2b.zip": 55, "array-codecs.zip": 45}
	for name, archive := range goldenArchives(t) {
		if n := testGolden(t, archive); n < least[name] || least[name] == 0 {
			t.Errorf("%s: only %d arrays were read", name, n)
		}
	}
}

// TestGoldenFolder does the same for the folder from which the archive was chosen.
func TestGoldenFolder(t *testing.T) {
	folder := filepath.Join(os.Getenv("ZMIGRATE_GOLDEN"), "zarr-python")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("set ZMIGRATE_GOLDEN to the folder of all goldens: %v", err)
	}
	if n := testGolden(t, os.DirFS(folder)); n < 140 {
		t.Errorf("only %d arrays were read", n)
	}
}

// testGolden compares all arrays of a folder whose data type and codecs are known. It
// returns their number.
func testGolden(t *testing.T, folder fs.FS) (count int) {
	t.Helper()
	for _, entry := range expectedArrays(t, folder) {
		if entry.Store == "v3.zarr" && testArray(t, folder, entry) {
			count++
		}
	}
	return count
}

// compareItems compares elements of variable size: strings, or bytes in hex.
func compareItems(t *testing.T, where string, got ndarray.Array, want []json.RawMessage) {
	t.Helper()
	i := 0
	for item := range got.Items() {
		var text string
		var binary struct{ Hex string }
		if err := json.Unmarshal(want[i], &text); err != nil {
			if err := json.Unmarshal(want[i], &binary); err != nil {
				t.Fatal(err)
			}
			decoded, err := hex.DecodeString(binary.Hex)
			if err != nil {
				t.Fatal(err)
			}
			text = string(decoded)
		}
		if string(item) != text {
			t.Errorf("%s: element %d is %q, want %q", where, i, item, text)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%s: %d elements, want %d", where, i, len(want))
	}
}

// readGolden reads a whole array. It also encodes and decodes each chunk again. In mode
// reversible, zfp must give the same bytes. In its other modes, elements may change.
// All other codecs must give the same elements.
func readGolden(t *testing.T, folder fs.FS, where string, array *zarr.Array, chain *codecs.Chain) ndarray.Array {
	t.Helper()
	var pool ndarray.Pool
	all := ndarray.New(array.Type, array.Grid.Shape)
	ndarray.Fill(all, array.Fill)
	zfp := zfpMode(t, array.Codecs)
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
		same := slices.EqualFunc(slices.Collect(chunk.Items()), slices.Collect(stored.Items()), bytes.Equal)
		switch {
		case zfp == "reversible":
			same = bytes.Equal(data, encoded)
		case zfp != "":
			same = true
		}
		if err != nil || !same {
			t.Errorf("%s, chunk %v changes when it is encoded and decoded again: %v", where, index, err)
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

// zfpMode returns the mode of zfp in a chain, even inside of shards. It returns "" if
// there is no zfp.
func zfpMode(t *testing.T, specs []codecs.Spec) string {
	t.Helper()
	text, err := json.Marshal(specs)
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`"(?:zfp|numcodecs\.zfpy)","configuration":\{"mode":"?(\w+)`).FindSubmatch(text); found != nil {
		return string(found[1])
	}
	return ""
}
