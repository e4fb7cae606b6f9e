package zarr_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// Objects are given as they are stored; that there is none is told apart from
// that it cannot be read, and what is wrong with one is told with its key.
func TestStored(t *testing.T) {
	const document = `{"zarr_format": 2, "shape": [8], "chunks": [2], "dtype": ">i2", "fill_value": 0, "order": "C", "filters": null, "compressor": {"id": "zlib", "level": 1}}`
	var stored bytes.Buffer
	w := zlib.NewWriter(&stored)
	_, err := w.Write([]byte("asis"))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	objects := map[string][]byte{"a/.zarray": []byte(document), "a/0": stored.Bytes(), "a/1": {}}
	memory := &store.Memory{}
	st, err := store.Open(t.Context(), "mem://b/in.zarr", store.Options{Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for key, data := range objects {
		file := filepath.Join(dir, filepath.FromSlash(key))
		if err := errors.Join(st.Put(t.Context(), key, data), os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "3"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{dir, "mem://b/in.zarr"} {
		opened := func(opt zarr.Options) sources.Stored {
			t.Helper()
			opt.Store.Memory = memory
			a, err := open(t, url, opt).Array(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			return sources.AsStored(a)
		}
		s := opened(zarr.Options{})
		in, err := s.OpenStored(t.Context(), []int{0})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, in.Size())
		if err := in.ReadAt(t.Context(), got, 0); err != nil || !bytes.Equal(got, objects["a/0"]) {
			t.Errorf("%s: %q, %v", url, got, err)
		}
		if err := s.VerifyStored(t.Context(), []int{0}, in); err != nil {
			t.Errorf("%s: %v", url, err)
		}
		from, object := s.(sources.Placed).PlaceStored([]int{0}, in)
		if there, err := from.ReadAll(t.Context(), object.Key, object.Size); err != nil || !bytes.Equal(there, got) {
			t.Errorf("%s: %+v holds %q, %v", url, object, there, err)
		}
		in, err = s.OpenStored(t.Context(), []int{1})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.VerifyStored(t.Context(), []int{1}, in); !errors.Is(err, codecs.ErrCorrupt) || !strings.Contains(err.Error(), "a/1: ") {
			t.Errorf("%s: the error about an empty object is %v", url, err)
		}
		if in, err := s.OpenStored(t.Context(), []int{2}); in != nil || err != nil {
			t.Errorf("%s: an object that is not there: %v, %v", url, in, err)
		}
		if err := errors.Join(st.Put(t.Context(), "a/2", nil), st.Put(t.Context(), "a/3", nil), os.WriteFile(filepath.Join(dir, "a", "2"), nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		all := opened(zarr.Options{AllChunks: true})
		if err := errors.Join(st.Delete(t.Context(), "a/2"), os.Remove(filepath.Join(dir, "a", "2"))); err != nil {
			t.Fatal(err)
		}
		if in, err := all.OpenStored(t.Context(), []int{2}); !errors.Is(err, zarr.ErrMissingChunk) || in != nil {
			t.Errorf("%s: an object that has to be there: %v, %v", url, in, err)
		}
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, "a", "3")), os.Mkdir(filepath.Join(dir, "a", "3"), 0o777)); err != nil {
		t.Fatal(err)
	}
	a, err := open(t, dir, zarr.Options{}).Array(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if in, err := sources.AsStored(a).OpenStored(t.Context(), []int{3}); err == nil {
		t.Errorf("a folder in the place of an object is %v", in)
	}
}
