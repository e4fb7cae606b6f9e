package advise_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/jobs/advise"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/jobs/run"
)

// example is a job over the real data of the examples. options are those of the array SST.
func example(t *testing.T, options string) *plan.Plan {
	t.Helper()
	data, err := filepath.Abs("../../examples/data/coads_climatology.cdf")
	if err != nil {
		t.Fatal(err)
	}
	return planOf(t, jobtest.Parse(t, t.TempDir(), fmt.Sprintf(`
zmigrate: 1
source: {driver: netcdf, url: %q, include: [SST], coordinates: true}
target: {url: out.zarr}
arrays: {SST: {%s}}
`, data, options)))
}

func planOf(t *testing.T, j *jobfile.Job) *plan.Plan {
	t.Helper()
	p, err := plan.New(t.Context(), j, environment.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Close(t, p)
	return p
}

func named(t *testing.T, p *plan.Plan, name string) *plan.Array {
	t.Helper()
	at := slices.IndexFunc(p.Arrays, func(a plan.Array) bool { return a.Source == name })
	if at < 0 {
		t.Fatalf("no array %s", name)
	}
	return &p.Arrays[at]
}

// TestEstimates: the sizes that advice estimates from a sample of a real field are within a
// tenth of those that runs with the chains store.
func TestEstimates(t *testing.T) {
	p := example(t, "chunks: [1, 30, 30]")
	advice, err := advise.Array(t.Context(), p, named(t, p, "SST"), environment.Environment{}, advise.Options{Goal: advise.Small, Tolerance: standard.Tolerance{Absolute: 0.05}, Chunks: 80})
	if err != nil {
		t.Fatal(err)
	}
	if advice.Tried != 80 || advice.Of != 216 || advice.Current() == nil {
		t.Fatalf("%d of %d chunks tried", advice.Tried, advice.Of)
	}
	lossy := 0
	for _, r := range advice.Rows {
		if r.Refused != "" {
			t.Errorf("%s: %s", r.CodecsText(), r.Refused)
			continue
		}
		p := example(t, "chunks: [1, 30, 30], codecs: "+r.CodecsText())
		if _, err := run.Run(t.Context(), p, environment.Environment{}, run.Options{}); err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		err := filepath.WalkDir(filepath.Join(p.Job.Target.URL, "SST", "c"), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
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
		if by := math.Abs(float64(r.Stored)/float64(sum) - 1); by > 0.1 {
			t.Errorf("%s: %d bytes by the sample (± %.1f%%), and %d are stored", r.CodecsText(), r.Stored, 100*r.Uncertainty, sum)
		}
		if r.Deviation != nil {
			lossy++
			if r.MaxError() > 0.05 || r.MaxError() == 0 {
				t.Errorf("%s: error %g", r.CodecsText(), r.MaxError())
			}
		}
	}
	if chosen := advice.Chosen(); lossy < 3 || chosen == nil || chosen.Deviation == nil || !chosen.Front || chosen.Ratio < advice.Current().Ratio*1.5 {
		t.Errorf("%d lossy chains, chosen %+v", lossy, chosen)
	}
	page, err := advise.Page("a job <", []*advise.Advice{advice})
	if err != nil || bytes.Count(page, []byte("<circle")) < 10 || bytes.Count(page, []byte(`class="chosen" cx`)) != 1 || !bytes.Contains(page, []byte("a job &lt;")) || bytes.Contains(page, []byte("://")) {
		t.Errorf("error %v: a page of %d bytes, %d circles", err, len(page), bytes.Count(page, []byte("<circle")))
	}
}

// TestLossless: without a tolerance all chains are lossless, and readers decide the choice.
func TestLossless(t *testing.T) {
	p := example(t, "chunks: [4, 90, 180], shards: [12, 90, 180]")
	for _, reader := range []string{"gdal", "zarrs"} {
		advice, err := advise.Array(t.Context(), p, named(t, p, "SST"), environment.Environment{}, advise.Options{Goal: advise.Small, Chunks: 1, Readers: []string{reader}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range advice.Rows {
			if r.Deviation != nil {
				t.Errorf("%s is lossy", r.CodecsText())
			}
		}
		// GDAL reads no shards, and so none of these chains.
		if chosen := advice.Chosen(); !advice.Sharded || chosen == nil || slices.Contains(chosen.ReadBy, "gdal") || reader == "zarrs" && !slices.Contains(chosen.ReadBy, "zarrs") {
			t.Errorf("%s: %+v", reader, chosen)
		}
	}
}

// TestCarried: if the objects of the source are carried through, the row of the job's chain has
// their sizes, and not those of what this program would encode.
func TestCarried(t *testing.T) {
	dir, stored := t.TempDir(), int64(0)
	documents := map[string]string{"in.zarr/zarr.json": `{"zarr_format": 3, "node_type": "array", "shape": [400], "data_type": "uint8", "fill_value": 7,
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [100]}}, "chunk_key_encoding": {"name": "default"},
		"codecs": [{"name": "bytes"}, {"name": "gzip", "configuration": {"level": 9}}], "dimension_names": ["x"]}`}
	for i := range 3 { // the last chunk is not stored
		var object bytes.Buffer
		w, err := gzip.NewWriterLevel(&object, gzip.NoCompression)
		if err == nil {
			_, err = w.Write(make([]byte, 100))
		}
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		stored += int64(object.Len())
		documents[fmt.Sprintf("in.zarr/c/%d", i)] = object.String()
	}
	if err := os.MkdirAll(filepath.Join(dir, "in.zarr", "c"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range documents {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := planOf(t, jobtest.Parse(t, dir, "zmigrate: 1\nsource: {driver: zarr, url: in.zarr}\ntarget: {url: out.zarr}\n"))
	advice, err := advise.Array(t.Context(), p, &p.Arrays[0], environment.Environment{}, advise.Options{Goal: advise.Balanced})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(advice.Rows, func(r advise.Row) bool { return r.Current })
	if r := advice.Rows[at]; r.Stored != stored || r.Ratio != 400/float64(stored) {
		t.Errorf("%d bytes, ratio %g, want %d bytes", r.Stored, r.Ratio, stored)
	}
}

// TestShapes: an access chooses chunks, and tells how many of them a map and a time series
// meet.
func TestShapes(t *testing.T) {
	dir := t.TempDir()
	data := make([]byte, 4*400*50*50)
	for i := range data {
		data[i] = byte(i % 251)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.raw"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	p := planOf(t, jobtest.Parse(t, dir, `
zmigrate: 1
source:
  driver: raw
  arrays: {a: {url: a.raw, data_type: float32, shape: [400, 50, 50], dimension_names: [time, y, x]}}
target: {url: out.zarr}
`))
	for _, access := range []string{"map", "time-series", "both"} {
		advice, err := advise.Array(t.Context(), p, &p.Arrays[0], environment.Environment{}, advise.Options{Goal: advise.Fast, Access: access, Chunks: 3})
		if err != nil {
			t.Fatal(err)
		}
		if len(advice.Shapes) != 4 {
			t.Fatalf("%+v", advice.Shapes)
		}
		for _, s := range advice.Shapes {
			if s.Ratio <= 0 || s.MapChunks*s.SeriesChunks != s.Objects {
				t.Errorf("%+v", s)
			}
			if s.Access == access && !slices.Equal(s.Chunks, advice.Chunks) {
				t.Errorf("tried with %v, and %s has %v", advice.Chunks, access, s.Chunks)
			}
			if s.Access == "map" && s.MapChunks != 1 || s.Access == "time-series" && s.SeriesChunks != 1 {
				t.Errorf("%+v", s)
			}
		}
	}
}

// TestTexts: elements of variable size have candidates, too.
func TestTexts(t *testing.T) {
	dir := t.TempDir()
	jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{
		"zarr.json": `{"zarr_format": 3, "node_type": "array", "shape": [50], "data_type": "string", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [10]}},
	"chunk_key_encoding": {"name": "default"}, "fill_value": "missing", "codecs": [{"name": "vlen-utf8"}], "dimension_names": ["x"]}`,
	})
	p := planOf(t, jobtest.Parse(t, dir, "zmigrate: 1\nsource: {driver: zarr, url: in.zarr}\ntarget: {url: out.zarr, store_empty_chunks: true}\n"))
	advice, err := advise.Array(t.Context(), p, &p.Arrays[0], environment.Environment{}, advise.Options{Goal: advise.Balanced})
	if err != nil {
		t.Fatal(err)
	}
	if chosen := advice.Chosen(); chosen == nil || !strings.Contains(chosen.CodecsText(), "vlen-utf8, {zstd: {level: ") || advice.Bytes != 350 || len(advice.Rows) != 5 {
		t.Errorf("%+v: %+v", advice, chosen)
	}
}
