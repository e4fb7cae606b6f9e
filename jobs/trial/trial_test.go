package trial_test

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/jobs/run"
	"github.com/zmigrate/zmigrate/jobs/trial"
	"github.com/zmigrate/zmigrate/jobs/verify"
)

// field writes a smooth field of 30 × 50 float32, with a part of zeros, and returns a job
// over it. options are those of the array.
func field(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	var data []byte
	for y := range 30 {
		for x := range 50 {
			v := 0.0
			if y < 20 {
				v = 280 + 10*math.Sin(float64(x)/9)*math.Cos(float64(y)/7) + float64(x*7919%13)/100
			}
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.raw"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	text := `
zmigrate: 1
source:
  driver: raw
  arrays:
    a: {url: a.raw, data_type: float32, shape: [30, 50], dimension_names: [y, x]}
target: {url: out.zarr}
arrays: {a: {fill_value: 0, ` + options + `}}
`
	if err := os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func job(t *testing.T, dir string) *plan.Plan {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "job.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(t.Context(), jobtest.Parse(t, dir, string(text)), environment.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Close(t, p)
	return p
}

// stored returns the bytes of all objects of an array in a local target.
func stored(t *testing.T, dir string) int64 {
	t.Helper()
	sum := int64(0)
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(file, "zarr.json") {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestArray samples all chunks. What is stored, and how far values are from those of the
// source, is then what a run stores and a verification measures.
func TestArray(t *testing.T) {
	for name, options := range map[string]string{
		"plain":    `chunks: [10, 10], codecs: [bytes]`,
		"zstd":     `chunks: [8, 16], codecs: [bytes, {zstd: {level: 3}}]`,
		"shards":   `chunks: [5, 10], shards: [10, 20], codecs: [bytes, {zstd: {level: 3}}]`,
		"zfp":      `chunks: [7, 9], codecs: [{zfp: {mode: fixed_accuracy, tolerance: 0.5}}]`,
		"bitround": `chunks: [10, 50], codecs: [{bitround: {keepbits: 6}}, bytes, {blosc: {cname: zstd}}]`,
		"cast":     `chunks: [10, 10], data_type: int16, codecs: [bytes], cast: {rounding: nearest-even}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := field(t, options)
			p := job(t, dir)
			e, err := trial.Array(t.Context(), p, &p.Arrays[0], 1000)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := run.Run(t.Context(), p, environment.Environment{}, run.Options{}); err != nil {
				t.Fatal(err)
			}
			if want := stored(t, filepath.Join(dir, "out.zarr")); e.Stored != want {
				t.Errorf("the sample says %d bytes, and %d are stored", e.Stored, want)
			}
			if e.Chunks != e.Of || *e.Ratio != float64(e.Bytes)/float64(e.Stored) || *e.Uncertainty != 0 || e.EncodeSpeed <= 0 || e.Read <= 0 {
				t.Errorf("%+v", e)
			}
			v, err := verify.Verify(t.Context(), p.Job, environment.Environment{}, verify.Options{Level: verify.Source, Sample: 1})
			if err != nil {
				t.Fatal(err)
			}
			if len(v.Deviations) == 0 != (e.Deviation == nil) {
				t.Fatalf("%+v, verified %+v", e.Deviation, v.Deviations)
			}
			if e.Deviation != nil {
				if want := v.Deviations[0]; e.Deviation.Max != want.Max || e.Deviation.Bound != want.Bound || e.Deviation.Unequal != want.Unequal || cmp.Diff(e.Deviation.Errors, want.Errors) != "" || math.Abs(float64(e.Deviation.RMS-want.RMS)) > 1e-12 {
					t.Errorf("%+v, verified %+v", e.Deviation, want)
				}
			}
		})
	}
}

// TestArrayOfSome samples some chunks, of which the rest follows within some uncertainty.
func TestArrayOfSome(t *testing.T) {
	p := job(t, field(t, `chunks: [2, 10], codecs: [bytes, {zstd: {level: 3}}]`))
	all, err := trial.Array(t.Context(), p, &p.Arrays[0], 75)
	if err != nil {
		t.Fatal(err)
	}
	some, err := trial.Array(t.Context(), p, &p.Arrays[0], 25)
	if err != nil {
		t.Fatal(err)
	}
	by := math.Abs(float64(some.Stored)/float64(all.Stored) - 1)
	if some.Chunks != 25 || some.Of != 75 || by > 3**some.Uncertainty || *some.Uncertainty > 0.2 || *some.Uncertainty < 0.01 {
		t.Errorf("%d chunks: %d bytes ± %g, and %d by all", some.Chunks, some.Stored, *some.Uncertainty, all.Stored)
	}
}

// TestCarried samples objects that are carried through.
func TestCarried(t *testing.T) {
	dir := field(t, `chunks: [7, 50], codecs: [bytes, {zstd: {level: 3}}]`)
	if _, err := run.Run(t.Context(), job(t, dir), environment.Environment{}, run.Options{}); err != nil {
		t.Fatal(err)
	}
	text := "zmigrate: 1\nsource: {driver: zarr, url: out.zarr}\ntarget: {url: again.zarr}\n"
	if err := os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := job(t, dir)
	if p.Arrays[0].Reason != "" {
		t.Fatal(p.Arrays[0].Reason)
	}
	e, err := trial.Array(t.Context(), p, &p.Arrays[0], 100)
	if want := stored(t, filepath.Join(dir, "out.zarr")); err != nil || e.Stored != want || e.Bytes != 6000 || e.Chunks != 5 {
		t.Errorf("%+v, error %v; %d bytes are stored", e, err, want)
	}
}

// TestArrayRefused: values that the chain refuses, and chunks that do not fit into memory.
func TestArrayRefused(t *testing.T) {
	p := job(t, field(t, `chunks: [10, 10], codecs: [bytes]`))
	p.Job.Run.Memory = 100
	_, err := trial.Array(t.Context(), p, &p.Arrays[0], 1)
	if want := `array "a", chunk [`; err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "run.memory is 100 B") {
		t.Error(err)
	}
}

// TestTexts samples elements of variable size.
func TestTexts(t *testing.T) {
	dir := t.TempDir()
	var list strings.Builder
	for i := range 40 {
		fmt.Fprintf(&list, "%s\n", strings.Repeat("abc", i%7))
	}
	jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{
		"zarr.json": `{"zarr_format": 3, "node_type": "array", "shape": [5], "data_type": "string", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
	"chunk_key_encoding": {"name": "default"}, "fill_value": "missing", "codecs": [{"name": "vlen-utf8"}], "dimension_names": ["x"]}`,
	})
	p := mustPlan(t, dir, "zmigrate: 1\nsource: {driver: zarr, url: in.zarr}\ntarget: {url: out.zarr, store_empty_chunks: true}\ndefaults: {chunks: [3]}\n")
	e, err := trial.Array(t.Context(), p, &p.Arrays[0], 10)
	if err != nil {
		t.Fatal(err)
	}
	// Two chunks of three texts, the last of which is padding, each after its length in 4 bytes,
	// after the number of texts in 4 bytes.
	if want := int64(2 * (4 + 3*(4+7))); e.Bytes != 5*7 || e.Stored != want {
		t.Errorf("%+v, want %d bytes stored", e, want)
	}
}

func mustPlan(t *testing.T, dir, text string) *plan.Plan {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return job(t, dir)
}
