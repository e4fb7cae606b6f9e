package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"testing"
	"time"
)

// Archives depend neither on the order of files nor on the user or the clock, and other programs
// find names, modes and times in them.
func TestArchives(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	files := []file{{name: "z/b", text: []byte("text"), mode: 0o755}, {name: "z/a", text: []byte("other")}, {name: "z/"}}
	turned := []file{files[2], files[1], files[0]}
	var texts [2][2][]byte
	for i, list := range [][]file{files, turned} {
		var err error
		if texts[i][0], err = tarred(list, at); err != nil {
			t.Fatal(err)
		}
		if texts[i][1], err = zipped(list, at); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0][0], texts[1][0]) || !bytes.Equal(texts[0][1], texts[1][1]) {
		t.Error("the order of files changes an archive")
	}
	r := tar.NewReader(bytes.NewReader(texts[0][0]))
	for _, want := range []struct {
		name string
		mode int64
		text string
	}{{"z/", 0o755, ""}, {"z/a", 0o644, "other"}, {"z/b", 0o755, "text"}} {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || h.Name != want.name || h.Mode != want.mode || string(text) != want.text || !h.ModTime.Equal(at) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%+v %q %v, want %+v", h, text, err, want)
		}
	}
	z, err := zip.NewReader(bytes.NewReader(texts[0][1]), int64(len(texts[0][1])))
	if err != nil {
		t.Fatal(err)
	}
	if f := z.File[2]; f.Name != "z/b" || f.Mode().Perm() != 0o755 || !f.Modified.Equal(at) {
		t.Errorf("%+v", f.FileHeader)
	}
}

func TestGzipped(t *testing.T) {
	packed, err := gzipped([]byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(r); err != nil || string(text) != "text" || !r.ModTime.IsZero() || r.Name != "" {
		t.Errorf("%q %v %+v", text, err, r.Header)
	}
}

func TestWithFolders(t *testing.T) {
	got := ""
	for _, f := range sorted(withFolders([]file{{name: "a/b/c"}, {name: "a/d"}, {name: "e"}, {name: "f/"}})) {
		got += f.name + " "
	}
	if want := "a/ a/b/ a/b/c a/d e f/ "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The image trusts certificates of authorities, each once.
func TestAuthorities(t *testing.T) {
	pem := authorities()
	if n := bytes.Count(pem, []byte("-----BEGIN CERTIFICATE-----\n")); n < 100 {
		t.Errorf("%d certificates", n)
	}
}
