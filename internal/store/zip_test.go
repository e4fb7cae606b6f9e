//go:build !nos3 && !nogcs && !noazure

package store

import (
	stdzip "archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/zip"
)

// zipFile is a member for archive.
type zipFile struct {
	name, text string
	method     uint16
}

// archive returns a zip archive.
func archive(t testing.TB, files ...zipFile) []byte {
	t.Helper()
	var b bytes.Buffer
	w := stdzip.NewWriter(&b)
	for _, f := range files {
		m, err := w.CreateHeader(&stdzip.FileHeader{Name: f.name, Method: f.method})
		if err == nil && f.text != "" {
			_, err = io.WriteString(m, f.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// noise returns a text that hardly compresses.
func noise(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, n)
	for i := range text {
		text[i] = byte(r.Uint32())
	}
	return string(text)
}

func TestZip(t *testing.T) {
	long, even := noise(1<<20), strings.Repeat("abc", 1<<20)
	data := archive(t,
		zipFile{"g/", "", 0}, zipFile{"g/stored", long, stdzip.Store}, zipFile{"g/deflated", long, stdzip.Deflate}, zipFile{"g/even", even, stdzip.Deflate},
		zipFile{"empty", "", stdzip.Store}, zipFile{"twice", "first", stdzip.Store}, zipFile{"../out", "x", 0}, zipFile{"/abs", "x", 0}, zipFile{"a//b", "x", 0},
		zipFile{"twice", "second", stdzip.Deflate})
	want := map[string]string{"g/stored": long, "g/deflated": long, "g/even": even, "empty": "", "twice": "second"}
	for name, at := range map[string]func() (folder string){
		"local": t.TempDir,
		"mem":   func() string { return "mem://x/prefix" },
		"s3":    func() string { return s3Server(t) },
	} {
		t.Run(name, func(t *testing.T) {
			opt := Options{Memory: new(Memory)}
			folder := at()
			put(t, open(t, folder, opt), map[string]string{"a.zarr.zip": string(data), "commented.zip": "#!/bin/sh\n" + commented(data, "PK\x05\x06 in a comment")})
			join := func(key string) string { // appends to the folder's URL, which may have a query
				base, query, found := strings.Cut(folder, "?")
				if found {
					query = "?" + query
				}
				return base + "/" + key + query
			}
			for _, file := range []string{"a.zarr.zip", "commented.zip"} {
				s := open(t, join(file), opt)
				if diff := cmp.Diff([]string{"empty", "g/deflated", "g/even", "g/stored", "twice"}, keys(t, s, "")); diff != "" {
					t.Errorf("keys (-want +got):\n%s", diff)
				}
				for key, text := range want {
					if got := get(t, s, key); got != text {
						t.Errorf("%s: %d bytes, want %d", key, len(got), len(text))
					}
					info, err := s.Stat(t.Context(), key)
					if err != nil || info.Size != int64(len(text)) || info.ModTime.IsZero() || info.ETag == "" {
						t.Errorf("%s: %+v, %v", key, info, err)
					}
					if part := make([]byte, len(text)/3); s.ReadRange(t.Context(), key, part, int64(len(text)-len(part))) != nil || !strings.HasSuffix(text, string(part)) {
						t.Errorf("%s: another end", key)
					}
				}
			}
			s := open(t, join("a.zarr.zip/g"), opt)
			if diff := cmp.Diff([]string{"stored"}, keys(t, s, "st")); diff != "" || get(t, s, "stored") != long {
				t.Errorf("a folder in the archive: keys (-want +got):\n%s", diff)
			}
			checkOnlyRead(t, s)
		})
	}
}

// commented gives an archive a comment.
func commented(data []byte, text string) string {
	with := bytes.Clone(data)
	binary.LittleEndian.PutUint16(with[len(with)-2:], uint16(len(text)))
	return string(with) + text
}

// checkOnlyRead checks that a read-only place, which has the object "stored", refuses all
// changes.
func checkOnlyRead(t *testing.T, s *Store) {
	t.Helper()
	for name, err := range map[string]error{
		"put":    s.Put(t.Context(), "new", []byte("x")),
		"create": s.Create(t.Context(), "new", []byte("x")),
		"delete": s.Delete(t.Context(), "stored"),
	} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w, err := s.NewWriter(t.Context(), "new")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = w.Write(make([]byte, 10<<20)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("writer: %v", err)
	}
	if _, err := s.ReadAll(t.Context(), "none", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	if _, err := s.Stat(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	if _, err := s.ReadAll(t.Context(), "stored", 2); !errors.Is(err, ErrTooLarge) {
		t.Errorf("above the limit: %v", err)
	}
	if err := s.ReadRange(t.Context(), "stored", make([]byte, 2), 1<<30); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "the object has") {
		t.Errorf("behind the end: %v", err)
	}
}

// TestZipFolders lists folders of an archive that has no entries for its folders.
func TestZipFolders(t *testing.T) {
	folder := t.TempDir()
	put(t, open(t, folder, Options{}), map[string]string{"a.zip": string(archive(t,
		zipFile{"g/a/x", "", 0}, zipFile{"g/a/y", "", 0}, zipFile{"g/b", "", 0}, zipFile{"h/c/d/e", "", 0}, zipFile{"ga/x", "", 0}, zipFile{"g-a/x", "", 0}))})
	s := open(t, folder+"/a.zip", Options{})
	for folder, want := range map[string][]string{"": {"g", "g-a", "ga", "h"}, "g": {"a"}, "g/a": nil, "h": {"c"}, "h/c": {"d"}, "none": nil} {
		got, err := s.Folders(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("folders in %q (-want +got):\n%s", folder, diff)
		}
	}
}

// An archive may have more members than 16 bits can count.
func TestZip64(t *testing.T) {
	files := make([]zipFile, 1<<16+10)
	for i := range files {
		files[i] = zipFile{fmt.Sprintf("c/%06d", i), "x", stdzip.Store}
	}
	at := filepath.Join(t.TempDir(), "many.zip")
	if err := os.WriteFile(at, archive(t, files...), 0o666); err != nil {
		t.Fatal(err)
	}
	s := open(t, at, Options{})
	if n := len(keys(t, s, "")); n != len(files) || get(t, s, "c/065540") != "x" {
		t.Errorf("%d members, want %d", n, len(files))
	}
}

// The end of a remote archive is read once. Then the bytes of each object are read.
func TestZipRequests(t *testing.T) {
	var requests atomic.Int64
	folder := s3ServerBehind(t, func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			server.ServeHTTP(w, r)
		})
	})
	long := noise(1 << 20)
	put(t, open(t, folder, Options{}), map[string]string{"a.zip": string(archive(t, zipFile{"a", long, stdzip.Store}, zipFile{"b", "x", stdzip.Deflate}))})
	taken := func() int64 { return requests.Swap(0) }
	taken()
	s := open(t, strings.Replace(folder, "?", "/a.zip?", 1), Options{})
	if n := taken(); n != 2 {
		t.Errorf("%d requests to open it, want 2", n)
	}
	if get(t, s, "a") != long || get(t, s, "b") != "x" || len(keys(t, s, "")) != 2 {
		t.Error("other members")
	}
	if n := taken(); n != 2 {
		t.Errorf("%d requests for two objects", n)
	}
}

// An archive that has been replaced has other members, which must not be read as the old
// ones.
func TestZipReplaced(t *testing.T) {
	opt := Options{Memory: new(Memory)}
	folder := open(t, "mem://x", opt)
	put(t, folder, map[string]string{"a.zip": string(archive(t, zipFile{"a", "one", 0}))})
	s := open(t, "mem://x/a.zip", opt)
	before, err := s.Stat(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	put(t, folder, map[string]string{"a.zip": string(archive(t, zipFile{"a", "two", 0}))})
	after, err := s.Stat(t.Context(), "a")
	if err != nil || after == before {
		t.Errorf("%+v as before, %v", after, err)
	}
	if _, err := s.ReadAll(t.Context(), "a", 10); !errors.Is(err, zip.ErrDamaged) {
		t.Errorf("another checksum: %v", err)
	}
}

func TestZipRefused(t *testing.T) {
	stored := archive(t, zipFile{"a", "hello hello hello", stdzip.Store})
	deflated := archive(t, zipFile{"a", strings.Repeat("hello", 100), stdzip.Deflate})
	central := func(data []byte) int { return bytes.Index(data, []byte("PK\x01\x02")) }
	with := func(data []byte, at int, value ...byte) []byte {
		data = bytes.Clone(data)
		copy(data[at:], value)
		return data
	}
	for name, test := range map[string]struct {
		data []byte
		want error
		word string
	}{
		"nothing":               {nil, zip.ErrDamaged, "central directory"},
		"text":                  {[]byte(strings.Repeat("x", 1<<17)), zip.ErrDamaged, "central directory"},
		"truncated":             {stored[:len(stored)-1], zip.ErrDamaged, "central directory"},
		"front cut off":         {stored[10:], zip.ErrDamaged, ""},
		"more records":          {with(stored, len(stored)-12, 2), zip.ErrDamaged, "records"},
		"long directory":        {with(stored, len(stored)-10, 0, 0, 0, 1), zip.ErrDamaged, ""},
		"huge directory":        {with(stored, len(stored)-10, 0, 0, 0, 0x7f), ErrTooLarge, "central directory"},
		"no record":             {with(stored, central(stored), 'X'), zip.ErrDamaged, "record 0"},
		"long name":             {with(stored, central(stored)+28, 255, 255), zip.ErrDamaged, "record 0"},
		"another checksum":      {with(stored, central(stored)+16, 1, 2, 3, 4), zip.ErrDamaged, "CRC-32"},
		"sizes differ":          {with(stored, central(stored)+24, 3), zip.ErrDamaged, "cannot stand for"},
		"longer than the file":  {with(stored, central(stored)+20, 0, 0, 0, 1, 0, 0, 0, 1), zip.ErrDamaged, "more than"},
		"header elsewhere":      {with(stored, central(stored)+42, 1), zip.ErrDamaged, "no member at 1"},
		"header behind the end": {with(stored, central(stored)+42, 0, 0, 0, 1), zip.ErrDamaged, "behind the end"},
		"encrypted":             {with(stored, central(stored)+8, 1), errors.ErrUnsupported, "encrypted"},
		"another method":        {with(stored, central(stored)+10, 14), errors.ErrUnsupported, "method 14"},
		"a bomb":                {with(deflated, central(deflated)+24, 0, 0, 0, 1), zip.ErrDamaged, "cannot stand for"},
		"more than it says":     {with(deflated, central(deflated)+24, 5, 0), zip.ErrDamaged, "more than 5"},
		"less than it says":     {with(deflated, central(deflated)+24, 0, 4), zip.ErrDamaged, "deflated"},
		"damaged":               {with(deflated, 30+1, 0xff, 0xff), zip.ErrDamaged, ""},
	} {
		t.Run(name, func(t *testing.T) {
			opt := Options{Memory: new(Memory)}
			put(t, open(t, "mem://x", opt), map[string]string{"a.zip": string(test.data)})
			s, err := Open(t.Context(), "mem://x/a.zip", opt)
			if err == nil {
				_, err = s.ReadAll(t.Context(), "a", 1<<30)
				if closed := s.Close(); closed != nil {
					t.Error(closed)
				}
			}
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.word) || !strings.Contains(err.Error(), "a.zip") {
				t.Errorf("got %v, want %v with %q", err, test.want, test.word)
			}
		})
	}
}

// A folder may have a name that looks like that of an archive.
func TestZipNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.zip", "b.zip/c", "zip", "x.zipper"} {
		s := open(t, filepath.Join(dir, filepath.FromSlash(name)), Options{})
		put(t, s, map[string]string{"key": name})
		if got := get(t, s, "key"); got != name {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func FuzzZip(f *testing.F) {
	f.Add(archive(f, zipFile{"a", "hello", stdzip.Store}, zipFile{"b", strings.Repeat("hello", 10), stdzip.Deflate}))
	f.Add([]byte(commented(archive(f, zipFile{"a", "", stdzip.Store}), "comment")))
	f.Fuzz(func(t *testing.T, data []byte) {
		opt := Options{Memory: new(Memory), Retries: -1}
		put(t, open(t, "mem://x", opt), map[string]string{"a.zip": string(data)})
		s, err := Open(t.Context(), "mem://x/a.zip", opt)
		if err != nil {
			return
		}
		defer s.Close() //nolint:errcheck // shared memory
		for _, key := range keys(t, s, "") {
			whole, err := s.ReadAll(t.Context(), key, 1<<20)
			if err != nil || len(whole) < 2 {
				continue
			}
			half := make([]byte, len(whole)/2)
			if err := s.ReadRange(t.Context(), key, half, int64(len(whole)-len(half))); err != nil || !bytes.HasSuffix(whole, half) {
				t.Errorf("%q: another second half: %v", key, err)
			}
		}
	})
}

// TestCheck compares the checksum of a member that will be read in parts. Other objects
// have nothing to compare.
func TestCheck(t *testing.T) {
	data := archive(t, zipFile{"good", "some text", stdzip.Store}, zipFile{"bad", "other text", stdzip.Store})
	data[bytes.Index(data, []byte("other text"))] ^= 1
	at := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(at, data, 0o666); err != nil {
		t.Fatal(err)
	}
	s := open(t, at, Options{})
	if err := s.Check(t.Context(), "good"); err != nil {
		t.Error(err)
	}
	if err := s.Check(t.Context(), "bad"); !errors.Is(err, zip.ErrDamaged) {
		t.Errorf("a damaged member: %v", err)
	}
	plain := open(t, "mem://name", Options{})
	put(t, plain, map[string]string{"k": "x"})
	if err := plain.Check(t.Context(), "k"); err != nil {
		t.Errorf("no member of an archive: %v", err)
	}
}
