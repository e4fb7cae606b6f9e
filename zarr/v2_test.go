package zarr_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

const soundV2 = `{"zarr_format":2,"shape":[10,20],"chunks":[5,20],"dtype":">i2","fill_value":-7,"order":"F",
	"filters":[{"id":"delta","dtype":">i2"}],"compressor":{"id":"zstd","level":5},"dimension_separator":"/","extra":1}`

func parseV2(text, attributes string) (*zarr.ArrayV2, error) {
	var a []byte
	if attributes != "" {
		a = []byte(attributes)
	}
	return zarr.ParseArrayV2([]byte(text), a, dtype.Standard(), standard.Registry(dtype.Standard()))
}

func TestParseArrayV2(t *testing.T) {
	a, err := parseV2(soundV2, `{"_ARRAY_DIMENSIONS":["y","x"],"units":"K"}`)
	if err != nil {
		t.Fatal(err)
	}
	want := &zarr.ArrayV2{Named: true, Array: zarr.Array{
		Type: dtype.Int16,
		Grid: zarr.Grid{Shape: []int{10, 20}, Chunk: []int{5, 20}},
		Keys: zarr.KeyEncoding{Name: "v2", Separator: "/"},
		Codecs: []codecs.Spec{
			{Name: "transpose", Configuration: json.RawMessage(`{"order":"F"}`)},
			{Name: "numcodecs.delta", Configuration: json.RawMessage(`{"dtype":"\u003ei2"}`)},
			{Name: "bytes", Configuration: json.RawMessage(`{"endian":"big"}`)},
			{Name: "zstd", Configuration: json.RawMessage(`{"level":5}`)},
		},
		DimensionNames: []string{"y", "x"},
		Attributes:     zarr.Attributes{{Name: "units", Value: json.RawMessage(`"K"`)}},
	}}
	fill := a.Fill
	a.Fill = nil
	if diff := cmp.Diff(want, a, cmp.Comparer(dtype.Same)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := string(dtype.Int16.FormatScalar(dtype.V3, fill)); got != "-7" {
		t.Errorf("fill value %s", got)
	}
}

func TestParseArrayV2Variants(t *testing.T) {
	for name, test := range map[string]struct {
		old, new, attributes string
		check                func(a *zarr.ArrayV2) bool
	}{
		"default separator": {`"dimension_separator":"/",`, "", "", func(a *zarr.ArrayV2) bool { return a.Keys.Key([]int{1, 2}) == "1.2" }},
		"null separator":    {`"dimension_separator":"/"`, `"dimension_separator":null`, "", func(a *zarr.ArrayV2) bool { return a.Keys.Key([]int{1, 2}) == "1.2" }},
		"null fill value":   {"-7", "null", "", func(a *zarr.ArrayV2) bool { return a.Fill == nil }},
		"nothing compresses": {
			`"filters":[{"id":"delta","dtype":">i2"}],"compressor":{"id":"zstd","level":5}`, `"filters":null,"compressor":null`, "",
			func(a *zarr.ArrayV2) bool { return len(a.Codecs) == 2 },
		},
		"no extent at all": {`"shape":[10,20],"chunks":[5,20]`, `"shape":[0,20],"chunks":[0,20]`, "", func(a *zarr.ArrayV2) bool { return a.Grid.Chunk[0] == 1 }},
		"dimensions that do not fit": {"", "", `{"_ARRAY_DIMENSIONS":["x"]}`, func(a *zarr.ArrayV2) bool {
			return a.DimensionNames == nil && a.Attributes.Get(zarr.DimensionsAttribute) != nil
		}},
		"a filter that is the type": {
			`"dtype":">i2","fill_value":-7,"order":"F",
	"filters":[{"id":"delta","dtype":">i2"}]`, `"dtype":"|O","fill_value":"","order":"C","filters":[{"id":"vlen-utf8"}]`, "",
			func(a *zarr.ArrayV2) bool { return a.Type.Name() == "string" },
		},
		"fields of different orders": {
			`"dtype":">i2","fill_value":-7,"order":"F",
	"filters":[{"id":"delta","dtype":">i2"}]`, `"dtype":[["a",">i2"],["b","<i2"]],"fill_value":"AQICAQ==","order":"C","filters":null`, "",
			func(a *zarr.ArrayV2) bool {
				return a.Mixed && string(a.Codecs[0].Configuration) == `{"endian":"little"}`
			},
		},
	} {
		text := strings.Replace(soundV2, test.old, test.new, 1)
		if text == soundV2 && test.old != "" {
			t.Fatalf("%s: nothing was replaced", name)
		}
		a, err := parseV2(text, test.attributes)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !test.check(a) {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// The error reports all problems, each with its field.
func TestParseArrayV2Refuses(t *testing.T) {
	for _, test := range []struct{ old, new, attributes, want string }{
		{`"zarr_format":2`, `"zarr_format":3`, "", "zarr_format is 3, want 2"},
		{`"shape":[10,20],`, ``, "", "shape: missing"},
		{`[10,20]`, `[10,-1]`, "", "shape: [10,-1]: entry 1: want an integer of at least 0"},
		{`[5,20]`, `[5]`, "", "chunks: chunks [5] have 1 dimensions, the array has 2"},
		{`[5,20]`, `[0,20]`, "", "chunks: chunks [0 20]: the extent along dimension 0 is not positive"},
		{`[5,20]`, `true`, "", "chunks: true: want an array of integers"},
		{`">i2","fill`, `">x9","fill`, "", "dtype:"},
		{`-7`, `"seven"`, "", "fill_value:"},
		{`"fill_value":-7,`, ``, "", "fill_value: missing"},
		{`"order":"F"`, `"order":"A"`, "", `order: "A", want "C" or "F"`},
		{`"delta"`, `"alpha"`, "", `filters[0]: unknown codec "alpha"`},
		{`[{"id":"delta","dtype":">i2"}]`, `{"id":"delta"}`, "", "filters: want an array or null"},
		{`"zstd"`, `"zap"`, "", `compressor: unknown codec "zap"`},
		{`"/"`, `"-"`, "", `dimension_separator: "-", want "." or "/"`},
		{"", "", `[1]`, ".zattrs: want a JSON object"},
		{soundV2, `null`, "", "want a JSON object"},
		{soundV2, `[1, 2]`, "", "not a Zarr v2 document: want a JSON object"},
	} {
		_, err := parseV2(strings.Replace(soundV2, test.old, test.new, 1), test.attributes)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s → %s: %v, want %s alone", test.old, test.new, err, test.want)
		}
	}
	_, err := parseV2(`{"zarr_format":2,"order":"A","dimension_separator":"-"}`, "")
	for _, field := range []string{"shape", "chunks", "dtype", "order", "dimension_separator"} {
		if err == nil || !strings.Contains(err.Error(), field+":") {
			t.Errorf("%v: %s is not in it", err, field)
		}
	}
}

func TestDocumentsV2(t *testing.T) {
	if err := zarr.CheckGroupV2([]byte(`{"zarr_format":2}`)); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"", "null", "[]", `{}`, `{"zarr_format":3}`} {
		if err := zarr.CheckGroupV2([]byte(text)); !errors.Is(err, zarr.ErrNotZarrV2) {
			t.Errorf("group %q gives %v", text, err)
		}
		if _, err := zarr.ParseConsolidatedV2([]byte(text)); !errors.Is(err, zarr.ErrNotZarrV2) {
			t.Errorf("consolidated metadata %q gives %v", text, err)
		}
	}
	for text, want := range map[string]string{
		`{"zarr_consolidated_format":1`:                "unexpected end",
		`{"zarr_consolidated_format":1}`:               "with metadata",
		`{"zarr_consolidated_format":2,"metadata":{}}`: "zarr_consolidated_format 1",
	} {
		if _, err := zarr.ParseConsolidatedV2([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	got, err := zarr.ParseConsolidatedV2([]byte(`{"zarr_consolidated_format":1,"metadata":{"a/.zattrs":{"x":1}}}`))
	if diff := cmp.Diff(map[string]json.RawMessage{"a/.zattrs": json.RawMessage(`{"x":1}`)}, got); err != nil || diff != "" {
		t.Errorf("(-want +got):\n%s (%v)", diff, err)
	}
}

func TestFromPython(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":NaN,"b":[Infinity,-Infinity]}`:   `{"a":"NaN","b":["Infinity","-Infinity"]}`,
		`{"NaN":"-Infinity \" NaN","x":NaN}`:   `{"NaN":"-Infinity \" NaN","x":"NaN"}`,
		`{"a":"NaN","b":"\\","c":"Infinity"}`:  "",
		`{"a":"x\\","b":NaN}`:                  `{"a":"x\\","b":"NaN"}`,
		`{"zarr_format":2,"a":-9007199254741}`: "",
		`{"a":NaN,"b":"\`:                      `{"a":"NaN","b":"\`, // the text breaks off
	} {
		got, ok := zarr.FromPython([]byte(text))
		if ok != (want != "") {
			t.Errorf("%s: %v", text, ok)
		}
		if want == "" {
			want = text
		}
		if string(got) != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

// FuzzParseArrayV2 reads any text as the document of an array. It never panics, and
// codecs of an accepted document can be bound or are refused.
func FuzzParseArrayV2(f *testing.F) {
	f.Add([]byte(soundV2), []byte(`{"_ARRAY_DIMENSIONS":["y","x"]}`))
	f.Add([]byte(`{"zarr_format":2,"shape":[],"chunks":[],"dtype":"|O","fill_value":"","order":"C","filters":[{"id":"vlen-utf8"}],"compressor":null}`), []byte(`{"a":NaN}`))
	f.Add([]byte(`{"zarr_format":2,"shape":[3],"chunks":[2],"dtype":[["a","<f4"],["b",">i2",[2]]],"fill_value":"AAAAAAAAAAA=","order":"C","filters":null,"compressor":{"id":"blosc"}}`), []byte(nil))
	f.Fuzz(func(t *testing.T, text, attributes []byte) {
		text, _ = zarr.FromPython(text)
		attributes, _ = zarr.FromPython(attributes)
		a, err := zarr.ParseArrayV2(text, attributes, dtype.Standard(), standard.Registry(dtype.Standard()))
		if err != nil {
			return
		}
		if err := a.Grid.Check(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if a.DimensionNames != nil && len(a.DimensionNames) != len(a.Grid.Shape) {
			t.Errorf("%s: names %q", attributes, a.DimensionNames)
		}
		fill := a.Fill
		if fill == nil {
			fill = a.Type.Default()
		}
		_, _ = standard.Registry(dtype.Standard()).Bind(a.Codecs, codecs.Chunk{Type: a.Type, Shape: a.Grid.Chunk, Fill: fill})
	})
}

// FuzzFromPython: valid JSON stays unchanged.
func FuzzFromPython(f *testing.F) {
	f.Add([]byte(`{"a":NaN,"b":[Infinity,-Infinity],"c":"NaN \" \\"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		out, ok := zarr.FromPython(text)
		if ok && json.Valid(text) {
			t.Errorf("%q is JSON and became %q", text, out)
		}
		if !ok && string(out) != string(text) {
			t.Errorf("%q became %q", text, out)
		}
	})
}
