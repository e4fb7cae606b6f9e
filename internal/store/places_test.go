//go:build !nos3 && !nogcs && !noazure

package store

import (
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
