package jobs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

func environment() Environment {
	return Environment{Codecs: standard.Registry(dtype.Standard()), Memory: &store.Memory{}}
}

// planned makes a plan, which is closed with the test.
func planned(t *testing.T, dir, text string) *Plan {
	t.Helper()
	j, err := Parse("job.yaml", []byte(text), dir, environment())
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(t.Context(), j, environment())
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

// reservedFolder is a folder with reserved.h5, whose nodes have names that Zarr reserves
// or does not have.
func reservedFolder(t *testing.T) string {
	t.Helper()
	return sourcetest.Unzip(t, "../sources/netcdf/testdata/foreign.zip")
}

const reservedJob = "zmigrate: 1\ntarget: {url: out.zarr}\nsource: {driver: netcdf, url: reserved.h5"
