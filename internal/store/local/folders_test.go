package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// put stores an object and syncs.
func put(t *testing.T, d *Driver, key, text string) {
	t.Helper()
	if _, err := d.Put(t.Context(), key, []byte(text), driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	if err := d.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// openedAt returns the driver of a folder with a staging folder of its own.
func openedAt(t *testing.T, root, staging string) *Driver {
	t.Helper()
	d := New(root, staging)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// TestModes: folders and files have the permissions that the user gives to new ones.
func TestModes(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "folder"), 0o777), os.WriteFile(filepath.Join(dir, "file"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	mode := func(path string) fs.FileMode {
		t.Helper()
		st, err := os.Stat(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		return st.Mode()
	}
	for staging, folders := range map[string][]string{
		"":                              {"root", "root/a", "root/a/b", "root.zmigrate", "root.zmigrate/staging"},
		filepath.Join(dir, "file", "x"): {"root", "root/a", "root/a/b", "root/.zmigrate-staging"}, // cannot be made
	} {
		d := openedAt(t, filepath.Join(dir, "root"), staging)
		put(t, d, "a/b/c", "text")
		for _, folder := range folders {
			if got := mode(folder); got != mode("folder") {
				t.Errorf("%s has the mode %v", folder, got)
			}
		}
		if err := d.Create(t.Context(), "created", []byte("text")); err != nil {
			t.Error(err)
		}
		for _, file := range []string{"root/a/b/c", "root/created"} {
			if got := mode(file); got != mode("file") {
				t.Errorf("%s has the mode %v", file, got)
			}
		}
		if err := errors.Join(d.Close(), os.RemoveAll(filepath.Join(dir, "root"))); err != nil {
			t.Error(err)
		}
	}
}

// TestNoRoot: nothing can be stored below a file, or where no folder can be made.
func TestNoRoot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := openedAt(t, filepath.Join(file, "root"), "")
	if up, err := d.Begin(t.Context(), "k", driver.Condition{}); err == nil {
		t.Errorf("an upload begins: %v", up)
	}
	if version, err := d.Put(t.Context(), "k", nil, driver.Condition{}); err == nil {
		t.Errorf("version %q", version)
	}
	if err := d.Create(t.Context(), "k", nil); err == nil {
		t.Error("an object is created")
	}
	if page, err := openedAt(t, file, "").List("")(t.Context()); err == nil || errors.Is(err, driver.ErrEnd) {
		t.Errorf("a file has the objects %v, %v", page, err)
	}
	if names, err := openedAt(t, file, "").Folders("")(t.Context()); err == nil {
		t.Errorf("a file has the folders %q", names)
	}
}

// TestFoldersAreNoted: folders that have changed are flushed by the next Sync.
func TestFoldersAreNoted(t *testing.T) {
	d := opened(t)
	if err := d.mkdir(filepath.Join(d.root, "a", "b")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(d.root, "a"), d.root, filepath.Dir(d.root)} {
		if !d.unsynced[dir] {
			t.Errorf("%s is not to be flushed", dir)
		}
	}
	if err := d.mkdir(strings.Repeat("x", 300)); err == nil {
		t.Error("a folder with a name that is too long")
	}
	if err := d.mkdir(filepath.Join(d.root, strings.Repeat("x", 300), "y")); err == nil {
		t.Error("a folder in a folder with a name that is too long")
	}
	put(t, d, "a/b/c", "text")
	if len(d.unsynced) != 0 {
		t.Errorf("%v are to be flushed after Sync", d.unsynced)
	}
	d.unsynced[filepath.Join(d.root, "a", "b")] = true
	if err := d.Delete(t.Context(), "a/b/c"); err != nil {
		t.Fatal(err)
	}
	if len(d.unsynced) != 1 || !d.unsynced[d.root] {
		t.Errorf("%v are to be flushed after a delete", d.unsynced)
	}
	circle := filepath.Join(t.TempDir(), "circle")
	if err := os.Symlink(circle, circle); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	d.unsynced[circle] = true
	if err := d.Sync(t.Context()); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a folder that cannot be flushed: %v", err)
	}
	if err := d.Create(t.Context(), "created", nil); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a folder that cannot be flushed, by Create: %v", err)
	}
}

// TestDeletes: a file that is deleted cannot be read any more. What lies below a file is no
// object.
func TestDeletes(t *testing.T) {
	d := opened(t)
	put(t, d, "a", "text")
	p := make([]byte, 4)
	if err := d.Read(t.Context(), "a", p, 0, driver.Info{}); err != nil || string(p) != "text" {
		t.Errorf("%q, %v", p, err)
	}
	if err := d.Delete(t.Context(), "a/below"); err != nil {
		t.Errorf("below a file: %v", err)
	}
	if err := d.Delete(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if err := d.Read(t.Context(), "a", p, 0, driver.Info{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q, %v", p, err)
	}
	if err := d.Delete(t.Context(), strings.Repeat("x", 300)); err == nil {
		t.Error("an object with a name that is too long is deleted")
	}
	if same, err := d.SameName(strings.Repeat("x", 300), "y"); err == nil {
		t.Errorf("a name that is too long is the same: %t", same)
	}
}

// TestAbortOfReplaced: an upload that is given up leaves the object alone that has taken its
// place in the batch.
func TestAbortOfReplaced(t *testing.T) {
	d := opened(t)
	up, err := d.Begin(t.Context(), "k", driver.Condition{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := up.Complete(t.Context(), driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Put(t.Context(), "k", []byte("text"), driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	if err := up.Abort(t.Context()); err != nil {
		t.Error(err)
	}
	put(t, d, "other", "x")
	if data, _, err := d.ReadAll(t.Context(), "k", 4, func(n int) []byte { return make([]byte, n) }); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestWriteExclusive: a file system without hard links has files that are made under their
// names.
func TestWriteExclusive(t *testing.T) {
	name := filepath.Join(t.TempDir(), "k")
	if err := writeExclusive(name, []byte("first")); err != nil {
		t.Error(err)
	}
	if err := writeExclusive(name, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "first" {
		t.Errorf("%q, %v", text, err)
	}
	other := name + "-other"
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(name)
	like, errLike := os.Stat(other)
	if err := errors.Join(err, errLike); err != nil || st.Mode() != like.Mode() {
		t.Errorf("the mode is %v, %v", st.Mode(), err)
	}
}

// TestCloseOfClosed: Close returns the error of a file that it closes.
func TestCloseOfClosed(t *testing.T) {
	d := openedAt(t, filepath.Join(t.TempDir(), "root"), "")
	put(t, d, "k", "x")
	f, release, err := d.files.open(d.path("k"))
	if err != nil {
		t.Fatal(err)
	}
	release()
	if err := errors.Join(f.Close(), d.Close()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// TestLeastRecentlyUsed: the file that was used least recently leaves the cache.
func TestLeastRecentlyUsed(t *testing.T) {
	dir := t.TempDir()
	files := newOpenFiles(2)
	for _, name := range []string{"a", "b", "a", "c"} {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, release, err := files.open(name)
		if err != nil {
			t.Fatal(err)
		}
		release()
	}
	for name, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, got := files.byName[filepath.Join(dir, name)]; got != want {
			t.Errorf("%s is in the cache: %t", name, got)
		}
	}
	if err := files.close(); err != nil {
		t.Error(err)
	}
}

// TestLinks: a link may lead to another place in the root, and nowhere else.
func TestLinks(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "root")
	if err := errors.Join(os.Mkdir(root, 0o700), os.Mkdir(filepath.Join(root, "inside"), 0o700), os.Mkdir(filepath.Join(dir, "roots"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for to, word := range map[string]string{
		"inside": "", ".": "", "none": "to nothing", dir: "out of it, to " + dir, filepath.Join(dir, "roots"): "out of it", "..": "out of it",
	} {
		link := filepath.Join(root, "link")
		if err := os.Symlink(to, link); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
		w := linkChecker{root: root, known: map[string]bool{}}
		if err := w.check(filepath.Join(link, "x")); (err == nil) != (word == "") || err != nil && !strings.Contains(err.Error(), word) {
			t.Errorf("a link to %s: %v", to, err)
		}
		if err := noLink(link); err == nil {
			t.Error("a link is none")
		}
		w = linkChecker{root: filepath.Join(dir, "gone"), known: map[string]bool{}}
		if err := w.follow(link); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a root that is gone: %v", err)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
	w := linkChecker{root: root, known: map[string]bool{}}
	for range 2 { // the second time it is remembered
		if err := w.check(filepath.Join(root, "later")); err != nil {
			t.Error(err)
		}
		if err := os.Symlink(dir, filepath.Join(root, "later")); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	for i := range mostKnown {
		w.known[strings.Repeat("x", i)] = true
	}
	if err := w.check(filepath.Join(root, "inside")); err != nil || len(w.known) != 1 {
		t.Errorf("%d folders are remembered, %v", len(w.known), err)
	}
}

// TestCleanOfOthers: Clean removes the files of other stores and the empty folders that they
// have left, and nothing else.
func TestCleanOfOthers(t *testing.T) {
	d := opened(t)
	put(t, d, "k", "x")
	elsewhere := t.TempDir()
	inner := filepath.Join(d.root, innerStaging)
	for _, name := range []string{filepath.Join(d.staging, stagedPrefix+"1"), filepath.Join(d.staging, "mine"), filepath.Join(elsewhere, stagedPrefix+"1"), inner + "-file"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{filepath.Join(d.root, "empty"), inner + "-1"} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, inner); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := d.emptyStaging(); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]bool{
		filepath.Join(d.staging, stagedPrefix+"1"): false, filepath.Join(d.staging, "mine"): true, filepath.Join(elsewhere, stagedPrefix+"1"): true,
		inner + "-file": true, inner + "-1": false, filepath.Join(d.root, "empty"): true, filepath.Join(d.root, "k"): true, inner: true,
	} {
		if _, err := os.Lstat(name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := errors.Join(os.Remove(filepath.Join(d.staging, "mine")), os.MkdirAll(filepath.Join(d.staging, stagedPrefix+"2", "x"), 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := d.emptyStaging(); err == nil {
		t.Error("a folder that is not empty is removed")
	}
	circle := filepath.Join(elsewhere, "circle")
	if err := os.Symlink(circle, circle); err != nil {
		t.Fatal(err)
	}
	if err := openedAt(t, filepath.Join(elsewhere, "root"), circle).emptyStaging(); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a staging folder that cannot be read: %v", err)
	}
}

// TestListFails: a link in a circle is no object, and makes a list fail. So does a folder
// whose place such a link has taken since.
func TestListFails(t *testing.T) {
	d := openedAt(t, t.TempDir(), "")
	for i := range driver.ListPage + 1 {
		if err := os.WriteFile(filepath.Join(d.root, "a"+strings.Repeat("x", i%200)+string(rune('a'+i/200))), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(d.root, "b")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if page, err := d.List("")(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that gives up: %d objects, %v", len(page), err)
	}
	next, link := d.List(""), d.List("")
	if page, err := next(t.Context()); err != nil || len(page) != driver.ListPage {
		t.Fatalf("%d objects, %v", len(page), err)
	}
	if err := errors.Join(os.Remove(folder), os.Symlink(folder, folder)); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if page, err := next(t.Context()); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a folder that cannot be read: %v, %v", page, err)
	}
	if page, err := link(t.Context()); err != nil || len(page) != driver.ListPage {
		t.Fatalf("%d objects, %v", len(page), err)
	}
	if page, err := link(t.Context()); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link in a circle: %v, %v", page, err)
	}
}

// TestStagingOfRoot: a staging folder may be given relative to the root.
func TestStagingOfRoot(t *testing.T) {
	root := t.TempDir()
	for staging, want := range map[string]string{"": root + ".zmigrate/staging", "a/b": root + "/a/b", root + "/c": root + "/c"} {
		if got := openedAt(t, root, staging).staging; filepath.ToSlash(got) != filepath.ToSlash(want) {
			t.Errorf("%q: %s", staging, got)
		}
	}
}

// TestNoStaging: where neither folder can be used for staging, nothing is stored. A folder
// that turned out to be of no use is left empty.
func TestNoStaging(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := openedAt(t, filepath.Join(dir, "linked"), filepath.Join(dir, "file", "x"))
	if err := errors.Join(os.Mkdir(d.root, 0o700), os.Symlink(t.TempDir(), filepath.Join(d.root, innerStaging))); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if version, err := d.Put(t.Context(), "k", nil, driver.Condition{}); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("%q, %v", version, err)
	}
	d = openedAt(t, filepath.Join(dir, "root"), "")
	if err := errors.Join(os.Mkdir(d.root, 0o700), os.WriteFile(filepath.Join(d.root, innerStaging+"-"+d.prefix+"1"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	beside := d.staging
	put(t, d, "k", "x") // by the folder inside the root
	if left, err := os.ReadDir(beside); err != nil || len(left) != 0 || d.staging == beside {
		t.Errorf("left: %v, %v; staged in %s", left, err, d.staging)
	}
}
