package zarr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

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
	if got := (KeyEncoding{}).Key(index); got != "c/0/12/3" {
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
		if again, err := Document(a); err != nil || !bytes.Equal(text, again) || a.Keys != (KeyEncoding{}) {
			t.Errorf("%s: %s, %+v (%v)", edit[1], again, a.Keys, err)
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
		{`"codecs":[`, `"codecs":null,"x":[`, "codecs: want an array"},
		{`"configuration":{"chunk_shape":[4,3]}`, `"configuration":null`, "chunk_grid: null: want a JSON object"},
		{`{"separator":"/"}`, `{"separator":"/","y":1}`, `chunk_key_encoding: unknown field "y"`},
		{`{"name":"default","configuration":{"separator":"/"}}`, `{}`, "chunk_key_encoding: {}: want a name"},
		{`"fill_value"`, `"storage_transformers":5,"fill_value"`, "storage_transformers: want an array"},
		{`["time",null]`, `["time"]`, "dimension_names: 1 names for 2 dimensions"},
		{`["time",null]`, `["time",5]`, "dimension_names"},
		{`"attributes":{`, `"attributes":5,"x":{`, "attributes"},
		{`"fill_value"`, `"storage_transformers":["x"],"fill_value"`, "storage_transformers"},
		{`"fill_value"`, `"extra":1,"fill_value"`, `"extra": unknown field`},
		{`"fill_value"`, `"extra":{"must_understand":true},"fill_value"`, `"extra": unknown field`},
		{`"fill_value"`, `"extra":{},"fill_value"`, `"extra": unknown field`},
		{`"regular"`, `"hexagonal"`, `chunk_grid: "hexagonal" is not known`},
		{`"name":"regular",`, `"name":"",`, "want a name, or an object with name and configuration"},
		{`"name":"regular",`, `"name":7,`, "want a name, or an object with name and configuration"},
		{`"name":"regular",`, `"names":"regular",`, `chunk_grid: unknown field "names"`},
	} {
		changed := strings.Replace(string(text), c.old, c.new, 1)
		if changed == string(text) {
			t.Errorf("%s is not there", c.old)
		}
		if _, err := ParseArray([]byte(changed), dtype.Standard()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		} else if strings.Contains(err.Error(), "\n") && c.new != `"shape":[7]` && !strings.Contains(c.new, `"x":`) {
			t.Errorf("%s is one problem, not all of these: %v", c.new, err)
		}
	}
	if _, err := ParseArray([]byte(`null`), dtype.Standard()); err == nil || !strings.Contains(err.Error(), "want a JSON object") {
		t.Errorf("null: %v", err)
	}
	for _, bad := range []string{``, `null`, `[]`, `{`, `5`, `{}`, `{"zarr_format":3}`, `{"zarr_format":"3","node_type":"array"}`} {
		if _, err := ParseArray([]byte(bad), dtype.Standard()); !errors.Is(err, ErrNotZarr) {
			t.Errorf("%s: %v, want ErrNotZarr", bad, err)
		}
	}
	// All problems are reported at once.
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
	for _, bad := range []string{`{"zarr_format":2}`, `{"zarr_format":3,"node_type":"tree"}`, `{"zarr_format":3,"node_type":5}`, `[]`} {
		if node, err := NodeType([]byte(bad)); !errors.Is(err, ErrNotZarr) {
			t.Errorf("%s: %q, %v", bad, node, err)
		}
		if _, err := ParseGroup([]byte(bad)); !errors.Is(err, ErrNotZarr) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if g, err := ParseGroup([]byte(`{"zarr_format":3,"node_type":"group"}`)); err != nil || g.Attributes != nil || g.Consolidated != nil {
		t.Errorf("a bare group: %+v, %v", g, err)
	}
	_, err = ParseGroup([]byte(`{"zarr_format":3,"node_type":"group","e":1,"d":1,"c":1,"b":1,"a":1,"g":1,"f":1}`))
	if lines := strings.Split(fmt.Sprint(err), "\n"); len(lines) != 7 || !slices.IsSorted(lines) {
		t.Errorf("fields that are not known, in their order: %q", lines)
	}
}

// TestStoredOrder finds the byte order that a chain asks for.
func TestStoredOrder(t *testing.T) {
	for chain, want := range map[string]dtype.Order{
		`[]`:        dtype.Little,
		`["bytes"]`: dtype.Little,
		`[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]`:                                                          dtype.Little,
		`[{"name":"transpose","configuration":{"order":[0]}},{"name":"bytes","configuration":{"endian":"big"}},"crc32c"]`:          dtype.Big,
		`[{"name":"other","configuration":{"endian":5}},{"name":"bytes","configuration":{"endian":"big"}}]`:                        dtype.Big,
		`[{"name":"sharding_indexed","configuration":{"codecs":[{"name":"bytes","configuration":{"endian":"big"}}]}}]`:             dtype.Big,
		`[{"name":"sharding_indexed","configuration":{"codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}},"crc32c"]`: dtype.Little,
	} {
		var specs []codecs.Spec
		if err := json.Unmarshal([]byte(chain), &specs); err != nil {
			t.Fatal(err)
		}
		if got := storedOrder(specs); got != want {
			t.Errorf("%s: %v, want %v", chain, got, want)
		}
	}
}

// TestUnwritable has metadata of which no document can be made.
func TestUnwritable(t *testing.T) {
	for name, test := range map[string]struct {
		change func(a *Array)
		want   string
	}{
		"a rectilinear grid":     {func(a *Array) { a.Grid.Runs = [][]Run{{}} }, "rectilinear"},
		"no fill value":          {func(a *Array) { a.Fill = nil }, "no fill value"},
		"a type of v2 alone":     {func(a *Array) { a.Type = unwritable{a.Type} }, "no v3 name"},
		"an attribute":           {func(a *Array) { a.Attributes = Attributes{{"a", json.RawMessage(`{`)}} }, `attribute "a" is not JSON`},
		"an attribute of a text": {func(a *Array) { a.Attributes = Attributes{{"b", nil}} }, `attribute "b" is not JSON`},
	} {
		a := testArray()
		test.change(a)
		if text, err := Document(a); err == nil || !strings.Contains(err.Error(), test.want) || text != nil {
			t.Errorf("%s: %s, %v, want %s", name, text, err, test.want)
		}
	}
}

// unwritable is a data type without a name.
type unwritable struct{ dtype.Type }

func (unwritable) V3() (json.RawMessage, error) { return nil, errors.New("no v3 name") }

// TestAttributesBroken reads texts that end too early, or are no objects.
func TestAttributesBroken(t *testing.T) {
	for _, text := range []string{``, ` `, `{`, `{1:2}`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1`, `{"a":1]`, `{"a":1,}`, `[]`, `null`, `"{"`} {
		a := Attributes{{"was", json.RawMessage("1")}}
		if err := a.UnmarshalJSON([]byte(text)); err == nil || len(a) != 1 {
			t.Errorf("%s gives %v, %v", text, a, err)
		}
	}
}

func TestPaths(t *testing.T) {
	for _, p := range []string{"", "a", "a/b c", "é/x.y", "...a", strings.Repeat("n", 255)} {
		if err := CheckPath(p); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
	for _, p := range []string{"/", "/a", "a/", "a//b", ".", "a/..", "...", "__x", "zarr.json", "a\\b", "a\x00", "\xff", "a\n", "\x7f", strings.Repeat("n", 256)} {
		if err := CheckPath(p); err == nil {
			t.Errorf("%q was accepted", p)
		}
	}
	if diff := cmp.Diff([]string{"", "a", "a/b", "c"}, Parents([]string{"a/b/x", "a/y", "c/z", "w"})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"", "a", "a/b", "a/b/c"}, Parents([]string{"a/b/c/x"})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{""}, Parents([]string{""})); diff != "" {
		t.Error(diff)
	}
}
