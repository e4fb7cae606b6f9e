package jobfile

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/zarr"
)

// small is a job without faults to build on.
const small = `zmigrate: 1
source: {driver: netcdf, url: a.nc}
target: {url: out.zarr}
`

// parseWith parses text as job.yaml in the folder "dir", with two variables.
func parseWith(t *testing.T, text string, set ...string) (*Job, Problems) {
	t.Helper()
	vars := map[string]string{"YEAR": "1999", "EMPTY": "", "YES": "true"}
	j, err := Parse("job.yaml", []byte(text), "dir", LoadOptions{Set: set, LookupEnv: func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}})
	var ps Problems
	if err != nil && !errors.As(err, &ps) {
		t.Fatalf("error is %T, not Problems: %v", err, err)
	}
	return j, ps
}

func mustParse(t *testing.T, text string, set ...string) *Job {
	t.Helper()
	j, ps := parseWith(t, text, set...)
	if ps != nil {
		t.Fatal(ps)
	}
	return j
}

func lines(ps Problems) []string {
	if len(ps) == 0 {
		return nil
	}
	return strings.Split(ps.Error(), "\n")
}

func pointers(a, b, c string) []*string { return []*string{&a, &b, &c} }

func TestLoadFullExample(t *testing.T) {
	file := filepath.Join("testdata", "full.yaml")
	got, err := Load(file, LoadOptions{LookupEnv: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	zstd := codecs.Spec{Name: "zstd", Configuration: json.RawMessage(`{"level":3}`)}
	defaults := ArrayOptions{Codecs: Codecs{Chain: []codecs.Spec{{Name: "bytes"}, zstd}, Inherited: true}, FromDefaults: FromDefaults{Chunks: true, Shards: true, DataType: true}}
	target := "s3://bucket/climate/coads.zarr?region=eu-west-1"
	want := &Job{
		Name: "coads", File: file, Dir: "testdata",
		Source: Source{
			Driver: "netcdf", Locations: []Location{{"data/coads_*.cdf", filepath.Join("testdata", "data", "coads_*.cdf")}},
			Concat: "TIME", CF: "keep", Include: []string{"SST", "*WND"}, Exclude: []string{},
		},
		Target:   Target{Location: Location{target, target}, Consolidated: true, Readers: []string{"zarr-python>=3.1", "xarray"}, Existing: "resume"},
		Defaults: defaults,
		Arrays: []ArrayRule{{Pattern: "SST", ArrayOptions: ArrayOptions{
			Rename: "sst", Chunks: Chunks{Shape: []int{12, 90, 180}}, Shards: []int{12, 90, 360},
			FillValue: json.RawMessage(`"NaN"`), DimensionNames: pointers("time", "lat", "lon"),
			Attributes: zarr.Attributes{{Name: "units", Value: json.RawMessage(`"degC"`)}},
			DataType:   json.RawMessage(`"float64"`),
			Cast:       Cast{Rounding: "nearest-even", OutOfRange: "clamp"},
			Codecs: Codecs{Chain: []codecs.Spec{
				{Name: "scale_offset", Configuration: json.RawMessage(`{"offset":-10,"scale":0.1}`)},
				{Name: "cast_value", Configuration: json.RawMessage(
					`{"data_type":"uint8","scalar_map":{"encode":[["NaN",0]],"decode":[[0,"NaN"]]}}`)},
				{Name: "bytes"}, zstd,
			}},
		}}},
		Run: Run{
			Memory: 1 << 30, Workers: Workers{8, 0, 16}, PerSecond: 500, Retries: 10,
			Checkpoint: Location{"checkpoints/coads", filepath.Join("testdata", "checkpoints", "coads")},
			Every:      5 * time.Second, LockLifetime: 2 * time.Minute, Path: "auto",
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Job{})); diff != "" {
		t.Error(diff)
	}
}

func TestLoadRaw(t *testing.T) {
	j := mustParse(t, `zmigrate: 1
source:
  driver: raw
  arrays:
    g/a: {url: [x.bin, /abs/y.bin], data_type: ">f4", shape: [2, 3], order: F, offset: 16,
          dimension_names: [time, null], attributes: {n: 18446744073709551615}}
    b: {url: s3://b/t*.raw, stack: time, data_type: {name: uint16}, endian: big, shape: []}
  concat: time
  order: natural
target: {url: out.zarr, existing: fail, consolidated: false, store_empty_chunks: true}
run: {path: decode, memory: 64MiB, requests: {per_second: 0.5}}
`)
	time := "time"
	want := []RawArray{
		{
			Name: "g/a", Locations: []Location{{"x.bin", "dir/x.bin"}, {"/abs/y.bin", "/abs/y.bin"}}, Concat: "time",
			DataType: json.RawMessage(`">f4"`), Shape: []int{2, 3}, Order: "F", Offset: 16, DimensionNames: []*string{&time, nil},
			Attributes: zarr.Attributes{{Name: "n", Value: json.RawMessage("18446744073709551615")}},
		},
		{
			Name: "b", Locations: []Location{{"s3://b/t*.raw", "s3://b/t*.raw"}}, Stack: "time",
			DataType: json.RawMessage(`{"name":"uint16"}`), Endian: "big", Shape: []int{}, Order: "C",
		},
	}
	if diff := cmp.Diff(want, j.Source.Arrays); diff != "" {
		t.Error(diff)
	}
	stacked := mustParse(t, `{"zmigrate": 1, "target": {"url": "out"}, "source": {"driver": "raw", "stack": "time", "arrays": {
		"a": {"url": "x", "data_type": "int8", "shape": []}, "b": {"url": "x", "data_type": "int8", "shape": [1], "concat": "x", "dimension_names": ["x"]}}}}`).Source.Arrays
	if a, b := stacked[0], stacked[1]; a.Stack != "time" || b.Stack != "" || b.Concat != "x" {
		t.Errorf("arrays %+v and %+v", a, b)
	}
	if j.Target.Existing != "fail" || j.Target.Consolidated || !j.Target.StoreEmptyChunks {
		t.Errorf("target: %+v", j.Target)
	}
	if j.Run.Path != "decode" || j.Run.Memory != 64<<20 || j.Run.PerSecond != 0.5 || j.Run.Retries != 10 {
		t.Errorf("run: %+v", j.Run)
	}
}

func TestLoadFileErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := Load(filepath.Join(dir, "none.yaml"), LoadOptions{})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Load(dir, LoadOptions{}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a folder: %v", err)
	}
	big := filepath.Join(dir, "big.yaml")
	if err := os.WriteFile(big, []byte(small+"# "+strings.Repeat("x", maxFile)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(big, LoadOptions{}); err == nil || !strings.Contains(err.Error(), "big.yaml: the file is larger than 4 MiB") {
		t.Errorf("large file: %v", err)
	}
	odd := filepath.Join(dir, "odd.yaml")
	if err := os.WriteFile(odd, []byte("\xef\xbb\xbf"+strings.ReplaceAll(small, "\n", "\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := Load(odd, LoadOptions{})
	if err != nil {
		t.Fatalf("byte order mark and Windows line ends: %v", err)
	}
	if want := filepath.Join(dir, "out.zarr"); j.Target.URL != want || j.Name != "odd" {
		t.Errorf("target %s, name %s; want %s, odd", j.Target.URL, j.Name, want)
	}
}

func TestDefaultsUnderRules(t *testing.T) {
	j := mustParse(t, small+`
arrays:
  "*": {chunks: auto}
  "g/**": {codecs: keep, allow_inexact: false}
  SST: {attributes: {b: null, c: 3}, chunks: [1]}
  other:
defaults: {chunks: [7], allow_inexact: true, attributes: {a: 1, b: 2}}
`)
	for _, tt := range []struct {
		path, field, attributes string
		chunks                  Chunks
		inexact                 bool
	}{
		{"SST", "arrays.SST", `{"a":1,"b":null,"c":3}`, Chunks{Shape: []int{1}}, true},
		{"other", "arrays.other", `{"a":1,"b":2}`, Chunks{Shape: []int{7}}, true},
		{"x", "arrays.*", `{"a":1,"b":2}`, Chunks{Auto: true}, true},
		{"g/x/y", "arrays.g/**", `{"a":1,"b":2}`, Chunks{Shape: []int{7}}, false},
		{"h/x", "defaults", `{"a":1,"b":2}`, Chunks{Shape: []int{7}}, true},
	} {
		o, field := j.Options(tt.path)
		attributes, err := json.Marshal(o.Attributes)
		if err != nil {
			t.Fatal(err)
		}
		if field != tt.field || string(attributes) != tt.attributes || !cmp.Equal(o.Chunks, tt.chunks) || o.AllowInexact != tt.inexact {
			t.Errorf("%s: %s %s %+v %v", tt.path, field, attributes, o.Chunks, o.AllowInexact)
		}
	}
}

func TestProblemPositions(t *testing.T) {
	j := mustParse(t, `zmigrate: 1
source: {driver: netcdf, url: a.nc}
target: {url: out.zarr}
defaults:
  codecs: [bytes, {zstd: {level: 3}}]
arrays:
  SST:
    codecs:
      - transpose: {order: [0, 0]}
      - name: bytes
        configuration:
          endian: middle
  "a.b": {chunks: [1]}
  AIRT: {chunks: [1]}
`, "arrays.AIRT.rename=x")
	for _, tt := range []struct{ field, want string }{
		{"arrays.SST.codecs[0].order", "job.yaml:9:21: arrays.SST.codecs[0].order: m"},
		{"arrays.SST.codecs[0].order[1]", "job.yaml:9:32: arrays.SST.codecs[0].order[1]: m"},
		{"arrays.SST.codecs[1].endian", "job.yaml:12:19: arrays.SST.codecs[1].endian: m"},
		{"arrays.SST.codecs[1].name", "job.yaml:10:15: arrays.SST.codecs[1].name: m"},
		{"arrays.SST.codecs[7]", "job.yaml:8:5: arrays.SST.codecs[7]: m"},
		{"arrays.SST.chunks", "job.yaml:7:3: arrays.SST.chunks: m"},
		{"arrays.AIRT.codecs[1].level", "job.yaml:5:34: defaults.codecs[1].level: m"},
		{`arrays["a.b"].chunks[0]`, `job.yaml:13:20: arrays["a.b"].chunks[0]: m`},
		{"arrays.AIRT.rename", "--set arrays.AIRT.rename=x: arrays.AIRT.rename: m"},
		{"run.memory", "job.yaml:1:1: run.memory: m"},
		{"", "job.yaml:1:1: m"},
	} {
		if got := j.Problem(tt.field, "m", "").String(); got != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.field, got, tt.want)
		}
	}
}
