package zarr_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// storedPlaces are a folder and a store in memory that hold the same Zarr v2 array,
// "a", of four chunks.
type storedPlaces struct {
	dir    string
	memory *store.Memory
	store  *store.Store
}

// newStoredPlaces writes the first two chunks of the array. The second one is damaged.
func newStoredPlaces(t *testing.T, first []byte) storedPlaces {
	t.Helper()
	const document = `{"zarr_format": 2, "shape": [8], "chunks": [2], "dtype": ">i2", "fill_value": 0, "order": "C", "filters": null, "compressor": {"id": "zlib", "level": 1}}`
	p := storedPlaces{dir: t.TempDir(), memory: &store.Memory{}}
	var err error
	if p.store, err = store.Open(t.Context(), p.urls()[1], store.Options{Memory: p.memory}); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(p.dir, "a"), 0o777); err != nil {
		t.Fatal(err)
	}
	for key, data := range map[string][]byte{"a/.zarray": []byte(document), "a/0": first, "a/1": {}} {
		p.put(t, key, data)
	}
	return p
}

func (p storedPlaces) urls() []string { return []string{p.dir, "mem://b/in.zarr"} }

func (p storedPlaces) put(t *testing.T, key string, data []byte) {
	t.Helper()
	err := os.WriteFile(filepath.Join(p.dir, filepath.FromSlash(key)), data, 0o666)
	if err := errors.Join(err, p.store.Put(t.Context(), key, data)); err != nil {
		t.Fatal(err)
	}
}

func (p storedPlaces) open(t *testing.T, url string, opt zarr.Options) sources.Stored {
	t.Helper()
	opt.Store.Memory = p.memory
	a, err := open(t, url, opt).Array(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return sources.AsStored(a)
}

// Objects are returned as they are stored. A missing object differs from one that
// cannot be read. The error about a damaged object names its key.
func TestStored(t *testing.T) {
	var first bytes.Buffer
	w := zlib.NewWriter(&first)
	_, err := w.Write([]byte("asis"))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	places := newStoredPlaces(t, first.Bytes())
	for _, url := range places.urls() {
		s := places.open(t, url, zarr.Options{})
		in, err := s.OpenStored(t.Context(), []int{0})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, in.Size())
		if err := in.ReadAt(t.Context(), got, 0); err != nil || !bytes.Equal(got, first.Bytes()) {
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
	}
}

// An object that exists when a source is opened may be missing or changed later.
func TestStoredThatIsGone(t *testing.T) {
	places := newStoredPlaces(t, nil)
	for _, url := range places.urls() {
		places.put(t, "a/2", nil)
		places.put(t, "a/3", nil)
		s := places.open(t, url, zarr.Options{AllChunks: true})
		if err := errors.Join(places.store.Delete(t.Context(), "a/2"), os.Remove(filepath.Join(places.dir, "a", "2"))); err != nil {
			t.Fatal(err)
		}
		if in, err := s.OpenStored(t.Context(), []int{2}); !errors.Is(err, zarr.ErrMissingChunk) || in != nil {
			t.Errorf("%s: an object that has to be there: %v, %v", url, in, err)
		}
	}
	folder := filepath.Join(places.dir, "a", "3")
	if err := errors.Join(os.Remove(folder), os.Mkdir(folder, 0o777)); err != nil {
		t.Fatal(err)
	}
	if in, err := places.open(t, places.dir, zarr.Options{}).OpenStored(t.Context(), []int{3}); err == nil {
		t.Errorf("a folder in the place of an object is %v", in)
	}
}

// TestRequestsOfStored: an object of a server that is not large is read when it is
// opened, and any other is asked for alone.
func TestRequestsOfStored(t *testing.T) {
	const small, large = 4, 9 << 20
	p := &place{t: t, faults: map[string]error{}}
	objects := map[string]string{}
	for name, n := range map[string]int{"small": small, "large": large} {
		objects[name+"/zarr.json"] = v3(t, map[string]any{
			"shape": []int{n}, "chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{n}}},
		})
		objects[name+"/c/0"] = strings.Repeat("x", n)
	}
	p.put(objects)
	dir := t.TempDir()
	for key, text := range objects {
		file := filepath.Join(dir, filepath.FromSlash(key))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for place, want := range map[string]map[string]string{url: {"small": "read", "large": "stat"}, dir: {"small": "stat", "large": "stat"}} {
		for name, request := range want {
			a, err := open(t, place, p.options()).Array(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			p.taken()
			in, err := sources.AsStored(a).OpenStored(t.Context(), []int{0})
			if err != nil || in.Size() != int64(len(objects[name+"/c/0"])) {
				t.Fatal(in, err)
			}
			if diff := cmp.Diff([]string{request + " " + name + "/c/0"}, p.taken()); diff != "" {
				t.Errorf("%s in %s: requests (-want +got):\n%s", name, place, diff)
			}
		}
	}
}
