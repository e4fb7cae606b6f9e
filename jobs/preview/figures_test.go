package preview

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf"
)

// TestFiguresReads counts the blocks and the ranges of the source in which an array of 8 × 6 elements
// is read, with chunks of 2 × 3.
func TestFiguresReads(t *testing.T) {
	for _, test := range []struct {
		order          string
		block          []int
		decodes        int
		blocks, ranges int64
	}{
		{"C", []int{1, 1}, 0, 8, 8}, // what is between the rows is read, too
		{"C", []int{1, 2}, 0, 4, 4}, // whole rows
		{"C", []int{4, 1}, 0, 2, 2},
		{"C", []int{3, 2}, 0, 2, 2}, // the last block is shorter
		{"F", []int{1, 1}, 0, 8, 8},
		{"F", []int{4, 1}, 0, 2, 2}, // whole columns
		{"C", []int{1, 1}, 5, 8, 5}, // chunks of the source
		{"C", nil, 0, 8, 8},         // objects that are carried through
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.raw"), make([]byte, 48), 0o600); err != nil {
			t.Fatal(err)
		}
		p := planned(t, dir, `
zmigrate: 1
source: {driver: raw, arrays: {a: {url: a.raw, data_type: uint8, shape: [8, 6], order: `+test.order+`}}}
target: {url: out.zarr}
arrays: {a: {chunks: [2, 3]}}
`)
		a, reading := p.Arrays[0], *p.Arrays[0].Reading
		reading.Block, reading.Decodes, reading.SourceChunks, reading.Cost = test.block, test.decodes, max(test.decodes-1, 0), 100
		a.Reading = &reading
		if blocks, ranges := reads(&a, p.Task(&a).Source.Info()); blocks != test.blocks || ranges != test.ranges {
			t.Errorf("%+v: %d blocks in %d ranges", test, blocks, ranges)
		}
		want := Figures{Objects: 8, BytesRead: 48, ReadAmplification: 1, BytesAtMost: 8 * int64(a.Chain.Size().Max), Memory: 100 * test.blocks}
		if test.decodes > 0 {
			want.ReadAmplification = 5. / 4
		}
		if diff := cmp.Diff(want, CostsOf(p).Array(&a)); diff != "" {
			t.Errorf("%+v: %s", test, diff)
		}
		reading.Cost = int(p.Job.Run.Memory)
		if f := CostsOf(p).Array(&a); f.Memory != p.Job.Run.Memory {
			t.Errorf("%d bytes in memory, more than run.memory", f.Memory)
		}
	}
}

// TestFiguresOfSelections counts the ranges in which parts of an array of 64 rows of 1024 elements are
// read. Each index of a dimension with a step is read for itself, unless the dimension is the fastest.
func TestFiguresOfSelections(t *testing.T) {
	for _, test := range []struct {
		order, selection string
		ranges           int64
	}{
		{"C", `{y: "0:64:1"}`, 1},
		{"C", `{y: "0:64:2"}`, 32},
		{"C", `{x: "0:1024:2"}`, 4}, // 16 rows, with all of their elements
		{"C", `{y: "0:64:2", x: "0:1024:2"}`, 32},
		{"C", `{y: "8:16"}`, 1},
		{"C", `{x: "8:1016"}`, 1}, // what is between the rows is read, too
		{"C", `{x: "8:16"}`, 1},
		{"F", `{x: "0:1024:2"}`, 512},
		{"F", `{y: "0:64:32"}`, 4}, // 256 columns, with all of their elements
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.raw"), make([]byte, 64*1024*8), 0o600); err != nil {
			t.Fatal(err)
		}
		p := planned(t, dir, `
zmigrate: 1
source: {driver: raw, arrays: {a: {url: a.raw, data_type: float64, shape: [64, 1024], dimension_names: [y, x], order: `+test.order+`}}, select: `+test.selection+`}
target: {url: out.zarr}
arrays: {a: {chunks: {y: 64, x: 1024}}}
`)
		a := &p.Arrays[0]
		if blocks, ranges := reads(a, p.Task(a).Source.Info()); blocks != 1 || ranges != test.ranges {
			t.Errorf("%s: %s: %d blocks in %d ranges, want %d", test.order, test.selection, blocks, ranges, test.ranges)
		}
	}
}

// TestFiguresOfTexts gives the bound of the job for the memory of texts, whose sizes no plan knows.
func TestFiguresOfTexts(t *testing.T) {
	for path, most := range map[string]int64{"decode": 32 << 20, "auto": 0} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "in.zarr"), 0o700); err != nil {
			t.Fatal(err)
		}
		const document = `{"zarr_format": 3, "node_type": "array", "shape": [8], "data_type": "string", "fill_value": "",
"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}}, "chunk_key_encoding": {"name": "default"},
"codecs": [{"name": "vlen-utf8"}], "dimension_names": ["n"]}`
		if err := os.WriteFile(filepath.Join(dir, "in.zarr", "zarr.json"), []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
		p := planned(t, dir, `
zmigrate: 1
source: {driver: zarr, url: in.zarr}
target: {url: out.zarr}
run: {memory: 32MiB, path: `+path+`}
`)
		a := &p.Arrays[0]
		if most == 0 { // objects that are carried through are in memory piece by piece
			most = 4 * int64(a.Cost)
		}
		if f := CostsOf(p).Array(a); f.Memory != min(most, p.Job.Run.Memory) {
			t.Errorf("path %s: at most %d bytes in memory, want %d", path, f.Memory, most)
		}
		d, err := Describe(a, false)
		if err != nil || d.Unsized != (path == "decode") {
			t.Errorf("path %s: memory without contents: %v (%v)", path, d.Unsized, err)
		}
	}
}

// TestFiguresParts counts the puts of objects that are stored in parts.
func TestFiguresParts(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.raw")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 40<<20); err != nil {
		t.Fatal(err)
	}
	p := planned(t, dir, `
zmigrate: 1
source: {driver: raw, arrays: {g/a: {url: a.raw, data_type: uint8, shape: [41943040]}}}
target: {url: out.zarr}
arrays: {g/a: {chunks: [20971520], codecs: [bytes]}}
`)
	job := *p.Job
	job.Target.URL = "s3://bucket/out.zarr"
	p.Job = &job
	// Each of two objects of 20 MiB has three parts, and the upload is begun and completed.
	const objects, documents, groups = 2 * (3 + 2), 1, 2
	if got := CostsOf(p).Total().Target; got.Put != objects+documents+groups+statePuts || got.List != stateLists {
		t.Errorf("%+v", got)
	}
}

// countedFiles is a source that counts how often its files are listed.
type countedFiles struct {
	sources.Source
	lists *int
}

func (c countedFiles) Files() iter.Seq[sources.File] {
	return func(yield func(sources.File) bool) {
		*c.lists++
		c.Source.Files()(yield)
	}
}

// TestFiguresListFilesOnce computes the figures of four arrays of a remote source that is no hierarchy
// of Zarr. The files of the source are listed once, however many arrays it has.
func TestFiguresListFilesOnce(t *testing.T) {
	lists := 0
	counted := netcdf.Driver()
	open := counted.Open
	counted.Open = func(ctx context.Context, r sources.Request) (sources.Source, error) {
		s, err := open(ctx, r)
		return countedFiles{s, &lists}, err
	}
	env := jobtest.Environment()
	env.Drivers = sources.Drivers{counted}
	file, err := filepath.Abs("../../sources/netcdf/testdata/unkept_chunks.h5")
	if err != nil {
		t.Fatal(err)
	}
	j, err := jobfile.Parse("job.yaml", []byte(`{zmigrate: 1, source: {driver: netcdf, url: "`+filepath.ToSlash(file)+`"}, target: {url: out.zarr}}`),
		t.TempDir(), jobfile.LoadOptions{Drivers: env.Drivers})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(t.Context(), j, env)
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Close(t, p)
	job := *p.Job
	job.Source.Locations = []jobfile.Location{{URL: "s3://bucket/unkept_chunks.h5"}}
	p.Job = &job
	lists = 0
	costs := CostsOf(p)
	chunked := 0
	for i := range p.Arrays {
		if f := costs.Array(&p.Arrays[i]); f.Source.List != 0 {
			t.Errorf("%s: %d listings of chunks, which are in the file", p.Arrays[i].Source, f.Source.List)
		}
		if p.Arrays[i].SourceChunks > 0 {
			chunked++
		}
	}
	if got := costs.Total().Source; got.Head != checksOfSource || got.List != 0 {
		t.Errorf("%+v", got)
	}
	if chunked < 4 || lists != 1 {
		t.Errorf("the files were listed %d times for %d arrays with chunks", lists, chunked)
	}
}

// planned makes a plan, which is closed with the test.
func planned(t *testing.T, dir, text string) *plan.Plan {
	t.Helper()
	p, err := plan.New(t.Context(), jobtest.Parse(t, dir, text), jobtest.Environment())
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Close(t, p)
	return p
}
