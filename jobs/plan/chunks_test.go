package plan

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/manifest"
)

// storedField is a Zarr array of 20 MB in chunks of 3 MB, none of which is stored.
const storedField = `{"zarr_format": 3, "node_type": "array", "shape": [20, 1000, 1000], "data_type": "uint8",
	"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3, 1000, 1000]}},
	"chunk_key_encoding": {"name": "default"}, "fill_value": 7, "codecs": [{"name": "bytes"}], "dimension_names": ["t", "y", "x"]}`

func fieldJob(t *testing.T, dir, chunks string) *jobfile.Job {
	t.Helper()
	j := jobtest.Parse(t, dir, `
zmigrate: 1
source: {driver: zarr, url: in.zarr}
target: {url: out.zarr}
defaults: {chunks: `+chunks+`}
`)
	return j
}

func planOf(t *testing.T, j *jobfile.Job) *Plan {
	t.Helper()
	p, err := New(t.Context(), j, jobtest.Environment())
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

// beginCheckpoint makes a checkpoint with a manifest.
func beginCheckpoint(t *testing.T, j *jobfile.Job, manifest string) {
	t.Helper()
	st, err := environment.OpenCheckpoint(t.Context(), j, jobtest.Environment(), limits.New(0))
	if err != nil {
		t.Fatal(err)
	}
	log, err := journal.OpenLocked(t.Context(), st)
	if err == nil {
		err = log.Begin(t.Context(), json.RawMessage(manifest))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestEarlierChunks plans a job whose checkpoint has the chunks that an earlier version
// chose: the target keeps them. Without the checkpoint, chunks are those of the source.
func TestEarlierChunks(t *testing.T) {
	dir := t.TempDir()
	jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{"zarr.json": jobtest.Group, "v/zarr.json": storedField})
	if got := planOf(t, fieldJob(t, dir, "auto")).Arrays[0].Meta.Grid.Chunk; !slices.Equal(got, []int{3, 1000, 1000}) {
		t.Errorf("auto chooses %v", got)
	}
	earlier, err := planOf(t, fieldJob(t, dir, "[20, 250, 500]")).Manifest()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(earlier), `"chunks":[20,250,500]`, `"chunks":"auto"`, 1)
	if text == string(earlier) {
		t.Fatalf("the manifest has no chunks: %s", text)
	}
	j := fieldJob(t, dir, "auto")
	beginCheckpoint(t, j, text)
	p := planOf(t, j)
	if got := p.Arrays[0].Meta.Grid.Chunk; !slices.Equal(got, []int{20, 250, 500}) {
		t.Errorf("with the checkpoint, chunks are %v", got)
	}
	if !slices.ContainsFunc(p.Arrays[0].Notes, func(n string) bool { return strings.Contains(n, "earlier version") }) {
		t.Errorf("notes: %q", p.Arrays[0].Notes)
	}
	was, err := manifest.Read(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	now, err := p.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	is, err := manifest.Read(now)
	if err != nil {
		t.Fatal(err)
	}
	if is.Arrays[0].Digest != was.Arrays[0].Digest || is.Arrays[0].Chunks != was.Arrays[0].Chunks {
		t.Errorf("got %+v, want %+v", is.Arrays[0], was.Arrays[0])
	}
}

// TestObjectSizes warns of many small objects and of large objects. The hints mend both.
func TestObjectSizes(t *testing.T) {
	for name, c := range map[string]struct{ shape, options, want string }{
		"small":            {"[2000, 100, 100]", "{chunks: [1, 100, 100]}", `arrays.v.chunks: array "v": 2000 objects of 10 KiB on average: each takes a request to write and to read (chunks: [250, 100, 100]) [small-objects]`},
		"tiny":             {"[2000, 4, 4]", "{chunks: [1, 4, 4]}", `arrays.v.chunks: array "v": 2000 objects of 16 B on average: each takes a request to write and to read (chunks: [2000, 4, 4]) [small-objects]`},
		"in shards":        {"[4000, 100, 100]", "{chunks: [1, 100, 100], shards: [2, 100, 100]}", `arrays.v.shards: array "v": 2000 objects of 20 KiB on average: each takes a request to write and to read (shards: [250, 100, 100]) [small-objects]`},
		"few":              {"[1000, 100, 100]", "{chunks: [1, 100, 100]}", ""},
		"one too many":     {"[1001, 511, 512]", "{chunks: [1, 511, 512]}", `arrays.v.chunks: array "v": 1001 objects of 256 KiB on average: each takes a request to write and to read (chunks: [16, 511, 512]) [small-objects]`},
		"large enough":     {"[1001, 512, 512]", "{chunks: [1, 512, 512]}", ""},
		"512 MiB":          {"[2, 16384, 32768]", "{chunks: [1, 16384, 32768]}", ""},
		"beyond 512 MiB":   {"[2, 16385, 32768]", "{chunks: [1, 16385, 32768]}", `arrays.v.chunks: array "v": one object holds 512.0 MiB of elements, which a reader of one element reads and decodes (chunks: [1, 565, 2048], and shards: [1, 16385, 32768] to keep the number of objects) [large-objects]`},
		"large":            {"[2, 32768, 32768]", "{chunks: [1, 32768, 32768]}", `arrays.v.chunks: array "v": one object holds 1.0 GiB of elements, which a reader of one element reads and decodes (chunks: [1, 2048, 2048], and shards: [1, 32768, 32768] to keep the number of objects) [large-objects]`},
		"small for series": {"[2000, 100, 100]", "{access: time-series, chunks: {t: 1}}", `arrays.v.chunks: array "v": 2000 objects of 10 KiB on average: each takes a request to write and to read (chunks: [2000, 34, 25]) [small-objects]`},
		"small for maps":   {"[2000, 100, 100]", "{access: map, chunks: {t: 1, y: 10}}", `arrays.v.chunks: array "v": 20000 objects of 1000 B on average: each takes a request to write and to read (chunks: [200, 100, 100]) [small-objects]`},
		"large for series": {"[2048, 1024, 1024]", "{access: time-series, chunks: {t: 2048, y: 1024, x: 1024}}", `arrays.v.chunks: array "v": one object holds 2.0 GiB of elements, which a reader of one element reads and decodes (chunks: [2048, 32, 32], and shards: [2048, 1024, 1024] to keep the number of objects) [large-objects]`},
		"large for maps":   {"[2048, 1024, 1024]", "{access: map, chunks: {t: 2048, y: 1024, x: 1024}}", `arrays.v.chunks: array "v": one object holds 2.0 GiB of elements, which a reader of one element reads and decodes (chunks: [2, 1024, 1024], and shards: [2048, 1024, 1024] to keep the number of objects) [large-objects]`},
		"shards":           {"[2, 32768, 32768]", "{chunks: [1, 2048, 2048], shards: [1, 32768, 32768]}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			text := strings.Replace(storedField, "[20, 1000, 1000]", c.shape, 1)
			jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{"zarr.json": jobtest.Group, "v/zarr.json": text})
			findings := func(options string) jobfile.Problems {
				return planOf(t, jobtest.Parse(t, dir, `
zmigrate: 1
source: {driver: zarr, url: in.zarr}
target: {url: out.zarr}
run: {memory: 8GiB}
arrays: {v: `+options+`}
`)).Findings
			}
			list := findings(c.options)
			got := list.Error()
			if c.want == "" && got != "" || !strings.HasSuffix(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if len(list) == 0 {
				return
			}
			hint := list[0].Hint
			for _, words := range [][2]string{{" to keep the number of objects", ""}, {", and shards", ", shards"}} {
				hint = strings.Replace(hint, words[0], words[1], 1)
			}
			if list[0].Field == "arrays.v.shards" {
				hint = "chunks: [1, 100, 100], " + hint
			}
			if left := findings("{" + hint + "}"); len(left) > 0 {
				t.Errorf("with %s: %s", hint, left.Error())
			}
		})
	}
}

// TestLargeSourceChunks plans arrays of source chunks of 100 MB. The default memory is enough
// for them. With less, the message names the source's chunks and a memory that is enough.
func TestLargeSourceChunks(t *testing.T) {
	for name, codecs := range map[string]string{
		"zstd":          `{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 1, "checksum": false}}`,
		"shuffle, zlib": `{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}}, {"name": "numcodecs.zlib", "configuration": {"level": 1}}`,
	} {
		for _, options := range []string{"{}", "{chunks: auto}", "{access: time-series}", "{access: map}", "{chunks: [1, 100, 100]}"} {
			t.Run(name+" "+options, func(t *testing.T) {
				dir := t.TempDir()
				jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{"zarr.json": jobtest.Group, "v/zarr.json": `{"zarr_format": 3, "node_type": "array", "shape": [48, 721, 1440], "data_type": "float32",
	"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [24, 721, 1440]}}, "chunk_key_encoding": {"name": "default"}, "fill_value": 7, "codecs": [` + codecs + `], "dimension_names": ["t", "y", "x"]}`})
				job := func(more string) *jobfile.Job {
					j := jobtest.Parse(t, dir, "zmigrate: 1\nsource: {driver: zarr, url: in.zarr}\ntarget: {url: out.zarr}\ndefaults: {codecs: [{name: gzip}]}\narrays: {v: "+options+"}\n"+more)
					return j
				}
				planOf(t, job(""))
				_, err := New(t.Context(), job("run: {memory: 64MiB}"), jobtest.Environment())
				if err == nil {
					t.Fatal("64 MiB are enough")
				}
				_, memory, found := strings.Cut(err.Error(), "raise run.memory to ")
				if !found || !strings.Contains(err.Error(), "are for reading the source with its chunks of shape [24 721 1440]") {
					t.Fatal(err)
				}
				memory = memory[:strings.Index(memory, "MiB")+3]
				planOf(t, job("run: {memory: "+memory+"}"))
			})
		}
	}
}

// TestEarlierCodecs is TestEarlierChunks for a lossy codec of the defaults, which earlier
// versions gave to coordinates, too.
func TestEarlierCodecs(t *testing.T) {
	dir := t.TempDir()
	jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{"zarr.json": jobtest.Group, "t/zarr.json": `{"zarr_format": 3, "node_type": "array", "shape": [20], "data_type": "float64",
	"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [20]}},
	"chunk_key_encoding": {"name": "default"}, "fill_value": 7, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], "dimension_names": ["t"]}`})
	const lossy = "{codecs: [{bitround: {keepbits: 3}}, bytes]}"
	job := func(section string) *jobfile.Job {
		j := jobtest.Parse(t, dir, "zmigrate: 1\nsource: {driver: zarr, url: in.zarr}\ntarget: {url: out.zarr}\n"+section+"\n")
		return j
	}
	manifest := func(p *Plan) (text, digest string) {
		m, err := p.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		read, err := manifest.Read(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(m), read.Arrays[0].Digest
	}
	j := job("defaults: " + lossy)
	_, earlier := manifest(planOf(t, job("arrays: {t: "+lossy+"}")))
	text, now := manifest(planOf(t, j))
	if earlier == now {
		t.Fatal("the coordinate has the lossy codec of the defaults")
	}
	beginCheckpoint(t, j, strings.ReplaceAll(text, now, earlier))
	if _, got := manifest(planOf(t, j)); got != earlier {
		t.Error("with the checkpoint, the coordinate has other codecs than before")
	}
}

// TestDecodedOnce plans arrays of usual shapes with 256 MiB. Chunks that auto chooses, and
// those for both uses, decode no chunk of the source several times.
func TestDecodedOnce(t *testing.T) {
	for _, c := range [][2]string{
		{"[2000, 721, 1440]", "[1, 721, 1440]"},
		{"[2000, 721, 1440]", "[1, 361, 720]"},
		{"[2000, 721, 1440]", "[31, 91, 180]"},
		{"[8760, 180, 360]", "[1, 180, 360]"},
		{"[8760, 180, 360]", "[8760, 10, 10]"},
		{"[365, 17, 73, 144]", "[1, 17, 73, 144]"},
	} {
		dir := t.TempDir()
		text := strings.Replace(storedField, "[20, 1000, 1000]", c[0], 1)
		text = strings.Replace(strings.Replace(text, "[3, 1000, 1000]", c[1], 1), `, "dimension_names": ["t", "y", "x"]`, "", 1)
		text = strings.Replace(text, "uint8", "float32", 1)
		text = strings.Replace(text, `{"name": "bytes"}`, `{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd"}`, 1)
		jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{"zarr.json": jobtest.Group, "v/zarr.json": text})
		for _, choice := range []string{"chunks: auto", "access: both"} {
			j := jobtest.Parse(t, dir, `
zmigrate: 1
source: {driver: zarr, url: in.zarr}
target: {url: out.zarr}
run: {memory: 256MiB}
defaults: {`+choice+`}
`)
			a := planOf(t, j).Arrays[0]
			if a.Decodes > a.SourceChunks {
				t.Errorf("%s in chunks of %s, %s: %v, %d chunks of the source are decoded %d times", c[0], c[1], choice, a.Meta.Grid.Chunk, a.SourceChunks, a.Decodes)
			}
		}
	}
}
