package e2e

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestInteropUnpack compares the physical values of packed variables, random ones of
// all types, with those that xarray and netCDF4-python read: bit for bit, except that
// all NaNs are equal.
func TestInteropUnpack(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, "cf_sources.py", dir, interopSeed)
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]string // data types
	if err := json.Unmarshal(text, &expected); err != nil || len(expected) == 0 {
		t.Fatalf("%s: %v", text, err)
	}
	unpack := func(string) cf.Mode { return cf.Unpack }
	src, err := netcdf.OpenAll(t.Context(), []string{filepath.Join(dir, "packed.nc")}, netcdf.Options{CF: unpack})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}()
	for name, want := range expected {
		a, err := src.Array(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, name+".bin"))
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Info().Type; got.Name() != want {
			t.Errorf("%s is %s, want %s", name, got.Name(), want)
			continue
		}
		got := sourcetest.ReadAll(t, a)
		if len(got.Data) != len(data) {
			t.Errorf("%s has %d bytes, want %d", name, len(got.Data), len(data))
			continue
		}
		x, y := floatsOf(got.Type, got.Data), floatsOf(got.Type, data)
		for i := range x {
			same := math.Float64bits(x[i]) == math.Float64bits(y[i])
			if !same && !(math.IsNaN(x[i]) && math.IsNaN(y[i])) {
				t.Errorf("%s: element %d is %v, want %v", name, i, x[i], y[i])
				break
			}
		}
	}
}

// TestInteropCFCodecs lets zarr-python read packed variables, random ones of all
// integer types, whose packing became codecs.
func TestInteropCFCodecs(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, "cf_sources.py", dir, interopSeed)
	write(t, dir, "job.yaml", []byte(`
zmigrate: 1
source: {driver: netcdf, url: packed.nc, cf: codecs, exclude: ["*_f4_*", "*_f8_*"]}
target: {url: out.zarr}
`))
	mustRun(t, "run", "--progress", "none", filepath.Join(dir, "job.yaml"))
	p.check(t, "check_cf_codecs.py", dir, filepath.Join(dir, "out.zarr"))
}

// floatsOf returns float32 or float64 values as float64.
func floatsOf(t dtype.Type, data []byte) []float64 {
	var list []float64
	for item := range slices.Chunk(data, t.Size()) {
		if t.Size() == 4 {
			list = append(list, float64(math.Float32frombits(binary.NativeEndian.Uint32(item))))
		} else {
			list = append(list, math.Float64frombits(binary.NativeEndian.Uint64(item)))
		}
	}
	return list
}
