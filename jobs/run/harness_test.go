package run

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

func environment() plan.Environment {
	return plan.Environment{Codecs: standard.Registry(dtype.Standard()), Memory: &store.Memory{}}
}

// testJob is a job over one raw array of 10 × 6 float32 in a new folder.
func testJob(t *testing.T, more string) *jobfile.Job {
	t.Helper()
	dir := t.TempDir()
	data := make([]byte, 0, 240)
	for i := range 60 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i)))
	}
	if err := os.WriteFile(filepath.Join(dir, "a.raw"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return parseJob(t, dir, more)
}

func parseJob(t *testing.T, dir, more string) *jobfile.Job {
	t.Helper()
	text := `
zmigrate: 1
source:
  driver: raw
  arrays:
    group/a: {url: a.raw, data_type: float32, shape: [10, 6], dimension_names: [y, x], attributes: {units: m, drop: 1}}
target: {url: out.zarr}
` + more
	j, err := jobfile.Parse("job.yaml", []byte(text), dir, jobfile.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// planned makes a plan, which is closed with the test.
func planned(t *testing.T, dir, text string) *plan.Plan {
	t.Helper()
	j, err := jobfile.Parse("job.yaml", []byte(text), dir, jobfile.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(t.Context(), j, environment())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// writeTree writes documents below a folder.
func writeTree(t *testing.T, dir string, documents map[string]string) {
	t.Helper()
	for name, text := range documents {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

const aGroup = `{"zarr_format": 3, "node_type": "group", "attributes": {"is": "v3"}}`

const anArray = `{"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "uint8", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
	"chunk_key_encoding": {"name": "default"}, "fill_value": 7, "codecs": [{"name": "bytes"}], "dimension_names": ["x"]}`

// treeJob writes a hierarchy with groups that hold no array, and returns the job
// that migrates it.
func treeJob(t *testing.T, dir, more string) *jobfile.Job {
	t.Helper()
	writeTree(t, filepath.Join(dir, "in.zarr"), map[string]string{
		"zarr.json": aGroup, "a/zarr.json": anArray, "full/zarr.json": aGroup, "full/b/zarr.json": anArray, "full/none/zarr.json": aGroup,
		"meta/zarr.json": aGroup, "meta/deep/zarr.json": aGroup,
	})
	j, err := jobfile.Parse("job.yaml", []byte("zmigrate: 1\ntarget: {url: out.zarr}\n"+more), dir, jobfile.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return j
}
