//go:build !nos3 && !nogcs && !noazure

package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree lists all files and empty folders below a directory.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		if e.IsDir() {
			entries, err := os.ReadDir(p)
			if len(entries) == 0 {
				found = append(found, rel+"/")
			}
			return err
		}
		found = append(found, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestLocalPutIsInvisibleUntilSync(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	s := open(t, root, Options{})
	put(t, s, map[string]string{"k": "old"})
	for _, data := range []string{"newer", "newest"} {
		if err := s.Put(t.Context(), "k", []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if got := get(t, s, "k"); got != "old" {
		t.Errorf("before Sync: %q", got)
	}
	put(t, s, nil)
	if got := get(t, s, "k"); got != "newest" {
		t.Errorf("after Sync: %q", got)
	}
}

func TestLocalLeavesNothingBehind(t *testing.T) {
	parent := t.TempDir()
	s, err := Open(t.Context(), filepath.Join(parent, "root"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, map[string]string{"a/b": "x", "c/d/e": "y"})
	if err := s.Create(t.Context(), "f/g", nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "c/d/e"); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), "dropped", []byte("z")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"root/a/b", "root/f/g"}, tree(t, parent)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLocalReadingMakesNothing(t *testing.T) {
	parent := t.TempDir()
	s := open(t, filepath.Join(parent, "root"), Options{})
	keys(t, s, "")
	put(t, s, nil)
	if err := s.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"./"}, tree(t, parent)); diff != "" {
		t.Error(diff)
	}
}

func TestLocalBatchIsPublishedWhenFull(t *testing.T) {
	const batchFiles = 256
	s := open(t, filepath.Join(t.TempDir(), "root"), Options{})
	for i := range batchFiles {
		if n := len(keys(t, s, "")); n != 0 {
			t.Fatalf("%d objects visible after %d puts", n, i)
		}
		if err := s.Put(t.Context(), fmt.Sprint(i), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(keys(t, s, "")); n != batchFiles {
		t.Errorf("%d objects visible", n)
	}
}

func TestLocalSyncCoversEarlierPuts(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "root"), Options{})
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 100 {
				key := fmt.Sprintf("%d/%d", worker, i)
				if err := s.Put(t.Context(), key, []byte(key)); err != nil {
					t.Error(err)
					return
				}
				if i%10 != 0 {
					continue
				}
				if err := s.Sync(t.Context()); err != nil {
					t.Error(err)
					return
				}
				p := make([]byte, len(key))
				if err := s.ReadRange(t.Context(), key, p, 0); err != nil || string(p) != key {
					t.Errorf("%s after Sync: %q, %v", key, p, err)
					return
				}
			}
		})
	}
	wg.Wait()
	put(t, s, nil)
	if n := len(keys(t, s, "")); n != 800 {
		t.Errorf("%d objects", n)
	}
}

func TestLocalDeleteDropsWaitingPut(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "root"), Options{})
	if err := s.Put(t.Context(), "k", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	put(t, s, nil)
	if got := keys(t, s, ""); len(got) != 0 {
		t.Errorf("%q came back", got)
	}
}

func TestLocalLostObjectsAreReportedAgain(t *testing.T) {
	parent := t.TempDir()
	root := filepath.Join(parent, "root")
	s, err := Open(t.Context(), root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, map[string]string{"file": "x"})
	if err := s.Put(t.Context(), "good", []byte("y")); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), "file/below", []byte("z")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Sync(t.Context()); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("sync: %v", err)
		}
	}
	if err := s.Put(t.Context(), "more", nil); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("put: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"root/file", "root/good"}, tree(t, parent)); diff != "" {
		t.Error(diff)
	}
}

func TestLocalUnwritableRoot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, filepath.Join(file, "root"), Options{})
	for op, err := range map[string]error{
		"put":    s.Put(t.Context(), "k", nil),
		"create": s.Create(t.Context(), "k", nil),
	} {
		if !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if _, err := s.Stat(t.Context(), "k"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat: %v", err)
	}
}

func TestLocalSymbolicLinks(t *testing.T) {
	parent := t.TempDir()
	real, link := filepath.Join(parent, "real"), filepath.Join(parent, "link")
	if err := os.Mkdir(real, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{link: real, filepath.Join(real, "alias"): "k", filepath.Join(real, "dangling"): "none"} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, link, Options{})
	put(t, s, map[string]string{"k": "x"})
	if got := get(t, open(t, real, Options{}), "alias"); got != "x" {
		t.Errorf("alias holds %q", got)
	}
	if diff := cmp.Diff([]string{"alias", "k"}, keys(t, s, "")); diff != "" {
		t.Error(diff)
	}
}

func TestLocalClean(t *testing.T) {
	parent := t.TempDir()
	staging := filepath.Join(parent, "staging")
	crashed, err := Open(t.Context(), filepath.Join(parent, "root"), Options{Staging: staging})
	if err != nil {
		t.Fatal(err)
	}
	if err := crashed.Put(t.Context(), "k", []byte("left")); err != nil {
		t.Fatal(err)
	}
	s := open(t, filepath.Join(parent, "root"), Options{Staging: staging})
	if err := s.Put(t.Context(), "mine", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(staging, "foreign"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if n := len(tree(t, staging)); n != 3 {
		t.Fatalf("%d files staged", n)
	}
	if err := s.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(t, s, nil)
	if diff := cmp.Diff([]string{"root/mine", "staging/foreign"}, tree(t, parent)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := crashed.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestLocalCleanInsideRoot(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	for _, dir := range []string{".zmigrate-staging", ".zmigrate-staging-probe"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, ".zmigrate-staging", "object-left"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, root, Options{})
	if got := keys(t, s, ""); len(got) != 0 {
		t.Errorf("listed: %q", got)
	}
	if err := s.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"./"}, tree(t, root)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLocalStagingBesideNothing has a file in the place of the staging folder beside the
// root. Objects wait in the root.
func TestLocalStagingBesideNothing(t *testing.T) {
	parent := t.TempDir()
	if err := os.WriteFile(filepath.Join(parent, "root.zmigrate"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, filepath.Join(parent, "root"), Options{})
	put(t, s, map[string]string{"a/b": "x"})
	if err := s.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"root/a/b", "root.zmigrate"}, tree(t, parent)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLocalStagingIsShared opens and closes stores of one folder at the same
// time, as processes that contend for a lock do.
func TestLocalStagingIsShared(t *testing.T) {
	parent := t.TempDir()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				s, err := Open(t.Context(), filepath.Join(parent, "root"), Options{})
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Create(t.Context(), fmt.Sprintf("%d/%d", i, j), nil); err != nil {
					t.Error(err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := tree(t, parent); len(got) != 160 {
		t.Errorf("%d files: %q", len(got), got)
	}
}

func TestLocalStagingOnAnotherFileSystem(t *testing.T) {
	staging, err := os.MkdirTemp("/dev/shm", "zmigrate-test-*")
	if err != nil {
		t.Skip("no second file system at /dev/shm: ", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(staging) })
	root := filepath.Join(t.TempDir(), "root")
	probe := filepath.Join(staging, "probe")
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(probe, root); !errors.Is(err, syscall.EXDEV) {
		t.Skip("/dev/shm and the temporary folder are one file system")
	}
	s, err := Open(t.Context(), root, Options{Staging: filepath.Join(staging, "s")})
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, map[string]string{"a/k": "x"})
	if err := s.Create(t.Context(), "b", []byte("y")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a/k", "b"}, tree(t, root)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLocalLinksOut has a link inside the root that leads out of it. Nothing is written
// or removed through that link. Links that stay inside are followed.
func TestLocalLinksOut(t *testing.T) {
	for name, to := range map[string]string{"absolute": "", "relative": "../outside", "through another": "hop", "dangling": "nowhere/at/all"} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			root, outside := filepath.Join(parent, "real"), filepath.Join(parent, "outside")
			for _, dir := range []string{filepath.Join(root, "inside"), filepath.Join(outside, "c")} {
				if err := os.MkdirAll(dir, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(outside, "c", "0"), []byte("theirs"), 0o600); err != nil {
				t.Fatal(err)
			}
			if to == "" {
				to = outside
			}
			for link, to := range map[string]string{"root": "real", "real/hop": "../outside", "real/out": to, "real/in": "inside"} {
				if err := os.Symlink(to, filepath.Join(parent, link)); err != nil {
					t.Fatal(err)
				}
			}
			before := tree(t, outside)
			s := open(t, filepath.Join(parent, "root"), Options{})
			for op, f := range map[string]func() error{
				"create": func() error { return s.Create(t.Context(), "out/c/1", []byte("x")) },
				"delete": func() error { return s.Delete(t.Context(), "out/c/0") },
			} {
				if err := f(); err == nil || !strings.Contains(err.Error(), filepath.Join(parent, "root", "out")+" is a symbolic link") {
					t.Errorf("%s: %v", op, err)
				}
			}
			put(t, s, map[string]string{"in/c/1": "x", "k": "y"})
			if got := get(t, s, "inside/c/1"); got != "x" {
				t.Errorf("through a link that stays inside: %q", got)
			}
			if err := s.Put(t.Context(), "out/c/0", []byte("ours")); err != nil {
				t.Fatal(err)
			}
			if err := s.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
				t.Errorf("put: %v", err)
			}
			if diff := cmp.Diff(before, tree(t, outside)); diff != "" {
				t.Errorf("outside (-want +got):\n%s", diff)
			}
			if data, err := os.ReadFile(filepath.Join(outside, "c", "0")); err != nil || string(data) != "theirs" {
				t.Errorf("outside: %q, %v", data, err)
			}
		})
	}
}

// TestListWithLinks lists a file, and a link that leads nowhere.
func TestListWithLinks(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "a"), []byte("text"), 0o666), os.Symlink("nowhere", filepath.Join(dir, "b"))); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, Options{})
	for with, list := range map[bool]func(context.Context, string, func(Info) error) error{false: s.List, true: s.ListWithLinks} {
		dangling := map[string]bool{}
		if err := list(t.Context(), "", func(o Info) error { dangling[o.Key] = o.Dangling; return nil }); err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{"a": false}
		if with {
			want["b"] = true
		}
		if diff := cmp.Diff(want, dangling); diff != "" {
			t.Errorf("with links %v (-want +got):\n%s", with, diff)
		}
	}
}
