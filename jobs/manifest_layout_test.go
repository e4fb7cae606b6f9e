package jobs

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/sources"
)

// recordV1 runs a job of testdata/record_v1, then puts a file of that folder in the
// place of its record of completion, or of its plan.
func recordV1(t *testing.T, jobFile, record, place string) *Job {
	t.Helper()
	dir := t.TempDir()
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)
	for name, zeros := range map[string]int{"a.raw": 240, "b.raw": 24, "c.raw": 24} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(strings.Repeat("0", zeros)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join("testdata", "record_v1", jobFile))
	if err != nil {
		t.Fatal(err)
	}
	j, err := Parse(jobFile, text, dir, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, j, environment(), RunOptions{}); err != nil {
		t.Fatal(err)
	}
	if j.Target.Existing == "append" {
		if j, err = Parse(jobFile, text, dir, LoadOptions{Set: []string{"source.arrays.x.url=c.raw"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := execute(t, j, environment(), RunOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if text, err = os.ReadFile(filepath.Join("testdata", "record_v1", record)); err != nil {
		t.Fatal(err)
	}
	if place == "plan.json" {
		var done struct{ Manifest json.RawMessage }
		if err := json.Unmarshal(text, &done); err != nil {
			t.Fatal(err)
		}
		text = done.Manifest
		if err := os.Remove(filepath.Join(j.Target.URL+".zmigrate", "done.json")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(j.Target.URL+".zmigrate", place), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return j
}

// A target that the program before version 2 of the manifest completed is complete.
func TestRecordOfVersion1(t *testing.T) {
	for _, test := range []struct {
		job, record string
		want        []ArrayStatus
	}{
		{"job.yaml", "done.json", []ArrayStatus{{"group/height", 6, 6, 0, 147}, {"b", 1, 1, 0, 16}}},
		{"append.yaml", "append.json", []ArrayStatus{{"x", 1, 1, 0, 16}}},
	} {
		j := recordV1(t, test.job, test.record, "done.json")
		result, err := execute(t, j, environment(), RunOptions{})
		if err != nil || !result.Nothing {
			t.Errorf("%s: %+v, %v: want nothing to do", test.job, result, err)
		}
		s, err := ReadStatus(t.Context(), j, environment())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, s.Arrays); diff != "" || s.State != "complete" {
			t.Errorf("%s: %s %s", test.job, s.State, diff)
		}
	}
}

// What has changed since a record of version 1 is told as since any other.
func TestRecordOfVersion1Differs(t *testing.T) {
	j := recordV1(t, "job.yaml", "done.json", "done.json")
	if err := os.WriteFile(filepath.Join(j.Dir, "b.raw"), []byte(strings.Repeat("1", 24)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := execute(t, j, environment(), RunOptions{})
	if err == nil || !strings.Contains(err.Error(), "source file b.raw was last changed 2026-01-02T03:04:05.678901234Z") {
		t.Errorf("got %v", err)
	}
}

// A run that the program before version 2 of the manifest began is gone on with.
func TestPlanOfVersion1(t *testing.T) {
	j := recordV1(t, "job.yaml", "done.json", "plan.json")
	segment := filepath.Join(j.Target.URL+".zmigrate", "segments", "000001.jsonl")
	if err := os.MkdirAll(filepath.Dir(segment), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(segment, []byte(`{"a":1,"u":0,"k":"b/c/0","n":16}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	result, err := execute(t, j, environment(), RunOptions{})
	if err != nil || result.Nothing || result.Resumed != 1 {
		t.Errorf("%+v, %v: want one chunk of an earlier run", result, err)
	}
}

// A record of a version that is not known yet is refused.
func TestManifestOfLaterVersion(t *testing.T) {
	if _, err := readManifest([]byte(`{"version":3}`)); err == nil || !strings.Contains(err.Error(), "later version") {
		t.Errorf("got %v", err)
	}
}

func TestManifestFiles(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))
	for want, files := range map[string]manifestFiles{
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
		var again manifestFiles
		if err := json.Unmarshal(text, &again); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(files, again, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })); diff != "" {
			t.Error(diff)
		}
	}
	for _, bad := range []string{`{"files":[{}]}`, `{"files":[["a",1,"2026-01-02T02:04:05Z","","","","","","",""]]}`, `{"files":[["a","b"]]}`, `{"files":7}`} {
		if err := json.Unmarshal([]byte(bad), new(manifestFiles)); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// The text of a manifest, which is written part by part, is what json.Marshal makes of
// it, and the hash is that of all but itself and what may change of files.
func TestManifestText(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	touched := sources.File{URL: "a/<b>.nc", Size: 8, ModTime: at, Changed: at, Head: "h"}
	for _, m := range []Manifest{
		{Version: manifestVersion, Job: json.RawMessage(`{"name":"a & b"}`), Files: manifestFiles{touched}, Arrays: []ManifestArray{}},
		{
			Version: manifestVersion, Job: json.RawMessage(`{}`), Files: manifestFiles{touched, {URL: "c", ModTime: at, ETag: `"e"`}},
			Arrays: []ManifestArray{{Source: "a", Target: "a", Chunks: 1, Digest: "d", Shape: []int{4}}, {Source: "ü\n", Target: "b", Removed: zarr.Attributes{{Name: "<", Value: json.RawMessage(`"\u00e9"`)}}}},
			Append: "time", Earlier: manifestFiles{{URL: "earlier", ModTime: at}},
		},
	} {
		type plain Manifest
		hashed := plain(m)
		for _, files := range []*manifestFiles{&hashed.Files, &hashed.Earlier} {
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
		again, err := readManifest(want)
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
	m := Manifest{Version: manifestVersion, Job: json.RawMessage(`{}`)}
	size := func() int {
		manifest, err := json.Marshal(&m)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Completion{Manifest: manifest, Arrays: make([]CompletedArray, len(m.Arrays))}.text()
		if err != nil {
			t.Fatal(err)
		}
		return len(text)
	}
	none := size()
	const n = 1000
	for i := range n {
		document := fmt.Sprintf(`{"attributes":{"long":%q}}`, strings.Repeat("x", i))
		m.Arrays = append(m.Arrays, ManifestArray{Source: fmt.Sprintf("a%04d", i), Target: fmt.Sprintf("a%04d", i), Chunks: 1, Shape: []int{4}, Digest: metadataDigest([]byte(document))})
		m.Files = append(m.Files, sources.File{URL: fmt.Sprintf("/some/where/else/a%04d/c/0", i), Size: 16, ModTime: time.Unix(1, 23456789)})
	}
	if each := (size() - none) / n; each > 160 {
		t.Errorf("%d bytes of each array and its file, want at most 160", each)
	}
}
