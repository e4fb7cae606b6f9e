//go:build !nos3 && !nogcs && !noazure

package store

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGlobFolders(t *testing.T) {
	dir := t.TempDir()
	opt := Options{Memory: &Memory{}}
	s, err := Open(t.Context(), "mem://bucket", opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"data/a10.zarr/zarr.json", "data/a9.zarr/x/c/0", "data/a9.txt", "other/a1.zarr/zarr.json"} {
		file := filepath.Join(dir, filepath.FromSlash(key))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("x"), 0o600), s.Put(t.Context(), key, []byte("x"))); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Sync(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string][]string{
		"/data/*.zarr":  {"/data/a9.zarr", "/data/a10.zarr"},
		"/*/a1*.zarr":   {"/data/a10.zarr", "/other/a1.zarr"},
		"/data/a9.zarr": {"/data/a9.zarr"},
		"/none/*":       nil,
		"/data/*.txt":   nil,
	} {
		for _, root := range []string{dir, "mem://bucket"} {
			var full []string
			for _, folder := range want {
				full = append(full, root+folder)
			}
			got, err := GlobFolders(t.Context(), root+pattern, opt)
			if want == nil && !errors.Is(err, fs.ErrNotExist) || want != nil && err != nil {
				t.Errorf("%s: got %v", pattern, err)
			}
			if diff := cmp.Diff(full, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", pattern, diff)
			}
		}
	}
	if got, err := GlobFolders(t.Context(), "mem://bucket/x[", opt); !errors.Is(err, path.ErrBadPattern) {
		t.Errorf("a bad pattern: %q, %v", got, err)
	}
	t.Chdir(filepath.Join(dir, "data"))
	for _, relative := range []string{"a*", "./a*"} {
		got, err := GlobFolders(t.Context(), relative, opt)
		if diff := cmp.Diff([]string{"a9.zarr", "a10.zarr"}, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", relative, err, diff)
		}
	}
	first, _, _ := strings.Cut(filepath.ToSlash(dir)[1:], "/")
	if got, err := GlobFolders(t.Context(), "/"+first[:1]+"*", opt); err != nil || !slices.Contains(got, "/"+first) {
		t.Errorf("below the root: %q, %v", got, err)
	}
}
