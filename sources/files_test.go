package sources

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
)

// written writes files into a folder of their own and returns it.
func written(t *testing.T, contents map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range contents {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// openFiles opens files and closes them at the end of the test.
func openFiles(t *testing.T, urls []string, opt store.Options) *FileSet {
	t.Helper()
	s, err := OpenFiles(t.Context(), urls, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestFileSet opens files of two folders, one of them twice, and one that is missing.
func TestFileSet(t *testing.T) {
	dir := written(t, map[string]string{"a/one": "1", "a/two": "22", "b/three": "333"})
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	urls := []string{at("b/three"), at("a/two"), at("a/none"), at("a/one"), at("a/two")}
	s := openFiles(t, urls, store.Options{})
	if diff := cmp.Diff(urls, s.Names(urls)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if len(s.stores) != 2 || s.Get(urls[1]).Store != s.Get(urls[3]).Store {
		t.Errorf("%d stores for two folders", len(s.stores))
	}
	if f := s.Get(urls[2]); !errors.Is(f.Err, fs.ErrNotExist) || f.URL != urls[2] {
		t.Errorf("the missing file: %+v", f)
	}
	var got []string
	for f := range s.Files() {
		got = append(got, f.URL)
		info, err := os.Stat(f.URL)
		if err != nil {
			t.Fatal(err)
		}
		if f.Size != info.Size() || !f.ModTime.Equal(info.ModTime()) || len(f.Head) != 64 || f != s.Get(f.URL).File {
			t.Errorf("%+v", f)
		}
	}
	if diff := cmp.Diff([]string{urls[0], urls[1], urls[3]}, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if err := s.Changed(t.Context()); err != nil {
		t.Errorf("a file that was never there has changed: %v", err)
	}
	far := "mem://bucket/a/" // some names of files need escapes in a URL
	if s = openFiles(t, []string{far + "x y"}, store.Options{}); s.Names([]string{far + "x y"})[0] != far+"x%20y" {
		t.Errorf("got %q", s.Names([]string{far + "x y"}))
	}
}

// TestOpenFilesFails opens files that cannot be read. The error is kept in the file. A
// context that has ended, and a URL that cannot be that of a file, are errors of OpenFiles.
func TestOpenFilesFails(t *testing.T) {
	failed := errors.New("failed")
	dir := written(t, map[string]string{"good": "1", "bad": "2"})
	good, bad := filepath.Join(dir, "good"), filepath.Join(dir, "bad")
	for _, what := range []string{"stat", "head"} {
		ctx, cancel := context.WithCancel(t.Context())
		end := false
		opt := store.Options{Retries: -1, Fault: func(op, key string) error {
			if op != what || key != "bad" {
				return nil
			}
			if end {
				cancel()
			}
			return failed
		}}
		s := openFiles(t, []string{good, bad}, opt)
		if files := slices.Collect(s.Files()); !errors.Is(s.Get(bad).Err, failed) || s.Get(good).Err != nil || len(files) != 1 || files[0].URL != good {
			t.Errorf("%s: %v, %v", what, s.Get(bad).Err, files)
		}
		end = true
		if _, err := OpenFiles(ctx, []string{bad}, opt); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, and the context has ended: %v", what, err)
		}
		cancel()
	}
	if err := os.WriteFile(filepath.Join(dir, "x.zip"), []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{dir + "/": "is a folder, not one object", filepath.Join(dir, "x.zip", "f"): "zip"} {
		if _, err := OpenFiles(t.Context(), []string{good, url}, store.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", url, err, want)
		}
	}
}

// TestFilesChanged does things to a file that is open.
func TestFilesChanged(t *testing.T) {
	failed := errors.New("failed")
	var broken atomic.Value // the operation that fails
	// again writes the file anew, and sets its modification time to the time from before
	// plus late.
	again := func(text string, late time.Duration) func(file string) error {
		return func(file string) error {
			was, err := os.Stat(file)
			if err != nil {
				return err
			}
			time := was.ModTime().Add(late)
			return errors.Join(os.WriteFile(file, []byte(text), 0o600), os.Chtimes(file, time, time))
		}
	}
	breaks := func(op string, do func(string) error) func(string) error {
		return func(file string) error { broken.Store(op); return do(file) }
	}
	for name, test := range map[string]struct {
		do     func(file string) error
		change bool // the error is ErrChanged
		want   string
		linux  bool // change times are asked for on Linux
	}{
		"nothing":                  {func(string) error { return nil }, false, "", false},
		"permissions":              {func(file string) error { return os.Chmod(file, 0o640) }, false, "", false},
		"the same again":           {again("before", 0), false, "", false},
		"removed":                  {os.Remove, true, "stat", false},
		"longer":                   {again("before and after", 0), true, "f: ", false},
		"another time":             {again("before", time.Second), true, "f: ", false},
		"edited, its time is back": {again("beFore", 0), true, "f, which was edited and whose modification time was set back: ", true},
		"no answer":                {breaks("stat", func(string) error { return nil }), false, "failed", false},
		"nothing, cannot be read":  {breaks("head", func(string) error { return nil }), false, "", false},
		"edited, cannot be read":   {breaks("head", again("beFore", 0)), false, "failed", true},
	} {
		t.Run(name, func(t *testing.T) {
			if test.linux && runtime.GOOS != "linux" {
				t.Skip("change times are asked for on Linux")
			}
			broken.Store("")
			file := filepath.Join(written(t, map[string]string{"f": "before"}), "f")
			s := openFiles(t, []string{file}, store.Options{Retries: -1, Fault: func(op, _ string) error {
				if op == broken.Load() {
					return failed
				}
				return nil
			}})
			for touched := false; !touched; { // a system's clock may stand still for some milliseconds
				if err := test.do(file); err != nil {
					t.Fatal(err)
				}
				now := openFiles(t, []string{file}, store.Options{}).Get(file)
				touched = !test.linux || now.Touched(s.Get(file).File)
			}
			err := s.Changed(t.Context())
			if errors.Is(err, ErrChanged) != test.change || (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want one with %q", err, test.want)
			}
		})
	}
}

// TestStrayAnswers has a server that does not find a file at first, and that answers with
// another ETag once, perhaps that of another object. Then it does so for good.
func TestStrayAnswers(t *testing.T) {
	var stray atomic.Int64 // answers with another ETag that are still to come
	var first atomic.Bool  // the first request, which does not find the file, was made
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if first.CompareAndSwap(false, true) {
			http.NotFound(w, r)
			return
		}
		tag := `"one"`
		if stray.Add(-1) >= 0 {
			tag = `"another"`
		}
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("content"))
	}))
	defer server.Close()
	opt := store.Options{Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	s := openFiles(t, []string{server.URL + "/a/f?key=secret"}, opt)
	if f := slices.Collect(s.Files())[0]; f.ETag != `"one"` || f.Size != 7 || f.URL != server.URL+"/a/f" || f.Query == "" {
		t.Errorf("%+v", f)
	}
	for n, want := range map[int64]error{0: nil, 1: nil, 1000: ErrChanged} {
		stray.Store(n)
		if err := s.Changed(t.Context()); !errors.Is(err, want) {
			t.Errorf("%d stray answers: got %v, want %v", n, err, want)
		}
		stray.Store(n)
		f, got := s.Get(server.URL+"/a/f?key=secret"), make([]byte, 7)
		if err := f.Store.ReadRange(t.Context(), f.Key, got, 0); !errors.Is(err, want) || err == nil && string(got) != "content" {
			t.Errorf("%d stray answers to a read: %q, %v, want %v", n, got, err, want)
		}
	}
}
