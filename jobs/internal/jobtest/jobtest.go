// Package jobtest has what the tests of several packages of jobs need: small jobs, and
// sources for them. It stands above package plan, so plan's own tests can use it.
package jobtest

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/store"
)

// Parse parses the text of a job. Its relative paths are below dir.
func Parse(t testing.TB, dir, text string) *jobfile.Job {
	t.Helper()
	j, err := jobfile.Parse("job.yaml", []byte(text), dir, jobfile.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// Close closes a plan with the test.
func Close(t testing.TB, c io.Closer) {
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Raw is a job over one raw array of 10 × 6 float32 in a new folder. The array is
// group/a, and its elements count from 0. The sections in more are added to the job.
func Raw(t testing.TB, more string) *jobfile.Job {
	t.Helper()
	dir := t.TempDir()
	data := make([]byte, 0, 240)
	for i := range 60 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i)))
	}
	if err := os.WriteFile(filepath.Join(dir, "a.raw"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return RawIn(t, dir, more)
}

// RawIn is the job of [Raw] in a folder that has the file a.raw.
func RawIn(t testing.TB, dir, more string) *jobfile.Job {
	t.Helper()
	return Parse(t, dir, `
zmigrate: 1
source:
  driver: raw
  arrays:
    group/a: {url: a.raw, data_type: float32, shape: [10, 6], dimension_names: [y, x], attributes: {units: m, drop: 1}}
target: {url: out.zarr}
`+more)
}

// Group is the document of a group, and Array that of an array of four elements.
const (
	Group = `{"zarr_format": 3, "node_type": "group", "attributes": {"is": "v3"}}`
	Array = `{"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "uint8", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
	"chunk_key_encoding": {"name": "default"}, "fill_value": 7, "codecs": [{"name": "bytes"}], "dimension_names": ["x"]}`
)

// WriteTree writes documents below a folder. Their keys are paths.
func WriteTree(t testing.TB, dir string, documents map[string]string) {
	t.Helper()
	for name, text := range documents {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// Tree writes the hierarchy in.zarr below dir, in which some groups hold no array, and
// returns a job with the sections in more. They name the source.
func Tree(t testing.TB, dir, more string) *jobfile.Job {
	t.Helper()
	WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{
		"zarr.json": Group, "a/zarr.json": Array, "full/zarr.json": Group, "full/b/zarr.json": Array, "full/none/zarr.json": Group,
		"meta/zarr.json": Group, "meta/deep/zarr.json": Group,
	})
	return Parse(t, dir, "zmigrate: 1\ntarget: {url: out.zarr}\n"+more)
}

// Environment is one of its own for a test: the standard codecs, and memory for mem: URLs.
func Environment() environment.Environment {
	return environment.Environment{Codecs: standard.Registry(dtype.Standard()), Memory: &store.Memory{}}
}
