package zarr

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

func TestGrid(t *testing.T) {
	for _, c := range []struct {
		shape, chunk, count []int
		n                   int
	}{
		{[]int{}, []int{}, []int{}, 1},
		{[]int{0}, []int{4}, []int{0}, 0},
		{[]int{5, 0, 2}, []int{2, 3, 1}, []int{3, 0, 2}, 0},
		{[]int{1}, []int{1}, []int{1}, 1},
		{[]int{17}, []int{5}, []int{4}, 4},
		{[]int{4, 4}, []int{4, 4}, []int{1, 1}, 1},
		{[]int{3, 3}, []int{10, 10}, []int{1, 1}, 1},
		{[]int{7, 5, 3}, []int{4, 3, 2}, []int{2, 2, 2}, 8},
		{[]int{math.MaxInt}, []int{1}, []int{math.MaxInt}, math.MaxInt},
		{[]int{math.MaxInt}, []int{math.MaxInt}, []int{1}, 1},
		{[]int{math.MaxInt}, []int{math.MaxInt - 1}, []int{2}, 2},
	} {
		g := Grid{Shape: c.shape, Chunk: c.chunk}
		if err := g.Check(); err != nil {
			t.Errorf("%v: %v", g, err)
		}
		if diff := cmp.Diff(c.count, g.Count()); diff != "" {
			t.Errorf("%v: %s", g, diff)
		}
		if g.Len() != c.n {
			t.Errorf("%v: Len = %d, want %d", g, g.Len(), c.n)
		}
		covered := 0
		for number := range min(g.Len(), 100) {
			index := g.Index(number)
			if g.Number(index) != number {
				t.Errorf("%v: chunk %d is %v is %d", g, number, index, g.Number(index))
			}
			size := 1
			for i, n := range g.Region(index).Shape {
				if n < 1 || n > g.Chunk[i] || g.Region(index).Start[i]+n > g.Shape[i] {
					t.Errorf("%v: chunk %v is %v", g, index, g.Region(index))
				}
				size *= n
			}
			covered += size
		}
		if want := product(c.shape); g.Len() <= 100 && covered != want {
			t.Errorf("%v: the chunks cover %d elements of %d", g, covered, want)
		}
	}
}

func product(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}

func TestGridCheck(t *testing.T) {
	for _, c := range []struct {
		grid Grid
		want string
	}{
		{Grid{Shape: []int{3}, Chunk: []int{}}, "dimensions"},
		{Grid{Shape: []int{3}, Chunk: []int{0}}, "not positive"},
		{Grid{Shape: []int{3}, Chunk: []int{-1}}, "not positive"},
		{Grid{Shape: []int{-3}, Chunk: []int{1}}, "negative"},
		{Grid{Shape: []int{1 << 40, 1 << 40}, Chunk: []int{1, 1}}, "too many elements"},
		{Grid{Shape: []int{0, 1 << 40, 1 << 40}, Chunk: []int{1, 1, 1}}, "too many elements"},
		{Grid{Shape: []int{1, 1}, Chunk: []int{1 << 40, 1 << 40}}, "too many elements"},
	} {
		if err := c.grid.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.grid, err, c.want)
		}
	}
}

func TestKeys(t *testing.T) {
	index := []int{0, 12, 3}
	for _, c := range []struct {
		keys          KeyEncoding
		chunk, scalar string
	}{
		{KeyEncoding{}, "c/0/12/3", "c"},
		{KeyEncoding{Separator: "."}, "c.0.12.3", "c"},
		{KeyEncoding{Name: "default", Separator: "/"}, "c/0/12/3", "c"},
		{KeyEncoding{Name: "v2"}, "0.12.3", "0"},
		{KeyEncoding{Name: "v2", Separator: "/"}, "0/12/3", "0"},
	} {
		if got := c.keys.Key(index); got != c.chunk {
			t.Errorf("%+v: %s, want %s", c.keys, got, c.chunk)
		}
		if got := c.keys.Key(nil); got != c.scalar {
			t.Errorf("%+v: %s, want %s for 0-D", c.keys, got, c.scalar)
		}
	}
	if got := Key(index); got != "c/0/12/3" {
		t.Error(got)
	}
}

func TestAttributes(t *testing.T) {
	const text = `{"z":1.50,"a":{"y":[1,null],"x":"<&>"},"big":9007199254740993,"é":"ü"}`
	var a Attributes
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	got, err := marshal(a)
	if err != nil || string(got) != text {
		t.Errorf("%s (%v)", got, err)
	}
	before := append(Attributes{}, a...)
	b := a.With("a", json.RawMessage("7")).With("new", json.RawMessage("[]")).With("z", json.RawMessage(" null ")).With("none", nil)
	if got, _ := marshal(b); string(got) != `{"a":7,"big":9007199254740993,"é":"ü","new":[]}` {
		t.Errorf("%s", got)
	}
	if diff := cmp.Diff(before, a); diff != "" {
		t.Errorf("the receiver changed: %s", diff)
	}
	if string(b.Get("a")) != "7" || b.Get("z") != nil {
		t.Error("Get")
	}
	var twice Attributes
	if err := json.Unmarshal([]byte(`{"x":1,"y":2,"x":3}`), &twice); err != nil || string(twice.Get("x")) != "3" || len(twice) != 2 {
		t.Errorf("%v, %v", twice, err)
	}
	for _, bad := range []string{`[]`, `null`, `5`, `{"a":1`, `{"a":`, ``} {
		if err := new(Attributes).UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	if _, err := marshal(Attributes{{"x", json.RawMessage("{")}}); err == nil {
		t.Error("an attribute that is no JSON was written")
	}
}

func testArray() *Array {
	return &Array{
		Type: dtype.Float32, Grid: Grid{Shape: []int{7, 5}, Chunk: []int{4, 3}}, Fill: dtype.Float32.Default(),
		Codecs: []codecs.Spec{
			{Name: "bytes", Configuration: json.RawMessage(`{"endian":"little"}`)}, {Name: "crc32c"},
		},
		DimensionNames: []string{"time", ""},
		Attributes:     Attributes{{"units", json.RawMessage(`"K & °C"`)}},
	}
}

func TestDocument(t *testing.T) {
	const want = `{
  "zarr_format": 3,
  "node_type": "array",
  "shape": [
    7,
    5
  ],
  "data_type": "float32",
  "chunk_grid": {
    "name": "regular",
    "configuration": {
      "chunk_shape": [
        4,
        3
      ]
    }
  },
  "chunk_key_encoding": {
    "name": "default",
    "configuration": {
      "separator": "/"
    }
  },
  "fill_value": 0.0,
  "codecs": [
    {
      "name": "bytes",
      "configuration": {
        "endian": "little"
      }
    },
    {
      "name": "crc32c"
    }
  ],
  "attributes": {
    "units": "K & °C"
  },
  "dimension_names": [
    "time",
    null
  ]
}
`
	got, err := Document(testArray())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	group, err := Document(&Group{Consolidated: map[string]json.RawMessage{"b": json.RawMessage(`{"x":"<"}`), "a": json.RawMessage(`1`)}})
	if err != nil {
		t.Fatal(err)
	}
	const wantGroup = `{"zarr_format":3,"node_type":"group","attributes":{},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"a":1,"b":{"x":"<"}}}}`
	if diff := cmp.Diff(wantGroup, compact(t, group)); diff != "" {
		t.Error(diff)
	}
	if _, err := Document(&Group{Attributes: Attributes{{"x", nil}}}); err == nil {
		t.Error("a broken attribute was written")
	}
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	text, _ = FromPython(text)
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestScalarDocument: an array without dimensions has empty lists, no nulls.
func TestScalarDocument(t *testing.T) {
	a := testArray()
	a.Grid, a.DimensionNames, a.Keys = Grid{}, nil, KeyEncoding{Name: "v2"}
	text, err := Document(a)
	if err != nil {
		t.Fatal(err)
	}
	if s := compact(t, text); !strings.Contains(s, `"shape":[]`) || !strings.Contains(s, `"chunk_shape":[]`) || !strings.Contains(s, `{"name":"v2","configuration":{"separator":"."}}`) {
		t.Error(s)
	}
	again, err := ParseArray(text, dtype.Standard())
	if err != nil {
		t.Fatal(err)
	}
	if second, err := Document(again); err != nil || !bytes.Equal(text, second) {
		t.Errorf("%s (%v)", second, err)
	}
}

func TestParseForms(t *testing.T) {
	text, err := Document(testArray())
	if err != nil {
		t.Fatal(err)
	}
	for _, edit := range [][2]string{
		{`"float32"`, `{"name":"float32"}`},
		{`"float32"`, `{"name":"float32","configuration":{},"must_understand":true}`},
		{`{"name":"crc32c"}`, `"crc32c"`},
		{`{"name":"default","configuration":{"separator":"/"}}`, `"default"`},
		{`{"name":"default","configuration":{"separator":"/"}}`, `{"name":"default"}`},
		{`"fill_value"`, `"storage_transformers":[],"fill_value"`},
		{`"fill_value"`, `"extra":{"must_understand":false,"x":1},"fill_value"`},
		{`0.0`, `0`},
	} {
		changed := strings.Replace(compact(t, text), edit[0], edit[1], 1)
		if changed == compact(t, text) {
			t.Errorf("%s is not there", edit[0])
		}
		a, err := ParseArray([]byte(changed), dtype.Standard())
		if err != nil {
			t.Errorf("%s: %v", edit[1], err)
			continue
		}
		if again, err := Document(a); err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s: %s (%v)", edit[1], again, err)
		}
	}
}

func TestParseArrayRefuses(t *testing.T) {
	text, err := marshal(testArray())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"zarr_format":3`, `"zarr_format":2`, "zarr_format"},
		{`"zarr_format":3,`, ``, "zarr_format is missing"},
		{`"node_type":"array"`, `"node_type":"group"`, "node_type"},
		{`"node_type":"array"`, `"node_type":"tree"`, "node_type"},
		{`"shape":[7,5]`, `"shape":[7]`, "chunk_grid"},
		{`"shape":[7,5]`, `"shape":[7,-5]`, "shape: "},
		{`"shape":[7,5]`, `"shape":[7,1.5]`, "shape: "},
		{`"shape":[7,5]`, `"shape":[7,null]`, "shape: "},
		{`"shape":[7,5]`, `"shape":null`, "shape: "},
		{`"shape":[7,5]`, `"shape":[9223372036854775808,5]`, "shape: "},
		{`"shape":[7,5]`, `"shape":[4611686018427387904,5]`, "too many elements"},
		{`"shape":[7,5],`, ``, "shape: missing"},
		{`"float32"`, `"float33"`, `data_type: unknown data type "float33" (did you mean "float32"?)`},
		{`"float32"`, `5`, "data_type"},
		{`"data_type":"float32",`, ``, "data_type: missing"},
		{`[4,3]`, `[4,0]`, "chunk_grid"},
		{`"regular"`, `"rectilinear"`, "chunk_grid"},
		{`"chunk_shape":[4,3]`, `"chunk_shape":[4,3],"x":1`, `chunk_grid: unknown field "x"`},
		{`"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4,3]}}`, `"chunk_grid":"regular"`, "chunk_grid"},
		{`"separator":"/"`, `"separator":"-"`, "chunk_key_encoding: separator"},
		{`"name":"default"`, `"name":"fanout"`, "chunk_key_encoding"},
		{`"name":"default",`, ``, "chunk_key_encoding"},
		{`"fill_value":0.0`, `"fill_value":null`, "fill_value: null"},
		{`"fill_value":0.0,`, ``, "fill_value: missing"},
		{`{"name":"crc32c"}`, `null`, "codecs[1]"},
		{`{"name":"crc32c"}`, `{"name":"crc32c","config":{}}`, "codecs[1]: config"},
		{`"codecs":[`, `"codecs":5,"x":[`, "codecs: want an array"},
		{`["time",null]`, `["time"]`, "dimension_names: 1 names for 2 dimensions"},
		{`["time",null]`, `["time",5]`, "dimension_names"},
		{`"attributes":{`, `"attributes":5,"x":{`, "attributes"},
		{`"fill_value"`, `"storage_transformers":["x"],"fill_value"`, "storage_transformers"},
		{`"fill_value"`, `"extra":1,"fill_value"`, `"extra": unknown field`},
		{`"fill_value"`, `"extra":{"must_understand":true},"fill_value"`, `"extra": unknown field`},
		{`"fill_value"`, `"extra":{},"fill_value"`, `"extra": unknown field`},
	} {
		changed := strings.Replace(string(text), c.old, c.new, 1)
		if changed == string(text) {
			t.Errorf("%s is not there", c.old)
		}
		if _, err := ParseArray([]byte(changed), dtype.Standard()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
	for _, bad := range []string{``, `null`, `[]`, `{`, `5`, `{}`, `{"zarr_format":3}`, `{"zarr_format":"3","node_type":"array"}`} {
		if _, err := ParseArray([]byte(bad), dtype.Standard()); !errors.Is(err, ErrNotZarr) {
			t.Errorf("%s: %v, want ErrNotZarr", bad, err)
		}
	}
	// All problems at once.
	_, err = ParseArray([]byte(`{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"x","codecs":[{}]}`), dtype.Standard())
	for _, field := range []string{"data_type: ", "fill_value: ", "chunk_grid: ", "chunk_key_encoding: ", "codecs[0]: "} {
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%v does not name %s", err, field)
		}
	}
}

func TestParseGroup(t *testing.T) {
	const text = `{"zarr_format":3,"node_type":"group","attributes":{"b":1,"a":2},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"x/y":{"n":1}}}}`
	g, err := ParseGroup([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := marshal(g); err != nil || string(again) != text {
		t.Errorf("%s (%v)", again, err)
	}
	for text, want := range map[string]string{
		`{"zarr_format":3,"node_type":"array"}`:                                                         "node_type",
		`{"zarr_format":3,"node_type":"group","x":1}`:                                                   `"x"`,
		`{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline"}}`:               "consolidated_metadata",
		`{"zarr_format":3,"node_type":"group","consolidated_metadata":7}`:                               "consolidated_metadata",
		`{"zarr_format":3,"node_type":"group","attributes":null}`:                                       "attributes",
		`{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","metadata":[]}}`: "consolidated_metadata",
	} {
		if _, err := ParseGroup([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{`"consolidated_metadata":null`, `"consolidated_metadata":{"kind":"elsewhere","must_understand":false}`} {
		g, err := ParseGroup([]byte(`{"zarr_format":3,"node_type":"group",` + text + `}`))
		if err != nil || g.Consolidated != nil {
			t.Errorf("%s: %v, %v", text, g, err)
		}
	}
	if node, err := NodeType([]byte(text)); err != nil || node != "group" {
		t.Errorf("%s, %v", node, err)
	}
	if _, err := NodeType([]byte(`{"zarr_format":2}`)); !errors.Is(err, ErrNotZarr) {
		t.Errorf("%v", err)
	}
}

func TestPaths(t *testing.T) {
	for _, p := range []string{"", "a", "a/b c", "é/x.y", "...a"} {
		if err := CheckPath(p); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
	for _, p := range []string{"/", "/a", "a/", "a//b", ".", "a/..", "...", "__x", "zarr.json", "a\\b", "a\x00", "\xff", "a\n", "\x7f"} {
		if err := CheckPath(p); err == nil {
			t.Errorf("%q was accepted", p)
		}
	}
	if diff := cmp.Diff([]string{"", "a", "a/b", "c"}, Parents([]string{"a/b/x", "a/y", "c/z", "w"})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{""}, Parents([]string{""})); diff != "" {
		t.Error(diff)
	}
}

// TestGoldenDocuments: documents of zarr-python whose data types are known
// mean the same after they were read and written.
func TestGoldenDocuments(t *testing.T) {
	const folder = "../../../shared/golden/zarr-python/v3.zarr"
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the golden folder is not here: %v", err)
	}
	arrays := 0
	err := filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(name) != MetadataKey {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		node, err := NodeType(text)
		if err != nil {
			return err
		}
		var parsed json.Marshaler
		if node == "group" {
			parsed, err = ParseGroup(text)
		} else {
			parsed, err = ParseArray(text, dtype.Standard())
		}
		if err != nil && strings.Contains(err.Error(), "chunk_grid: \"rectilinear\"") {
			return nil
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return nil
		}
		arrays++
		again, err := Document(parsed)
		if err != nil {
			return err
		}
		// An alias is read and written as the name that it stands for.
		text = bytes.ReplaceAll(text, []byte(`"variable_length_bytes"`), []byte(`"bytes"`))
		if want, got := meaning(t, text), meaning(t, again); !reflect.DeepEqual(want, got) {
			t.Errorf("%s: %s", name, cmp.Diff(want, got))
		}
		return nil
	})
	if err != nil || arrays < 100 {
		t.Errorf("%d documents, %v", arrays, err)
	}
}

// meaning is a document without what may be spelled in more than one way.
func meaning(t *testing.T, text []byte) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	delete(m, "storage_transformers")
	if m["attributes"] == nil {
		m["attributes"] = map[string]any{}
	}
	return m
}

func FuzzParseArray(f *testing.F) {
	text, err := marshal(testArray())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(bytes.Replace(text, []byte(`{"name":"crc32c"}`), nil, 1))
	f.Add([]byte(`{"zarr_format":3,"node_type":"array","shape":[],"data_type":"int8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[]}},"chunk_key_encoding":"default","fill_value":0,"codecs":[]}`))
	f.Add([]byte(`{"zarr_format":3,"node_type":"array","shape":[],"data_type":{"name":"r16"},"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[]}},"chunk_key_encoding":"v2","fill_value":[1,2],"codecs":["bytes"]}`))
	f.Add([]byte(`{"zarr_format":3,"node_type":"array","shape":[9,7],"data_type":"int8","chunk_grid":{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[2,3],3,[1,4]],4]}},"chunk_key_encoding":"default","fill_value":0,"codecs":["bytes"]}`))
	types := dtype.Standard()
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := ParseArray(text, types)
		if err != nil {
			return
		}
		a.Grid.Len()
		if a.Grid.Runs != nil {
			checkRuns(t, a.Grid)
			return
		}
		first, err := Document(a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ParseArray(first, types)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second, err := Document(b); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s becomes %s (%v)", first, second, err)
		}
	})
}

func FuzzParseGroup(f *testing.F) {
	f.Add([]byte(`{"zarr_format":3,"node_type":"group","attributes":{"a":1},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"x":{}}}}`))
	f.Add([]byte(`{"zarr_format":3,"node_type":"group"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := ParseGroup(text)
		if err != nil {
			return
		}
		first, err := Document(g)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseGroup(first)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second, err := Document(again); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s becomes %s (%v)", first, second, err)
		}
	})
}
