package zarr_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// With AllChunks, a missing chunk is an error, when the array is opened and when it is
// read.
func TestMissingChunks(t *testing.T) {
	sharded := v3(t, map[string]any{
		"shape": []int{4, 1 << 20}, "chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{2, 1 << 20}}},
		"codecs": []any{map[string]any{"name": "sharding_indexed", "configuration": map[string]any{"chunk_shape": []int{1, 1 << 20}, "codecs": []any{"bytes"}}}},
	})
	for name, document := range map[string]string{"plain": v3(t, nil), "sharded": sharded} {
		objects := map[string]string{"a/zarr.json": document, "a/c/0/0": half, "a/c/00/0": half, "a/c/0/1": half, "a/c/2/0": half, "a/c/1": half}
		web := newPlace(t, objects)
		opt := web.options()
		opt.AllChunks = true
		told := func(what string, err error) {
			t.Helper()
			if !errors.Is(err, zarr.ErrMissingChunk) {
				t.Fatalf("%s, %s: got %v", name, what, err)
			}
			for _, word := range []string{`array "a"`, "chunk [1 0]", "a/c/1/0", "missing_chunks"} {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%s, %s: %v: want %s in it", name, what, err, word)
				}
			}
		}
		_, err := open(t, url, opt).Array(t.Context(), "a")
		told("opened", err)

		dir := t.TempDir()
		delete(objects, "a/c/1") // a folder takes its place
		objects["a/c/1/0"] = half
		for key, text := range objects {
			file := filepath.Join(dir, filepath.FromSlash(key))
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		src := open(t, dir, zarr.Options{AllChunks: true})
		a, err := src.Array(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, "a", "c", "1", "0")); err != nil {
			t.Fatal(err)
		}
		told("read", a.ReadRegion(t.Context(), ndarray.New(dtype.Uint8, []int{1, 4}), []int{2, 0}))
		_, err = open(t, dir, zarr.Options{AllChunks: true}).Array(t.Context(), "a")
		told("a folder", err)

		server := httptest.NewServer(http.FileServer(http.Dir(dir)))
		t.Cleanup(server.Close)
		_, err = open(t, server.URL+"/a", zarr.Options{AllChunks: true}).Array(t.Context(), "")
		if !errors.Is(err, zarr.ErrMissingChunk) || !strings.Contains(err.Error(), "c/1/0") {
			t.Errorf("%s, a server that cannot be listed: %v", name, err)
		}
	}
}

// A folder in the place of a chunk is damage on a disk. An object store has no folders.
func TestFolderInPlaceOfChunk(t *testing.T) {
	large := v3(t, map[string]any{
		"shape": []int{4, 1 << 20}, "chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{2, 1 << 20}}},
	})
	for name, document := range map[string]string{"read whole": v3(t, nil), "read in parts": large} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "c", "0", "0"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "zarr.json"), []byte(document), 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := open(t, dir, zarr.Options{}).Array(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		dst := ndarray.New(dtype.Uint8, []int{1, 4})
		if err := a.ReadRegion(t.Context(), dst, []int{1, 0}); err == nil || !strings.Contains(err.Error(), "directory") {
			t.Errorf("%s: got %v", name, err)
		}
		if err := a.ReadRegion(t.Context(), dst, []int{2, 0}); err != nil {
			t.Errorf("%s: a chunk that is not there: %v", name, err)
		}
	}
}

// The fill value never replaces a chunk that cannot be read.
func TestUnreadableChunks(t *testing.T) {
	sharded := v3(t, map[string]any{
		"shape": []int{4, 1 << 20}, "chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{2, 1 << 20}}},
		"codecs": []any{map[string]any{"name": "sharding_indexed", "configuration": map[string]any{"chunk_shape": []int{1, 1 << 20}, "codecs": []any{"bytes"}}}},
	})
	for name, test := range map[string]struct {
		document, chunk string
		fault           string
		want            error
	}{
		"forbidden":            {v3(t, nil), half, "read a/c/0/0", fs.ErrPermission},
		"a body cut short":     {v3(t, nil), half, "read a/c/0/0", io.ErrUnexpectedEOF},
		"truncated":            {v3(t, nil), half[:5], "", codecs.ErrCorrupt},
		"too long":             {v3(t, nil), half + "x", "", store.ErrTooLarge},
		"no index":             {sharded, "x", "", codecs.ErrCorrupt},
		"damaged index":        {sharded, strings.Repeat("x", 100), "", codecs.ErrCorrupt},
		"forbidden shard":      {sharded, strings.Repeat("x", 100), "stat a/c/0/0", fs.ErrPermission},
		"index cannot be read": {sharded, strings.Repeat("x", 100), "read a/c/0/0", io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, map[string]string{"a/zarr.json": test.document, "a/c/0/0": test.chunk})
			src := open(t, url, p.options())
			a, err := src.Array(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			if test.fault != "" {
				p.mu.Lock()
				p.faults[test.fault] = test.want
				p.mu.Unlock()
			}
			dst := ndarray.New(dtype.Uint8, []int{1, 4})
			err = a.ReadRegion(t.Context(), dst, []int{1, 0})
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if err != nil && (!strings.Contains(err.Error(), `"a"`) || !strings.Contains(err.Error(), "a/c/0/0")) {
				t.Errorf("%v: names neither array nor chunk", err)
			}
			// The other chunk is missing, which is no error.
			if err := a.ReadRegion(t.Context(), dst, []int{2, 0}); err != nil || dst.Data[0] != 7 {
				t.Errorf("a chunk that is not there gives %d (%v)", dst.Data[0], err)
			}
		})
	}
}
