//go:build !nos3 && !nogcs && !noazure

package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestInside(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll(filepath.Join(dir, "real", "deep"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		url, folder string
		want        bool
	}{
		{dir + "/real/deep/a", "real", true},
		{dir + "/real/not/there", "./real/", true},
		{dir + "/real", "real", true},
		{dir + "/reality", "real", false},
		{"real/a", "link", true},
		{"link/deep/a", "real/deep", true},
		{"link/a", "real/deep", false},
		{dir + "/real/a", "file://" + dir + "/link", true},
		{dir + "/a", "/", true},
		{"mem://b/x/a", "mem://b/x", true},
		{"mem://b/x/a", "mem://c/x", false},
		{"s3://b/x/a", "s3://b/x/", true},
		{"s3://b/x/a", "s3://b", true},
		{"s3://b/xa", "s3://b/x", false},
		{"s3://b/x/a?endpoint=http://one", "s3://b/x?endpoint=http://other", false},
		{"s3://b/x/a?endpoint=http://one&region=r", "s3://b/x?endpoint=http://one", true},
		{"gs://b/x", "s3://b/x", false},
		{"/b/x", "s3://b", false},
		{"s3://b/x?nonsense=1", "s3://b", false},
		{"real/a", "s3://b?nonsense=1", false},
		{"s3:x", ".", false},
	} {
		if got := Inside(test.url, test.folder); got != test.want {
			t.Errorf("%s inside %s: %t", test.url, test.folder, got)
		}
	}
}

func TestResolved(t *testing.T) {
	dir := Resolved(t.TempDir())
	t.Chdir(dir)
	if err := os.Symlink(dir, "link"); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"a": dir + "/a", "./a": dir + "/a", "link/a": dir + "/a", "file://" + dir + "/a": dir + "/a",
		"s3://b/a?region=r": "s3://b/a?region=r", "s3://b?no": "s3://b?no",
	} {
		if got := Resolved(url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

// TestIsPath: only a local place has a path.
func TestIsPath(t *testing.T) {
	dir := Resolved(t.TempDir())
	t.Chdir(dir)
	var p Places
	for _, test := range []struct {
		url, path string
		want      bool
	}{
		{"a", dir + "/a", true}, {"a", dir + "/b", false}, {"a", "a", false}, {"s3://b/x", "x", false}, {"s3://b?no", "", false},
	} {
		if got := p.Place(test.url).IsPath(test.path); got != test.want {
			t.Errorf("%s is %s: %t", test.url, test.path, got)
		}
	}
}

// TestPlacesRemember: a Places remembers folders, no objects, and not too many.
func TestPlacesRemember(t *testing.T) {
	dir := Resolved(t.TempDir())
	t.Chdir(dir)
	var p Places
	for _, target := range []string{"one", "two"} {
		if err := errors.Join(os.Mkdir(target, 0o700), os.Symlink(target, target+"-link")); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.Resolved("one-link/x"); got != dir+"/one/x" {
		t.Errorf("got %s", got)
	}
	if err := errors.Join(os.Remove("one-link"), os.Symlink("two", "one-link")); err != nil {
		t.Fatal(err)
	}
	if got := p.Resolved("one-link/y"); got != dir+"/one/y" {
		t.Errorf("the folder was resolved once more: %s", got)
	}
	if _, ok := p.folders[dir+"/one-link/x"]; ok {
		t.Error("an object is remembered")
	}
	least := len(p.folders)
	for i := range mostFolders - least {
		p.Resolved(fmt.Sprintf("none%d/x", i))
	}
	if got := len(p.folders); got != mostFolders {
		t.Errorf("%d folders are remembered, want %d", got, mostFolders)
	}
	p.Resolved("none/x")
	if got := len(p.folders); got != 1 {
		t.Errorf("%d folders are remembered, want one", got)
	}
}
