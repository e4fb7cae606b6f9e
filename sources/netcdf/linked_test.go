package netcdf_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// linked unpacks the files that testdata/make_linked.py writes, and returns their folder.
func linked(t *testing.T) string {
	t.Helper()
	return sourcetest.Unzip(t, "testdata/linked.zip")
}

// littleEndian returns the SHA-256 of elements, as make_linked.py computes it.
func littleEndian(a ndarray.Array) string {
	var b bytes.Buffer
	if swap := dtype.Swapper(a.Type, dtype.Little); swap != nil {
		ndarray.Swap(a, swap)
	}
	for item := range a.Items() {
		b.Write(item)
		if a.Heap != nil {
			b.WriteByte(0)
		}
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:])
}

// TestLinked reads links to other files, elements in other files and virtual datasets, and
// compares them with what h5py reads.
func TestLinked(t *testing.T) {
	folder := linked(t)
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Files map[string]map[string]struct {
			Shape  []int
			SHA256 string
		}
	}
	if err := json.Unmarshal(text, &expected); err != nil || len(expected.Files) == 0 {
		t.Fatal(err)
	}
	for file, datasets := range expected.Files {
		src := open(t, netcdf.Options{}, filepath.Join(folder, file))
		for path, want := range datasets {
			a, err := src.Array(t.Context(), path)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if !slices.Equal(a.Info().Shape, want.Shape) {
				t.Errorf("%s: %s has shape %v, want %v", file, path, a.Info().Shape, want.Shape)
				continue
			}
			if littleEndian(sourcetest.ReadAll(t, a)) != want.SHA256 {
				t.Errorf("%s: the elements of %s differ", file, path)
			}
		}
		if n := len(datasets); n < 150 {
			t.Errorf("%s: only %d datasets", file, n)
		}
		sourcetest.Run(t, src)
	}
}

// TestLinkedFiles: files to which others refer count as files of the source.
func TestLinkedFiles(t *testing.T) {
	folder := linked(t)
	src := open(t, netcdf.Options{}, filepath.Join(folder, "linked_latest.h5"))
	for _, path := range []string{"external/dataset 2", "raw/one", "virtual/nested"} {
		if _, err := src.Array(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for f := range src.Files() {
		names = append(names, strings.TrimPrefix(f.URL, folder+"/"))
	}
	want := []string{"linked_latest.h5", "block_0.h5", "block_1.h5", "block_2.h5", "block_3.h5", "block_4.h5", "parts/part_0.h5", "parts/part_1.h5", "parts/part_2.h5", "parts/part_3.h5", "parts/raw_0.bin"}
	if !slices.Equal(names, want) {
		t.Errorf("files %q, want %q", names, want)
	}
	if err := os.WriteFile(filepath.Join(folder, "parts/raw_0.bin"), make([]byte, 500), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := src.Changed(t.Context()); err == nil || !strings.Contains(err.Error(), "raw_0.bin") {
		t.Errorf("a changed file: error %v", err)
	}
}

// TestMissingSource: the elements of a source that is not there have the fill value, with a
// finding.
func TestMissingSource(t *testing.T) {
	folder := linked(t)
	if err := os.Remove(filepath.Join(folder, "parts/part_2.h5")); err != nil {
		t.Fatal(err)
	}
	a, err := open(t, netcdf.Options{}, filepath.Join(folder, "linked_latest.h5")).Array(t.Context(), "virtual/nested source")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(a.Info().Findings, func(f cf.Finding) bool { return f.Code == sources.MissingSources })
	if i < 0 || !strings.Contains(a.Info().Findings[i].Message, `"soft" in the file "parts/part_2.h5"`) {
		t.Errorf("findings %v", a.Info().Findings)
	}
}

// TestRefusedLinks has files to which no reference may lead, and files that are not what
// references say.
func TestRefusedLinks(t *testing.T) {
	for name, test := range map[string]struct {
		file, path, want string // file: linked_latest.h5 unless given
		follow           sources.Following
		change           func(t *testing.T, folder string)
	}{
		"nothing is followed": {
			path: "external/dataset 0", want: "source.follow is none",
			follow: sources.Following{Nothing: true},
		},
		"nothing is followed for virtual datasets": {
			path: "virtual/nested source", want: `its source "soft" in the file "parts/part_0.h5": source.follow is none`,
			follow: sources.Following{Nothing: true},
		},
		"a folder above":                       {file: "parts/part_0.h5", path: "g/back", want: "linked_latest.h5 is not in the folder of"},
		"a folder above, by a virtual dataset": {file: "refused/refused.h5", path: "above", want: "parts/part_0.h5 is not in the folder of"},
		"a folder above, for elements":         {file: "refused/refused.h5", path: "raw above", want: "parts/raw_0.bin is not in the folder of"},
		"an absolute name":                     {file: "refused/refused.h5", path: "absolute", want: "/else/where.h5 is not in the folder of"},
		"a circle of links":                    {file: "refused/refused.h5", path: "circle", want: "through more than 16 soft and external links"},
		"a virtual dataset of itself":          {file: "refused/refused.h5", path: "itself", want: "the virtual dataset is a source of itself"},
		"virtual datasets of each other":       {file: "refused/refused.h5", path: "one", want: "the virtual dataset is a source of itself"},
		"a source of another type":             {file: "refused/refused.h5", path: "other type", want: "its elements are int64 little-endian, those of the virtual dataset are int32 little-endian"},
		"a source of another shape":            {file: "refused/refused.h5", path: "other shape", want: "a box of another shape"},
		"a source that has become shorter":     {file: "refused/refused.h5", path: "shorter", want: "it has shape [5], which ends before index 8 along dimension 0"},
		"a symbolic link": {
			path: "external/dataset 1", want: "a symbolic link leads to",
			change: func(t *testing.T, folder string) {
				outside := filepath.Join(t.TempDir(), "part_1.h5")
				inside := filepath.Join(folder, "parts/part_1.h5")
				if err := os.Rename(inside, outside); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(outside, inside); err != nil {
					t.Fatal(err)
				}
			},
		},
		"a shorter file of elements": {
			path: "raw/several", want: `the elements are in "parts/raw_1.bin": it has 300 bytes, but 400 bytes at byte 0 are elements`,
			change: func(t *testing.T, folder string) {
				if err := os.Truncate(filepath.Join(folder, "parts/raw_1.bin"), 300); err != nil {
					t.Fatal(err)
				}
			},
		},
		"a file of elements that is missing": {
			path: "raw/one", want: "raw_0.bin",
			change: func(t *testing.T, folder string) {
				if err := os.Remove(filepath.Join(folder, "parts/raw_0.bin")); err != nil {
					t.Fatal(err)
				}
			},
		},
		"a shorter source": {
			path: "virtual/nested source", want: "truncated",
			change: func(t *testing.T, folder string) {
				if err := os.Truncate(filepath.Join(folder, "parts/part_0.h5"), 3000); err != nil {
					t.Fatal(err)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := linked(t)
			if test.change != nil {
				test.change(t, folder)
			}
			file := filepath.Join(folder, cmp.Or(test.file, "linked_latest.h5"))
			_, err := open(t, netcdf.Options{Follow: test.follow}, file).Array(t.Context(), test.path)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), filepath.Base(file)) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// TestFollowedFolder allows a folder besides that of the file.
func TestFollowedFolder(t *testing.T) {
	folder := linked(t)
	opt := netcdf.Options{Follow: sources.Following{Folders: []string{folder}}}
	a, err := open(t, opt, filepath.Join(folder, "parts/part_0.h5")).Array(t.Context(), "g/back")
	if err != nil {
		t.Fatal(err)
	}
	want, err := open(t, netcdf.Options{}, filepath.Join(folder, "linked_latest.h5")).Array(t.Context(), "plain")
	if err != nil {
		t.Fatal(err)
	}
	if littleEndian(sourcetest.ReadAll(t, a)) != littleEndian(sourcetest.ReadAll(t, want)) {
		t.Error("the elements differ")
	}
}

// TestLinkedFar follows references on a server, where names cannot be absolute.
func TestLinkedFar(t *testing.T) {
	folder := linked(t)
	stores := store.Options{Memory: &store.Memory{}}
	far, err := store.Open(t.Context(), "mem://linked-far", stores)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		key, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		return far.Put(t.Context(), filepath.ToSlash(key), data)
	})
	if err != nil {
		t.Fatal(err)
	}
	near := open(t, netcdf.Options{}, filepath.Join(folder, "linked_latest.h5"))
	src := open(t, netcdf.Options{Store: stores}, "mem://linked-far/linked_latest.h5")
	for _, path := range []string{"external/group/inner", "external/back", "raw/several", "virtual/nested", "endless/numbered"} {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		want, err := near.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if littleEndian(sourcetest.ReadAll(t, a)) != littleEndian(sourcetest.ReadAll(t, want)) {
			t.Errorf("%s: the elements differ", path)
		}
	}
	refused := open(t, netcdf.Options{Store: stores}, "mem://linked-far/refused/refused.h5")
	for path, want := range map[string]string{"absolute": "is an absolute name", "above": "parts/part_0.h5 is not in the folder of"} {
		if _, err := refused.Array(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", path, err, want)
		}
	}
	opt := netcdf.Options{Store: stores, Follow: sources.Following{Folders: []string{"mem://linked-far"}}}
	if _, err := open(t, opt, "mem://linked-far/refused/refused.h5").Array(t.Context(), "above"); err != nil {
		t.Errorf("an allowed folder: %v", err)
	}
}
