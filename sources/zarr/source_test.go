package zarr_test

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/sources/zarr"
	documents "github.com/zmigrate/zmigrate/zarr"
)

// elements reads an array of bytes.
func elements(t *testing.T, src sources.Source, name string) []byte {
	t.Helper()
	a, err := src.Array(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return sourcetest.ReadAll(t, a).Data
}

const half = "\x00\x01\x02\x03\x04\x05\x06\x07" // the elements of a chunk

var partly = []byte(half + "\x07\x07\x07\x07\x07\x07\x07\x07") // the second chunk is missing

func TestTree(t *testing.T) {
	for name, test := range map[string]struct {
		objects map[string]string
		groups  []string
		arrays  []string
	}{
		"an array alone":                    {map[string]string{"zarr.json": v3(t, nil), "c/0/0": half}, []string{""}, []string{""}},
		"an array alone, v2":                {map[string]string{".zarray": v2(t, nil), "0.0": half}, []string{""}, []string{""}},
		"a page in the place of a document": {map[string]string{"zarr.json": "x", ".zarray": v2(t, nil), "0.0": half}, []string{""}, []string{""}},
		"groups": {
			map[string]string{"zarr.json": group, "g/zarr.json": group, "g/a/zarr.json": v3(t, nil), "g/a/c/0/0": half},
			[]string{"", "g"}, []string{"g/a"},
		},
		"groups without documents": {
			map[string]string{"g/h/a/zarr.json": v3(t, nil), "g/h/a/c/0/0": half, "g/old/.zarray": v2(t, nil), "g/old/0.0": half},
			[]string{"", "g", "g/h"}, []string{"g/h/a", "g/old"},
		},
		"what lies below an array": {
			map[string]string{"zarr.json": group, "a/zarr.json": v3(t, nil), "a/c/0/0": half, "a/b/zarr.json": v3(t, nil), "a/g/zarr.json": group},
			[]string{""}, []string{"a"},
		},
		"documents of both formats": {
			map[string]string{"a/zarr.json": v3(t, nil), "a/c/0/0": half, "a/.zarray": v2(t, map[string]any{"fill_value": 1}), "a/.zattrs": `{"x":1}`},
			[]string{""}, []string{"a"},
		},
		"consolidated, v2": {
			map[string]string{
				".zmetadata": `{"zarr_consolidated_format":1,"metadata":{".zgroup":` + groupV2 + `,"g/a/.zarray":` + v2(t, nil) + `,"g/.zgroup":` + groupV2 + `}}`,
				"g/a/0.0":    half, "unseen/.zarray": v2(t, nil),
			},
			[]string{"", "g"}, []string{"g/a"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, test.objects)
			src := open(t, url, p.options())
			var groups []string
			for _, g := range src.Groups() {
				groups = append(groups, g.Path)
			}
			if diff := cmp.Diff(test.groups, groups); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.arrays, src.Arrays()); diff != "" {
				t.Errorf("arrays (-want +got):\n%s", diff)
			}
			for _, a := range test.arrays {
				if diff := cmp.Diff(partly, elements(t, src, a)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", a, diff)
				}
			}
			sourcetest.Run(t, src)
		})
	}
}

// An array that cannot be read is refused by name when it is opened, and harms no other
// array.
func TestRefused(t *testing.T) {
	sound := v3(t, nil)
	for name, test := range map[string]struct {
		key, text string
		words     []string
	}{
		"no JSON":               {"b/zarr.json", "{", []string{`"b"`}},
		"another format":        {"b/zarr.json", `{"zarr_format":4}`, []string{`"b"`, "zarr_format"}},
		"extension of an array": {"b/zarr.json", v3(t, map[string]any{"quantum": map[string]any{}}), []string{`"quantum"`}},
		"storage transformers": {"b/zarr.json", v3(t, map[string]any{"storage_transformers": []any{map[string]any{"name": "entangle"}}}),
			[]string{"storage_transformers", "entangle"}},
		"chunk grid": {"b/zarr.json", v3(t, map[string]any{"chunk_grid": map[string]any{"name": "hexagonal", "configuration": map[string]any{}}}),
			[]string{"chunk_grid", "hexagonal"}},
		"uneven chunks": {"b/zarr.json", v3(t, map[string]any{"chunk_grid": map[string]any{"name": "rectilinear", "configuration": map[string]any{
			"kind": "inline", "chunk_shapes": []any{[]int{2, 1}, 4}}}}), []string{"chunk_grid", "chunk_shapes[0]", "hold 3 elements, the array has 4"}},
		"codec": {"b/zarr.json", v3(t, map[string]any{"codecs": []any{"bytes", "squash"}}), []string{"codecs[1]", "squash"}},
		"codec that may be ignored": {"b/zarr.json", v3(t, map[string]any{"codecs": []any{"bytes", map[string]any{"name": "squash", "must_understand": false}}}),
			[]string{"codecs[1]", "squash"}},
		"codec inside of shards": {"b/zarr.json", v3(t, map[string]any{"codecs": []any{map[string]any{"name": "sharding_indexed",
			"configuration": map[string]any{"chunk_shape": []int{1, 4}, "codecs": []any{"bytes", "squash"}}}}}), []string{"codecs[0]", "squash"}},
		"codec of an index": {"b/zarr.json", v3(t, map[string]any{"codecs": []any{map[string]any{"name": "sharding_indexed",
			"configuration": map[string]any{"chunk_shape": []int{1, 4}, "codecs": []any{"bytes"}, "index_codecs": []any{"bytes", "squash"}}}}}), []string{"index_codecs", "squash"}},
		"configuration of a codec": {"b/zarr.json", v3(t, map[string]any{"codecs": []any{"bytes", map[string]any{"name": "gzip", "configuration": map[string]any{"level": 77}}}}),
			[]string{"codecs[1]", "level", "77"}},
		"data type":            {"b/zarr.json", v3(t, map[string]any{"data_type": "quaternion"}), []string{"data_type", "quaternion"}},
		"fill value":           {"b/zarr.json", v3(t, map[string]any{"fill_value": 256}), []string{"fill_value", "256"}},
		"chunk key encoding":   {"b/zarr.json", v3(t, map[string]any{"chunk_key_encoding": "hashed"}), []string{"chunk_key_encoding", "hashed"}},
		"field of a grid":      {"b/zarr.json", v3(t, map[string]any{"chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{2, 4}, "origin": []int{0, 1}}}}), []string{"chunk_grid", "origin"}},
		"data type of v2":      {"b/.zarray", v2(t, map[string]any{"dtype": "<q4"}), []string{"dtype", "<q4"}},
		"filter":               {"b/.zarray", v2(t, map[string]any{"filters": []any{map[string]any{"id": "squash"}}}), []string{"filters[0]", "squash"}},
		"objects of no filter": {"b/.zarray", v2(t, map[string]any{"dtype": "|O"}), []string{"dtype", "object"}},
		"order":                {"b/.zarray", v2(t, map[string]any{"order": "K"}), []string{"order", "K"}},
		"separator":            {"b/.zarray", v2(t, map[string]any{"dimension_separator": "-"}), []string{"dimension_separator", "-"}},
		"extension of group":   {"g/zarr.json", `{"zarr_format":3,"node_type":"group","quantum":{}}`, []string{`"g"`, `"quantum"`}},
		"group of no kind":     {"g/zarr.json", "{", []string{`group "g"`}},
		"compressor":           {"b/.zarray", v2(t, map[string]any{"compressor": map[string]any{"id": "squash"}}), []string{"compressor", "squash"}},
		"pickled objects": {"b/.zarray", v2(t, map[string]any{"dtype": "|O", "filters": []any{map[string]any{"id": "pickle"}}}),
			[]string{"dtype", "pickle"}},
	} {
		t.Run(name, func(t *testing.T) {
			objects := map[string]string{"a/zarr.json": sound, "g/b/zarr.json": sound, test.key: test.text}
			src := open(t, url, newPlace(t, objects).options())
			broken := path.Dir(test.key)
			if broken == "g" {
				broken = "g/b"
			}
			_, err := src.Array(t.Context(), broken)
			if err == nil {
				t.Fatal("the array was opened")
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%v: want %s in it", err, word)
				}
			}
			if _, err := src.Array(t.Context(), "a"); err != nil {
				t.Error(err)
			}
		})
	}
	src := open(t, url, newPlace(t, map[string]string{"zarr.json": v3(t, map[string]any{"quantum": map[string]any{"must_understand": false}}), "c/0/0": half}).options())
	if diff := cmp.Diff(partly, elements(t, src, "")); diff != "" {
		t.Errorf("an extension that may be ignored (-want +got):\n%s", diff)
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, objects := range map[string]map[string]string{
		"nothing":                {"readme.txt": "x"},
		"a root that is no JSON": {"zarr.json": "{"},
		"extension of the root":  {"zarr.json": `{"zarr_format":3,"node_type":"group","quantum":{}}`},
		"no consolidated format": {".zmetadata": `{"metadata":{}}`},
		"an absolute path":       {"zarr.json": strings.Replace(group, "{", `{"consolidated_metadata":{"kind":"inline","metadata":{"/a":{}}},`, 1)},
		"a path out of the root": {".zmetadata": `{"zarr_consolidated_format":1,"metadata":{"../a/.zarray":{}}}`},
	} {
		if src, err := zarr.Open(t.Context(), url, newPlace(t, objects).options()); err == nil {
			t.Errorf("%s: was opened: %v", name, errors.Join(src.Close()))
		}
	}
	if _, err := zarr.Open(t.Context(), "ftp://host/a.zarr", zarr.Options{}); err == nil || !strings.Contains(err.Error(), "ftp") {
		t.Errorf("a place that nobody can open gives %v", err)
	}
	if _, err := zarr.Open(t.Context(), url, newPlace(t, nil).options()); !errors.Is(err, documents.ErrNotZarr) {
		t.Errorf("an empty place gives %v", err)
	}
	p := newPlace(t, map[string]string{"zarr.json": group})
	p.faults["stat zarr.json"] = fs.ErrPermission
	if _, err := zarr.Open(t.Context(), url, p.options()); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a root that may not be read gives %v", err)
	}
}

// A v2 array is described in the terms of v3.
func TestInfoOfV2(t *testing.T) {
	p := newPlace(t, map[string]string{
		".zgroup": groupV2, ".zattrs": `{"title":"x","lowest":-Infinity}`,
		"a/.zarray": v2(t, map[string]any{
			"dtype": ">f4", "order": "F", "fill_value": nil, "dimension_separator": "/",
			"compressor": map[string]any{"id": "zlib", "level": 3},
		}),
		"a/.zattrs": `{"_ARRAY_DIMENSIONS":["y","x"],"missing":NaN,"text":"NaN is \"NaN\""}`,
		"b/.zarray": strings.Replace(v2(t, map[string]any{"dtype": "<f4"}), "7", "NaN", 1),
		"b/.zattrs": `{"_ARRAY_DIMENSIONS":["y"]}`,
		"c/.zarray": strings.Replace(v2(t, map[string]any{"dtype": []any{[]string{"n", "<i2"}, []string{"t", "<M8[s]"}}}), `"fill_value":7`, `"fill_value":null`, 1),
	})
	p.put(map[string]string{"a/.zarray": strings.Replace(v2(t, map[string]any{
		"dtype": ">f4", "order": "F", "dimension_separator": "/", "compressor": map[string]any{"id": "zlib", "level": 3},
	}), `"fill_value":7`, `"fill_value":null`, 1)})
	src := open(t, url, p.options())
	if diff := cmp.Diff(documents.Attributes{{Name: "title", Value: []byte(`"x"`)}, {Name: "lowest", Value: []byte(`"-Infinity"`)}}, src.Groups()[0].Attributes); diff != "" {
		t.Errorf("root (-want +got):\n%s", diff)
	}
	if f := src.Groups()[0].Findings; len(f) != 1 || f[0].Code != sources.NotJSON || !strings.Contains(f[0].Message, `"lowest"`) {
		t.Errorf("the root's findings are %+v", f)
	}
	records, err := src.Array(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
	}
	// A time in a record is filled with zeros, not with NaT, the default of a time by
	// itself.
	if whole := sourcetest.ReadAll(t, records); !ndarray.Uniform(whole, make(dtype.Scalar, 10)) || !slices.Equal(records.Info().Fill, make(dtype.Scalar, 10)) {
		t.Errorf("records without a fill value are %x", whole.Data)
	}
	a, err := src.Array(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	info := *a.Info()
	if f := info.Findings; len(f) != 1 || f[0].Code != sources.NotJSON || !strings.Contains(f[0].Message, `"missing"`) {
		t.Errorf("findings %+v", f)
	}
	if len(info.Notes) != 1 {
		t.Errorf("notes %q, want one on the fill value", info.Notes)
	}
	if info.Memory < 3*4*8 {
		t.Errorf("%d bytes of memory are less than a chunk takes", info.Memory)
	}
	info.Notes, info.Findings, info.Memory = nil, nil, 0
	want := sources.Info{
		Path: "a", Type: dtype.Float32, Shape: []int{4, 4}, DimensionNames: []string{"y", "x"}, Chunks: []int{2, 4}, Remote: true,
		Attributes: documents.Attributes{{Name: "missing", Value: []byte(`"NaN"`)}, {Name: "text", Value: []byte(`"NaN is \"NaN\""`)}},
		Codecs: []codecs.Spec{
			{Name: "transpose", Configuration: []byte(`{"order":[1,0]}`)},
			{Name: "bytes", Configuration: []byte(`{"endian":"big"}`)},
			{Name: "numcodecs.zlib", Configuration: []byte(`{"level":3}`)},
		},
	}
	if diff := cmp.Diff(want, info, cmp.Comparer(dtype.Same)); diff != "" {
		t.Errorf("a (-want +got):\n%s", diff)
	}
	if whole := sourcetest.ReadAll(t, a); !ndarray.Uniform(whole, dtype.Float32.Default()) {
		t.Error("chunks that are not there and have no fill value are not zero")
	}
	b, err := src.Array(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	if info := b.Info(); info.DimensionNames != nil || info.Attributes.Get(documents.DimensionsAttribute) == nil || info.FillFrom == "" {
		t.Errorf("one name for two dimensions became %q, fill value from %q", info.DimensionNames, info.FillFrom)
	}
}

// TestArraysAreOpenedOnce: an array of v3 that was opened stays open.
func TestArraysAreOpenedOnce(t *testing.T) {
	src := open(t, url, newPlace(t, map[string]string{"a/zarr.json": v3(t, nil)}).options())
	first, err := src.Array(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := src.Array(t.Context(), "a"); err != nil || again != first {
		t.Errorf("another array, error %v", err)
	}
}

// TestNumbersOfPython: documents of v3, too, may have numbers that JSON lacks.
func TestNumbersOfPython(t *testing.T) {
	p := newPlace(t, map[string]string{
		"zarr.json":   `{"zarr_format":3,"node_type":"group","attributes":{"sound":1,"lowest":-Infinity}}`,
		"a/zarr.json": strings.Replace(v3(t, map[string]any{"attributes": map[string]any{"missing": 1}}), `"missing":1`, `"missing":NaN,"_FillValue":NaN`, 1),
	})
	src := open(t, url, p.options())
	a, err := src.Array(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string][]cf.Finding{"lowest": src.Groups()[0].Findings, "missing": a.Info().Findings} {
		if len(list) != 1 || list[0].Code != sources.NotJSON || !strings.Contains(list[0].Message, strconv.Quote(name)) {
			t.Errorf("findings %+v, want one about %s", list, name)
		}
	}
}

// A changed store is recognised by any of the sampled chunks, and by its documents.
func TestChanged(t *testing.T) {
	objects := map[string]string{"zarr.json": group, "a/zarr.json": v3(t, nil), "a/c/0/0": half}
	for name, change := range map[string]map[string]string{
		"":                    nil,
		"document":            {"a/zarr.json": v3(t, map[string]any{"attributes": map[string]any{"x": 1}})},
		"chunk":               {"a/c/0/0": half + half},
		"chunk that was new":  {"a/c/1/0": half},
		"chunk that was lost": {"a/c/0/0": ""},
		"document, lost":      {"a/zarr.json": ""},
	} {
		p := newPlace(t, objects)
		src := open(t, url, p.options())
		if _, err := src.Array(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		var urls []string
		for f := range src.Files() {
			urls = append(urls, f.URL)
			if f.Size == 0 || f.ModTime.IsZero() {
				t.Errorf("%v is not known", f)
			}
		}
		if diff := cmp.Diff([]string{url + "/a/c/0/0", url + "/a/zarr.json", url + "/zarr.json"}, urls); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
		p.put(change)
		err := src.Changed(t.Context())
		if (err != nil) != (name != "") {
			t.Errorf("%s: %v", name, err)
		}
		if name != "" && !errors.Is(err, sources.ErrChanged) {
			t.Errorf("%s: %v, want ErrChanged", name, err)
		}
	}
}

func TestCanceled(t *testing.T) {
	p := newPlace(t, map[string]string{"zarr.json": group})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := zarr.Open(ctx, url, p.options()); !errors.Is(err, context.Canceled) {
		t.Errorf("opening after cancellation gives %v", err)
	}
}
