package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/s3test"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// versioned is a hierarchy in a bucket of S3 that changes while it is read.
type versioned struct {
	url   string
	store *store.Store
}

// newVersioned writes an array of 20 chunks, one of which is missing.
func newVersioned(t *testing.T) versioned {
	t.Helper()
	server := httptest.NewServer(s3test.New(t))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull} {
		t.Setenv(name, value)
	}
	v := versioned{url: "s3://bucket/in.zarr?use_path_style=true&region=eu-west-1&endpoint=" + neturl.QueryEscape(server.URL)}
	st, err := store.Open(t.Context(), v.url, store.Options{Limits: limits.New(0)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	v.store = st
	const document = `{"zarr_format":3,"node_type":"array","shape":[%d],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[%d]}},` +
		`"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":["bytes"]}`
	v.put(t, "zarr.json", `{"zarr_format":3,"node_type":"group"}`)
	v.put(t, "a/zarr.json", fmt.Sprintf(document, 20, 1))
	for i := range 20 {
		if i != 9 { // chunk 9 is missing; like chunk 4, it is not part of the identity
			v.put(t, fmt.Sprintf("a/c/%d", i), "x")
		}
	}
	// One chunk is larger than a single read of it.
	v.put(t, "large/zarr.json", fmt.Sprintf(document, 1<<20, 1<<20))
	v.put(t, "large/c/0", string(make([]byte, 1<<20)))
	return v
}

func (v versioned) put(t *testing.T, key, data string) {
	t.Helper()
	if err := v.store.Put(t.Context(), key, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

func (v versioned) open(t *testing.T, opt zarr.Options, path string) (sources.Source, sources.Array) {
	t.Helper()
	src := open(t, v.url, opt)
	a, err := src.Array(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return src, a
}

// readAt reads n elements of an array, from element at on.
func readAt(ctx context.Context, a sources.Array, at, n int) error {
	return a.ReadRegion(ctx, ndarray.New(a.Info().Type, []int{n}), []int{at})
}

// TestVersions replaces, removes and adds chunks while they are read.
func TestVersions(t *testing.T) {
	v := newVersioned(t)
	t.Run("read again", func(t *testing.T) {
		_, a := v.open(t, zarr.Options{}, "a")
		if err := errors.Join(readAt(t.Context(), a, 0, 20), readAt(t.Context(), a, 3, 1)); err != nil {
			t.Fatal(err)
		}
		v.put(t, "a/c/3", "y")
		if err := readAt(t.Context(), a, 3, 1); !errors.Is(err, sources.ErrChanged) {
			t.Errorf("of another chunk: %v", err)
		}
		if _, err := sources.AsStored(a).OpenStored(t.Context(), []int{3}); !errors.Is(err, sources.ErrChanged) {
			t.Errorf("of another object: %v", err)
		}
	})
	t.Run("read once", func(t *testing.T) {
		for what, change := range map[string]func(t *testing.T){
			"nothing":  func(*testing.T) {},
			"replaced": func(t *testing.T) { v.put(t, "a/c/4", "z") },
			"removed": func(t *testing.T) {
				if err := v.store.Delete(t.Context(), "a/c/4"); err != nil {
					t.Fatal(err)
				}
			},
			"added":   func(t *testing.T) { v.put(t, "a/c/9", "x") },
			"unread":  func(t *testing.T) { v.put(t, "a/c/14", "z") },
			"behind":  func(t *testing.T) { v.put(t, "a/c/20", "z") },
			"another": func(t *testing.T) { v.put(t, "large/c/0", string(make([]byte, 1<<20))) },
		} {
			if err := v.store.Delete(t.Context(), "a/c/9"); err != nil {
				t.Fatal(err)
			}
			v.put(t, "a/c/4", "x")
			src, a := v.open(t, zarr.Options{}, "a")
			if err := errors.Join(readAt(t.Context(), a, 0, 14), readAt(t.Context(), a, 15, 5)); err != nil {
				t.Fatal(err)
			}
			change(t)
			want := what == "replaced" || what == "removed" || what == "added"
			if err := src.Changed(t.Context()); errors.Is(err, sources.ErrChanged) != want || err != nil && !errors.Is(err, sources.ErrChanged) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
	t.Run("not there when it was opened", func(t *testing.T) {
		if err := v.store.Delete(t.Context(), "a/c/9"); err != nil {
			t.Fatal(err)
		}
		_, a := v.open(t, zarr.Options{}, "a")
		if in, err := sources.AsStored(a).OpenStored(t.Context(), []int{9}); in != nil || err != nil {
			t.Fatal(in, err)
		}
		v.put(t, "a/c/9", "x")
		if err := readAt(t.Context(), a, 9, 1); !errors.Is(err, sources.ErrChanged) {
			t.Errorf("of a chunk that is new: %v", err)
		}
	})
	t.Run("listed", func(t *testing.T) {
		v.put(t, "a/c/4", "x")
		v.put(t, "a/c/9", "x")
		_, a := v.open(t, zarr.Options{AllChunks: true}, "a")
		v.put(t, "a/c/5", "y")
		if err := readAt(t.Context(), a, 4, 2); !errors.Is(err, sources.ErrChanged) {
			t.Errorf("since it was listed: %v", err)
		}
		_, large := v.open(t, zarr.Options{AllChunks: true}, "large")
		v.put(t, "large/c/0", strings.Repeat("x", 1<<20))
		if err := readAt(t.Context(), large, 4, 2); !errors.Is(err, sources.ErrChanged) {
			t.Errorf("in part, since it was listed: %v", err)
		}
	})
	t.Run("within an object", func(t *testing.T) {
		_, a := v.open(t, zarr.Options{}, "large")
		if err := readAt(t.Context(), a, 0, 10); err != nil {
			t.Fatal(err)
		}
		data := make([]byte, 1<<20)
		data[0] = 1
		v.put(t, "large/c/0", string(data))
		if err := readAt(t.Context(), a, 10, 10); !errors.Is(err, sources.ErrChanged) {
			t.Errorf("in part: %v", err)
		}
	})
}
