package zarr_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// Without consolidated metadata, each node is asked for. In the folder of an array,
// nothing else is asked for, in either format.
func TestWalkLeavesChunksAlone(t *testing.T) {
	for name, objects := range map[string]map[string]string{
		"v3":           {"zarr.json": group, "g/zarr.json": group, "g/a/zarr.json": v3(t, nil)},
		"v2":           {".zgroup": `{"zarr_format":2}`, "g/.zgroup": `{"zarr_format":2}`, "g/a/.zarray": v2(t, nil)},
		"no documents": {"g/a/.zarray": v2(t, nil)},
	} {
		for i := range 3000 {
			objects[fmt.Sprintf("g/a/c/%d/0", i)] = "x"
			objects[fmt.Sprintf("g/a/%d.0", i)] = "x"
		}
		p := newPlace(t, objects)
		src := open(t, url, p.options())
		if diff := cmp.Diff([]string{"g/a"}, src.Arrays()); diff != "" {
			t.Errorf("%s: arrays (-want +got):\n%s", name, diff)
		}
		asked := p.taken()
		if i := slices.IndexFunc(asked, func(r string) bool { return strings.HasPrefix(r, "list g/a") || strings.Contains(r, "g/a/c") }); i >= 0 || len(asked) > 20 {
			t.Errorf("%s: %d requests: %q", name, len(asked), asked)
		}
	}
}

// A folder that cannot be read or listed harms the arrays in it and no others.
func TestWalkAroundUnreadableFolders(t *testing.T) {
	objects := map[string]string{
		"zarr.json": group, "a/zarr.json": v3(t, nil),
		"closed/zarr.json": group, "closed/b/zarr.json": v3(t, nil),
	}
	for fault, want := range map[string][]string{
		"list closed":             {"a", "closed"},
		"stat closed/zarr.json":   {"a", "closed/b"},
		"read closed/zarr.json":   {"a", "closed/b"},
		"read closed/b/zarr.json": {"a", "closed/b"},
	} {
		p := newPlace(t, objects)
		p.faults[fault] = fs.ErrPermission
		src := open(t, url, p.options())
		if diff := cmp.Diff(want, src.Arrays()); diff != "" {
			t.Errorf("%s: arrays (-want +got):\n%s", fault, diff)
		}
		if _, err := src.Array(t.Context(), "a"); err != nil {
			t.Errorf("%s: %v", fault, err)
		}
		if _, err := src.Array(t.Context(), want[1]); err == nil || !strings.Contains(err.Error(), "closed") || !strings.Contains(err.Error(), "permission") {
			t.Errorf("%s: the array behind it: %v", fault, err)
		}
	}
}

// TestUnreadableArray: a folder without nodes below it, whose document cannot be read, is an
// array.
func TestUnreadableArray(t *testing.T) {
	p := newPlace(t, map[string]string{"zarr.json": group, "a/zarr.json": v3(t, nil), "a/c/0/0": half, "b/zarr.json": v3(t, nil)})
	p.faults["read a/zarr.json"] = fs.ErrPermission
	if diff := cmp.Diff([]string{"a", "b"}, open(t, url, p.options()).Arrays()); diff != "" {
		t.Errorf("arrays (-want +got):\n%s", diff)
	}
}

// TestFolderForDocument: a folder in the place of a document is an error that names it, and
// harms no other array.
func TestFolderForDocument(t *testing.T) {
	for _, key := range []string{"zarr.json", ".zmetadata", "a/zarr.json", "a/.zarray", "a/.zattrs"} {
		objects := map[string]string{"b/zarr.json": v3(t, nil), "a/.zarray": v2(t, nil)}
		delete(objects, key)
		objects[key+"/x"] = ""
		dir := t.TempDir()
		for name, text := range objects {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		src, err := zarr.Open(t.Context(), dir, zarr.Options{})
		if err == nil {
			sourcetest.CloseLater(t, src)
			if diff := cmp.Diff([]string{"a", "b"}, src.Arrays()); diff != "" {
				t.Errorf("%s: arrays (-want +got):\n%s", key, diff)
			}
			if _, err := src.Array(t.Context(), "b"); err != nil {
				t.Errorf("%s: %v", key, err)
			}
			_, err = src.Array(t.Context(), "a")
		}
		if err == nil || !strings.Contains(err.Error(), key+" is a folder") || strings.Contains(err.Error(), key+": "+key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestDanglingLinks: a link that leads nowhere, in the place of a document or a chunk, is an
// error. A missing chunk would be the fill value.
func TestDanglingLinks(t *testing.T) {
	for _, key := range []string{"a/zarr.json", "a/c/1/0"} {
		dir := t.TempDir()
		link := filepath.Join(dir, filepath.FromSlash(key))
		err := os.MkdirAll(filepath.Dir(link), 0o777)
		if key != "a/zarr.json" {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, "a", "zarr.json"), []byte(v3(t, nil)), 0o666))
		}
		if err := errors.Join(err, os.Symlink("nowhere", link)); err != nil {
			t.Fatal(err)
		}
		a, err := open(t, dir, zarr.Options{}).Array(t.Context(), "a")
		if err == nil {
			err = a.ReadRegion(t.Context(), ndarray.New(dtype.Uint8, []int{4, 4}), []int{0, 0})
		}
		if err == nil || !strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "symbolic link that leads nowhere") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestUnreadableRoot: a root whose document cannot be read is a group if there are nodes below
// it.
func TestUnreadableRoot(t *testing.T) {
	p := newPlace(t, map[string]string{".zgroup": groupV2, "a/.zarray": v2(t, nil)})
	p.faults["read .zgroup"] = fs.ErrPermission
	src := open(t, url, p.options())
	if diff := cmp.Diff([]string{"a"}, src.Arrays()); diff != "" {
		t.Errorf("arrays (-want +got):\n%s", diff)
	}
	if _, err := src.Array(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "permission") {
		t.Errorf("the array below: %v", err)
	}
}

// TestReadsThatFail: a server that does not answer for a chunk is an error, and the fill
// value does not take the place of the chunk.
func TestReadsThatFail(t *testing.T) {
	const n = 1 << 20 // so large that a part is read alone
	objects := map[string]string{"zarr.json": v3(t, map[string]any{
		"shape": []int{n}, "chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{n}}},
	}), "c/0": strings.Repeat("x", n)}
	p := newPlace(t, objects)
	p.faults["stat c/0"] = fs.ErrPermission
	if _, err := open(t, url, p.options()).Array(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "permission") {
		t.Errorf("the array is opened: %v", err)
	}
	delete(p.faults, "stat c/0")
	a, err := open(t, url, p.options()).Array(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for fault, elements := range map[string]int{"stat c/0": 10, "read c/0": n} {
		p.faults[fault] = fs.ErrPermission
		if err := readAt(t.Context(), a, 0, elements); err == nil || !strings.Contains(err.Error(), "chunk [0], c/0") {
			t.Errorf("%s: got %v", fault, err)
		}
		delete(p.faults, fault)
		if err := readAt(t.Context(), a, 0, elements); err != nil {
			t.Errorf("after %s: %v", fault, err)
		}
	}
}
