//go:build !nos3 && !nogcs && !noazure

package store

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestArchivesAreClosed: a function that opens an archive for itself closes it, also an
// archive that is damaged.
func TestArchivesAreClosed(t *testing.T) {
	var text bytes.Buffer
	w := zip.NewWriter(&text)
	for _, name := range []string{"a/x", "b/x"} {
		if _, err := w.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(Resolved(t.TempDir()), "x.zip")
	opened := func(what string) {
		t.Helper()
		descriptors, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(descriptors, func(e os.DirEntry) bool {
			to, err := os.Readlink("/proc/self/fd/" + e.Name())
			return err == nil && to == name
		}) {
			t.Errorf("%s: the archive is still open", what)
		}
	}
	if err := os.WriteFile(name, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if urls, err := GlobFolders(t.Context(), name+"/*", Options{}); err != nil || len(urls) != 2 {
		t.Errorf("folders: %q, %v", urls, err)
	}
	opened("a pattern of folders")
	if urls, err := Below(t.Context(), name, Options{}); err != nil || len(urls) != 2 {
		t.Errorf("objects: %q, %v", urls, err)
	}
	opened("all objects")
	if err := os.WriteFile(name, text.Bytes()[:text.Len()-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(t.Context(), name, Options{}); err == nil {
		t.Errorf("opened %s, which is damaged", s.URL())
	}
	opened("a damaged archive")
}
