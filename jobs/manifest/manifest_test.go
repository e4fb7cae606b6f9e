package manifest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// A record of a version that is not known yet is refused.
func TestManifestOfLaterVersion(t *testing.T) {
	if _, err := Parse([]byte(`{"version":3}`)); err == nil || !strings.Contains(err.Error(), "later version") {
		t.Errorf("got %v", err)
	}
}

// An array that an earlier plan left out, such as because the program did not read it, is named. Its files are not new.
func TestDifferencesOfArrays(t *testing.T) {
	document, chunk := sources.File{URL: "s.zarr/c/.zarray", Size: 9}, sources.File{URL: "s.zarr/c/0", Size: 8}
	was := &Manifest{Hash: "1", Job: []byte(`{}`), Files: Files{document}, Arrays: []Array{{Source: "a", Target: "a"}}}
	for _, test := range []struct {
		is   Manifest
		want []string
	}{
		{Manifest{Files: Files{document, chunk}, Arrays: []Array{{Source: "a"}, {Source: "c"}}}, []string{`array "c" of the source is read, and was not`}},
		{Manifest{Files: Files{document, chunk, {URL: "s.zarr/a/0"}}, Arrays: []Array{{Source: "a"}, {Source: "c"}}}, []string{"source file s.zarr/a/0 is new", `array "c" of the source is read, and was not`}},
		{Manifest{Files: Files{document, chunk}, Arrays: []Array{{Source: "a", Target: "a"}}}, []string{"source file s.zarr/c/0 is new"}},
	} {
		test.is.Hash, test.is.Job = "2", was.Job
		if diff := cmp.Diff(test.want, test.is.Differences(was)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestManifestFiles(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))
	for want, files := range map[string]Files{
		`{"base":"","files":[]}`: {},
		`{"base":"","files":[["d/a.nc",8,"2026-01-02T02:04:05.000000006Z"]]}`: {{URL: "d/a.nc", Size: 8, ModTime: at}},
		`{"base":"s3://b/","files":[["d/a",8,"2026-01-02T02:04:05.000000006Z","x"],["db",9,"0001-01-01T00:00:00Z","","q"]]}`: {
			{URL: "s3://b/d/a", Size: 8, ModTime: at, ETag: "x"}, {URL: "s3://b/db", Size: 9, Query: "q"},
		},
		`{"base":"","files":[["a",1,"0001-01-01T00:00:00Z"],["b/c",2,"0001-01-01T00:00:00Z"],["b/d",3,"0001-01-01T00:00:00Z"]]}`: {
			{URL: "a", Size: 1}, {URL: "b/c", Size: 2}, {URL: "b/d", Size: 3},
		},
	} {
		text, err := json.Marshal(files)
		if err != nil || string(text) != want {
			t.Errorf("%s, %v, want %s", text, err, want)
		}
		var again Files
		if err := json.Unmarshal(text, &again); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(files, again, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })); diff != "" {
			t.Error(diff)
		}
	}
	for _, bad := range []string{`{"files":[{}]}`, `{"files":[["a",1,"2026-01-02T02:04:05Z","","","","","","",""]]}`, `{"files":[["a","b"]]}`, `{"files":7}`} {
		if err := json.Unmarshal([]byte(bad), new(Files)); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// The text of a manifest is written part by part and equals what json.Marshal writes. The
// hash covers everything but itself and the change times and heads of files.
func TestManifestText(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	touched := sources.File{URL: "a/<b>.nc", Size: 8, ModTime: at, Changed: at, Head: "h"}
	for _, m := range []Manifest{
		{Version: Version, Job: json.RawMessage(`{"name":"a & b"}`), Files: Files{touched}, Arrays: []Array{}},
		{
			Version: Version, Job: json.RawMessage(`{}`), Files: Files{touched, {URL: "c", ModTime: at, ETag: `"e"`}},
			Arrays: []Array{{Source: "a", Target: "a", Chunks: 1, Digest: "d", Shape: []int{4}}, {Source: "ü\n", Target: "b", Removed: zarr.Attributes{{Name: "<", Value: json.RawMessage(`"\u00e9"`)}}}},
			Append: "time", Earlier: Files{{URL: "earlier", ModTime: at}},
		},
	} {
		type plain Manifest
		hashed := plain(m)
		for _, files := range []*Files{&hashed.Files, &hashed.Earlier} {
			*files = slices.Clone(*files)
			for i := range *files {
				(*files)[i].Changed, (*files)[i].Head = time.Time{}, ""
			}
		}
		text, err := json.Marshal(hashed)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.seal(); err != nil {
			t.Fatal(err)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(text)); m.Hash != sum {
			t.Errorf("hash %s, want %s of %s", m.Hash, sum, text)
		}
		want, err := json.Marshal(plain(m))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.MarshalJSON(); err != nil || string(got) != string(want) {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
		again, err := Parse(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := again.MarshalJSON(); err != nil || string(got) != string(want) {
			t.Errorf("read and written again: %s, %v, want %s", got, err, want)
		}
	}
}

// The bytes of the record of an array do not grow with its metadata, and are few.
func TestBytesOfRecord(t *testing.T) {
	m := Manifest{Version: Version, Job: json.RawMessage(`{}`)}
	size := func() int {
		text, err := json.Marshal(&m)
		if err != nil {
			t.Fatal(err)
		}
		return len(text) + len("{},")*len(m.Arrays) // how each has come out
	}
	none := size()
	const n = 1000
	for i := range n {
		document := fmt.Sprintf(`{"attributes":{"long":%q}}`, strings.Repeat("x", i))
		m.Arrays = append(m.Arrays, Array{Source: fmt.Sprintf("a%04d", i), Target: fmt.Sprintf("a%04d", i), Chunks: 1, Shape: []int{4}, Digest: MetadataDigest([]byte(document))})
		m.Files = append(m.Files, sources.File{URL: fmt.Sprintf("/some/where/else/a%04d/c/0", i), Size: 16, ModTime: time.Unix(1, 23456789)})
	}
	if each := (size() - none) / n; each > 160 {
		t.Errorf("%d bytes of each array and its file, want at most 160", each)
	}
}
