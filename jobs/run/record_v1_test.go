package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// recordV1 runs a job of testdata/record_v1, then puts a file of that folder in the
// place of its record of completion, or of its plan.
func recordV1(t *testing.T, jobFile, record, place string) *jobfile.Job {
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
	j, err := jobfile.Parse(jobFile, text, dir, jobfile.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, j, jobtest.Environment(), Options{}); err != nil {
		t.Fatal(err)
	}
	if j.Target.Existing == "append" {
		if j, err = jobfile.Parse(jobFile, text, dir, jobfile.LoadOptions{Set: []string{"source.arrays.x.url=c.raw"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := execute(t, j, jobtest.Environment(), Options{}); err != nil {
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

// A target that a program before version 2 of the manifest completed counts as complete.
func TestRecordOfVersion1(t *testing.T) {
	for _, test := range []struct {
		job, record string
		want        []ArrayStatus
	}{
		{"job.yaml", "done.json", []ArrayStatus{{"group/height", 6, 6, 0, 147}, {"b", 1, 1, 0, 16}}},
		{"append.yaml", "append.json", []ArrayStatus{{"x", 1, 1, 0, 16}}},
	} {
		j := recordV1(t, test.job, test.record, "done.json")
		result, err := execute(t, j, jobtest.Environment(), Options{})
		if err != nil || !result.Nothing {
			t.Errorf("%s: %+v, %v: want nothing to do", test.job, result, err)
		}
		s, err := ReadStatus(t.Context(), j, jobtest.Environment())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, s.Arrays); diff != "" || s.State != "complete" {
			t.Errorf("%s: %s %s", test.job, s.State, diff)
		}
	}
}

// Changes since a record of version 1 are listed like changes since any other record.
func TestRecordOfVersion1Differs(t *testing.T) {
	j := recordV1(t, "job.yaml", "done.json", "done.json")
	if err := os.WriteFile(filepath.Join(j.Dir, "b.raw"), []byte(strings.Repeat("1", 24)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := execute(t, j, jobtest.Environment(), Options{})
	if err == nil || !strings.Contains(err.Error(), "source file b.raw was last changed 2026-01-02T03:04:05.678901234Z") {
		t.Errorf("got %v", err)
	}
}

// A run that a program before version 2 of the manifest began can be resumed.
func TestPlanOfVersion1(t *testing.T) {
	j := recordV1(t, "job.yaml", "done.json", "plan.json")
	segment := filepath.Join(j.Target.URL+".zmigrate", "segments", "000001.jsonl")
	if err := os.MkdirAll(filepath.Dir(segment), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(segment, []byte(`{"a":1,"u":0,"k":"b/c/0","n":16}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	result, err := execute(t, j, jobtest.Environment(), Options{})
	if err != nil || result.Nothing || result.Resumed != 1 {
		t.Errorf("%+v, %v: want one chunk of an earlier run", result, err)
	}
}
