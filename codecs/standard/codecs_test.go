package standard_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/codectest"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

func spec(name, configuration string) codecs.Spec {
	return codecs.Spec{Name: name, Configuration: json.RawMessage(configuration)}
}

// names returns specs of codecs. In an argument, a space separates name and
// configuration.
func names(list ...string) []codecs.Spec {
	specs := make([]codecs.Spec, len(list))
	for i, name := range list {
		name, configuration, _ := strings.Cut(name, " ")
		specs[i] = spec(name, configuration)
	}
	return specs
}

func TestConformance(t *testing.T) {
	cases := slices.Concat(layoutCases(), levelCases(), binaryCases(), bloscCases())
	tested := map[string]bool{"vlen-utf8": true, "vlen-bytes": true} // vlen_test.go
	for _, c := range arrayCases(t) {
		tested[c.Spec.Name] = true // TestArrayCodecsConformance
	}
	for _, c := range cases {
		tested[c.Spec.Name] = true
		t.Run(c.Spec.Name+string(c.Spec.Configuration), func(t *testing.T) {
			t.Parallel()
			codectest.Run(t, standard.Registry(dtype.Standard()), c)
		})
	}
	for _, d := range standard.Registry(dtype.Standard()).Definitions() {
		if !tested[d.Name] {
			t.Errorf("codec %s runs no conformance test", d.Name)
		}
	}
}

// layoutCases are the cases of codecs that move elements or cut the chunk in pieces.
func layoutCases() []codectest.Case {
	chunk := func(shape ...int) codecs.Chunk {
		return codecs.Chunk{Type: dtype.Int32, Shape: shape, Fill: dtype.Int32.Default()}
	}
	return []codectest.Case{
		{Spec: spec("bytes", `{"endian":"little"}`), Refused: []codectest.Refused{
			{Configuration: `{"endian":"middle"}`, Field: "endian"},
			{Configuration: `{"endian":1}`, Field: "endian"},
			{Configuration: `{"Endian":"big"}`, Field: "Endian"},
		}},
		{Spec: spec("bytes", `{"endian":"big"}`)},
		{Spec: spec("transpose", `{"order":"C"}`), Refused: []codectest.Refused{
			{Configuration: `{}`, Field: "order"},
			{Configuration: `{"order":null}`, Field: "order"},
			{Configuration: `{"order":"K"}`, Field: "order"},
			{Configuration: `{"order":[0,0]}`, Chunk: chunk(2, 3), Field: "order"},
			{Configuration: `{"order":[1,2]}`, Chunk: chunk(2, 3), Field: "order"},
			{Configuration: `{"order":[-1,0]}`, Chunk: chunk(2, 3), Field: "order"},
			{Configuration: `{"order":[0,null]}`, Chunk: chunk(2, 3), Field: "order"},
			{Configuration: `{"order":[0.5,1]}`, Chunk: chunk(2, 3), Field: "order"},
			{Configuration: `{"order":[1,0]}`, Chunk: chunk(2, 3, 4), Field: "order"},
			{Configuration: `{"order":[1,0]}`, Chunk: chunk(), Field: "order"},
			{Configuration: `{"order":[]}`, Chunk: chunk(5), Field: "order"},
		}},
		{Spec: spec("transpose", `{"order":"F"}`)},
		{Spec: spec("transpose", `{"order":[2,0,1]}`), Shapes: [][]int{{1, 1, 1}, {2, 3, 4}, {5, 0, 2}, {9, 17, 33}}},
		{Spec: spec("transpose", `{"order":[1,3,0,2]}`), Shapes: [][]int{{2, 3, 4, 5}, {8, 9, 10, 11}}},
		{Spec: spec("transpose", `{"order":[]}`), Shapes: [][]int{{}}},
		{Spec: spec("crc32c", ``), DetectsDamage: true},
		{Spec: spec("sharding_indexed", `{"chunk_shape":[2,3],"codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}],"index_location":"end"}`),
			Shapes: [][]int{{2, 3}, {4, 9}, {64, 33}}, Refused: []codectest.Refused{
				{Configuration: `{"codecs":["bytes"]}`, Field: "chunk_shape"},
				{Configuration: `{"chunk_shape":[2,0],"codecs":["bytes"]}`, Field: "chunk_shape[1]"},
				{Configuration: `{"chunk_shape":[2,null],"codecs":["bytes"]}`, Field: "chunk_shape[1]"},
				{Configuration: `{"chunk_shape":[2,3]}`, Field: "codecs"},
				{Configuration: `{"chunk_shape":[2,3],"codecs":[]}`, Field: "codecs"},
				{Configuration: `{"chunk_shape":[2,3],"codecs":["nope"]}`, Field: "codecs"},
				{Configuration: `{"chunk_shape":[2,3],"codecs":["bytes"],"index_codecs":["crc32c"]}`, Field: "index_codecs"},
				{Configuration: `{"chunk_shape":[2,3],"codecs":["bytes"],"index_location":"middle"}`, Field: "index_location"},
				{Configuration: `{"chunk_shape":[2,3],"codecs":["bytes"],"index_codecs":["bytes","zstd"]}`, Chunk: chunk(4, 6), Field: "index_codecs"},
				{Configuration: `{"chunk_shape":[2,3],"codecs":["vlen-utf8"]}`, Chunk: chunk(4, 6), Field: "codecs"},
				{Configuration: `{"chunk_shape":[2,3],"codecs":["bytes"]}`, Chunk: chunk(4, 7), Field: "chunk_shape[1]"},
				{Configuration: `{"chunk_shape":[2,3],"codecs":["bytes"]}`, Chunk: chunk(6), Field: "chunk_shape"},
			}},
		{Spec: spec("sharding_indexed", `{"chunk_shape":[4,2],"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"sharding_indexed","configuration":{"chunk_shape":[1,2],"codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":1,"checksum":false}}],"index_codecs":[{"name":"bytes","configuration":{"endian":"big"}}],"index_location":"end"}},{"name":"gzip","configuration":{"level":1}}],"index_codecs":[{"name":"bytes","configuration":{"endian":"big"}}],"index_location":"start"}`),
			Shapes: [][]int{{4, 2}, {8, 6}, {32, 18}}, TakesMore: true}, // shards may have gaps
	}
}

// levelCases are the cases of compressors with levels.
func levelCases() []codectest.Case {
	var cases []codectest.Case
	for _, level := range []string{"0", "1", "5", "6", "7", "9"} {
		cases = append(cases, codectest.Case{Spec: spec("gzip", `{"level":`+level+`}`), DetectsDamage: true})
	}
	cases[len(cases)-1].Refused = []codectest.Refused{
		{Configuration: `{"level":10}`, Field: "level"},
		{Configuration: `{"level":-1}`, Field: "level"},
		{Configuration: `{"level":"5"}`, Field: "level"},
		{Configuration: `{"level":1.5}`, Field: "level"},
	}
	for _, level := range []string{"-131072", "-5", "0", "3", "7", "22"} {
		cases = append(cases,
			codectest.Case{Spec: spec("zstd", `{"level":`+level+`,"checksum":false}`)},
			codectest.Case{Spec: spec("zstd", `{"level":`+level+`,"checksum":true}`), DetectsDamage: true})
	}
	cases[len(cases)-1].Refused = []codectest.Refused{
		{Configuration: `{"level":23}`, Field: "level"},
		{Configuration: `{"level":-131073}`, Field: "level"},
		{Configuration: `{"checksum":1}`, Field: "checksum"},
	}
	return cases
}

func bloscCases() []codectest.Case {
	var cases []codectest.Case
	for _, codec := range []string{"lz4", "lz4hc", "blosclz", "zstd", "zlib", "snappy"} {
		for shuffle, name := range []string{"noshuffle", "shuffle", "bitshuffle"} {
			cases = append(cases,
				codectest.Case{Spec: spec("blosc", fmt.Sprintf(`{"cname":%q,"clevel":5,"shuffle":%q,"typesize":4,"blocksize":0}`, codec, name))},
				codectest.Case{Spec: spec("numcodecs.blosc", fmt.Sprintf(`{"cname":%q,"clevel":1,"shuffle":%d,"typesize":8,"blocksize":4096}`, codec, shuffle))})
		}
	}
	cases[0].Refused = []codectest.Refused{
		{Configuration: `{"cname":"lz5"}`, Field: "cname"},
		{Configuration: `{"clevel":10}`, Field: "clevel"},
		{Configuration: `{"shuffle":1}`, Field: "shuffle"},
		{Configuration: `{"shuffle":"bits"}`, Field: "shuffle"},
		{Configuration: `{"typesize":0}`, Field: "typesize"},
		{Configuration: `{"blocksize":-1}`, Field: "blocksize"},
	}
	cases[1].Refused = []codectest.Refused{
		{Configuration: `{"shuffle":3}`, Field: "shuffle"},
		{Configuration: `{"shuffle":"shuffle"}`, Field: "shuffle"},
	}
	return cases
}

// TestDefinitions checks that the catalogue prints valid JSON, and that examples can be
// bound.
func TestDefinitions(t *testing.T) {
	for _, d := range standard.Registry(dtype.Standard()).Definitions() {
		for _, f := range d.Fields {
			if f.Default != "" && !json.Valid([]byte(f.Default)) || f.Name == "" || f.Type == "" || f.Doc == "" {
				t.Errorf("codec %s: field %+v", d.Name, f)
			}
		}
		if d.Summary == "" {
			t.Errorf("codec %s has no summary", d.Name)
		}
		if _, err := d.Parse(d.Example); err != nil {
			t.Errorf("codec %s: the example %s: %v", d.Name, d.Example, err)
		}
		taken := 0
		for _, typ := range []dtype.Type{dtype.BoolType, dtype.Int16, dtype.Float64, dtype.StringType, dtype.BytesType} {
			if _, err := d.SizeOf(codecs.Chunk{Type: typ, Shape: []int{4, 4}, Fill: typ.Default()}); err == nil {
				taken++
			}
		}
		if taken == 0 {
			t.Errorf("codec %s takes none of the common types with its example", d.Name)
		}
	}
}

// withoutPeer are codecs that no known program writes.
var withoutPeer = map[string]string{"conditional": "TestConditionalChoice has vectors made by hand from its text"}

// TestEveryCodecIsCovered fails if a registered codec has no array written by another
// program, or no fuzz target for its decoder.
func TestEveryCodecIsCovered(t *testing.T) {
	golden := map[string]bool{}
	for _, store := range goldenArchives(t) {
		err := fs.WalkDir(store, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || path.Base(name) != "zarr.json" {
				return err
			}
			text, err := fs.ReadFile(store, name)
			if err != nil {
				return err
			}
			var array struct {
				Codecs []codecs.Spec `json:"codecs"`
			}
			if err := json.Unmarshal(text, &array); err != nil {
				return err
			}
			for _, c := range array.Codecs {
				golden[c.Name] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var sources strings.Builder
	files, err := fs.Glob(os.DirFS("."), "*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(text)
	}
	for _, d := range standard.Registry(dtype.Standard()).Definitions() {
		if !golden[d.Name] && withoutPeer[d.Name] == "" {
			t.Errorf("codec %s has no golden array", d.Name)
		}
		name := regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(d.Name, "")
		if !regexp.MustCompile(`(?i)\nfunc Fuzz` + name + `(Decode|Config)\(`).MatchString(sources.String()) {
			t.Errorf("codec %s has no fuzz target", d.Name)
		}
	}
}

// goldenArchives opens the archives of arrays that other programs wrote.
func goldenArchives(t *testing.T) map[string]fs.FS {
	t.Helper()
	files, err := fs.Glob(os.DirFS("testdata"), "*.zip")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives in testdata: %v", err)
	}
	list := map[string]fs.FS{}
	for _, file := range files {
		archive, err := zip.OpenReader(path.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = archive.Close() })
		list[file] = archive
	}
	return list
}
