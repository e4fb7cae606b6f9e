package plan

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// keptSources writes Zarr v3 arrays without chunks to a folder: "sharded", "plain"
// and "packed".
func keptSources(t *testing.T, dir string) {
	t.Helper()
	const fields = `"zarr_format": 3, "node_type": "array", "shape": [40, 60], "data_type": "float32", "chunk_key_encoding": "default", "fill_value": 0,`
	documents := map[string]string{
		"sharded": `{` + fields + `"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [20, 30]}}, "codecs": [{"name": "sharding_indexed", "configuration":
			{"chunk_shape": [10, 15], "codecs": ["bytes", {"name": "zstd", "configuration": {"level": 7}}], "index_codecs": ["bytes"], "index_location": "start"}}]}`,
		"plain": `{` + fields + `"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [20, 30]}}, "codecs": [
			{"name": "reshape", "configuration": {"shape": [600]}}, {"name": "bytes", "configuration": {"endian": "big"}}, {"name": "gzip", "configuration": {"level": 1}}]}`,
	}
	documents["packed"] = strings.Replace(strings.Replace(documents["sharded"], "float32", "int16", 1), "{", `{"attributes": {"scale_factor": 0.5},`, 1)
	for name, text := range documents {
		if err := os.MkdirAll(filepath.Join(dir, "in.zarr", name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "in.zarr", name, "zarr.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

type keptCase struct {
	array, options string
	chunk          []int  // of the stored objects
	inner          []int  // nil: there are no shards
	codecs         string // names of those of the chunks, the inner ones where there are shards
	front          bool   // the index lies in front, as in the source
	problem        string
}

// An array of a Zarr source keeps its chunk grid, shards and codecs unless the job gives
// others.
func TestWhatAZarrSourceKeeps(t *testing.T) {
	dir := t.TempDir()
	keptSources(t, dir)
	const kept = `["reshape","bytes","gzip"]`
	for name, test := range map[string]keptCase{
		"nothing":              {"sharded", `{}`, []int{20, 30}, []int{10, 15}, `["bytes","zstd"]`, true, ""},
		"in words":             {"sharded", `{chunks: keep, codecs: keep}`, []int{20, 30}, []int{10, 15}, `["bytes","zstd"]`, true, ""},
		"codecs":               {"sharded", `{codecs: [bytes]}`, []int{20, 30}, []int{10, 15}, `["bytes"]`, false, ""},
		"chunks":               {"sharded", `{chunks: [40, 6]}`, []int{40, 6}, nil, `["bytes","zstd"]`, false, ""},
		"shards":               {"sharded", `{shards: [40, 60]}`, []int{40, 60}, []int{10, 15}, `["bytes","zstd"]`, true, ""},
		"auto":                 {"sharded", `{chunks: auto}`, []int{40, 60}, nil, `["bytes","zstd"]`, false, ""},
		"shards of its own":    {"sharded", `{codecs: [{sharding_indexed: {chunk_shape: [5, 5], codecs: [bytes]}}]}`, []int{20, 30}, []int{5, 5}, `["bytes"]`, false, ""},
		"shards, unpacked":     {"packed", `{cf: unpack}`, []int{20, 30}, []int{10, 15}, `["bytes","zstd"]`, false, ""},
		"nothing, no shards":   {"plain", `{}`, []int{20, 30}, nil, kept, false, ""},
		"a grid as good":       {"plain", `{chunks: [10, 60]}`, []int{10, 60}, nil, kept, false, ""},
		"a grid that does not": {"plain", `{chunks: [40, 60]}`, []int{40, 60}, nil, `["bytes","zstd"]`, false, ""},
		"a grid that must":     {"plain", `{chunks: [40, 60], codecs: keep}`, nil, nil, "", false, "cannot be kept"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "zmigrate: 1\nsource: {driver: zarr, url: in.zarr, include: [" + test.array + "]}\ntarget: {url: out.zarr}\ndefaults: " + test.options + "\n"
			j := jobtest.Parse(t, dir, text)
			p, err := New(t.Context(), j, jobtest.Environment())
			if test.problem != "" {
				if err == nil || !strings.Contains(err.Error(), test.problem) {
					t.Errorf("%v, want %s", err, test.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			test.check(t, p.Arrays[0])
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func (k keptCase) check(t *testing.T, a Array) {
	t.Helper()
	if diff := cmp.Diff(k.chunk, a.Meta.Grid.Chunk); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	chain := a.Chain
	layout, sharded := chain.Shards()
	if sharded != (k.inner != nil) {
		t.Errorf("codecs %v", chain.Specs())
	}
	if sharded && k.inner != nil {
		chain = layout.Inner()
		if diff := cmp.Diff(k.inner, chain.Chunk().Shape); diff != "" {
			t.Errorf("inner chunks (-want +got):\n%s", diff)
		}
		if layout.AtStart() != k.front {
			t.Errorf("the index lies in front: %v", layout.AtStart())
		}
	}
	var names []string
	for _, s := range chain.Specs() {
		names = append(names, s.Name)
	}
	got, err := json.Marshal(names)
	if err != nil || string(got) != k.codecs {
		t.Errorf("codecs %s, want %s", got, k.codecs)
	}
}
