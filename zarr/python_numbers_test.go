package zarr_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestFillValuesOfPython reads fill values in the spellings of zarr-python beside those
// of Zarr.
func TestFillValuesOfPython(t *testing.T) {
	document := func(name, fill string) []byte {
		return []byte(`{"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "` + name + `", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
			"chunk_key_encoding": {"name": "default"}, "fill_value": ` + fill + `, "codecs": [{"name": "bytes"}], "consolidated_metadata": null}`)
	}
	for _, test := range []struct{ name, given, want string }{
		{"int32", "7.0", "7"}, {"int32", "1e3", "1000"}, {"int32", "-0.0", "0"}, {"uint8", "255.0", "255"}, {"int8", "-128.0", "-128"},
		{"float32", `"nan"`, `"NaN"`}, {"float64", `" NAN"`, `"NaN"`}, {"float64", `"inf"`, `"Infinity"`},
		{"float32", `"-inf"`, `"-Infinity"`}, {"float32", `"+Infinity"`, `"Infinity"`}, {"float16", `"-infinity"`, `"-Infinity"`},
		{"int64", "9007199254740992.0", "9007199254740992"}, {"int64", "-9007199254740992.0", "-9007199254740992"}, // float64 holds every integer up to here
	} {
		got, err := zarr.ParseArray(document(test.name, test.given), dtype.Standard())
		if err != nil {
			t.Errorf("%s of %s: %v", test.given, test.name, err)
			continue
		}
		want, err := zarr.ParseArray(document(test.name, test.want), dtype.Standard())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Fill, got.Fill); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", test.given, test.name, diff)
		}
	}
	for _, test := range []struct{ name, given string }{
		{"int32", "7.5"}, {"int32", `"nan"`}, {"uint8", "256.0"}, {"int64", "1e300"}, {"float32", `"any"`}, {"float32", `"--inf"`}, {"bool", "1.0"},
		{"int64", "9007199254740994.0"}, {"int64", "18014398509481984.0"},
	} {
		_, err := zarr.ParseArray(document(test.name, test.given), dtype.Standard())
		if err == nil || !strings.Contains(err.Error(), "fill_value: "+test.given) {
			t.Errorf("%s of %s: %v", test.given, test.name, err)
		}
	}
}

// TestMarked tells numbers of Python from strings with the same text.
func TestMarked(t *testing.T) {
	const document = `{"z":NaN,"a":"NaN","m":[1,-Infinity],"y":{"x":Infinity},"b":2,"q":NaN,"d":NaN,"k":NaN}`
	marked := zarr.Marked([]byte(document))
	if diff := cmp.Diff([]string{"d", "k", "m", "q", "y", "z"}, zarr.MarkedFields(marked)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	want, _ := zarr.FromPython([]byte(document))
	if diff := cmp.Diff(string(want), string(zarr.Plain(marked))); diff != "" {
		t.Errorf("plain (-want +got):\n%s", diff)
	}
	for _, text := range []string{`{"a":"NaN","b":2}`, `[1,2]`, string(zarr.Marked([]byte(`[NaN]`)))} {
		if names := zarr.MarkedFields([]byte(text)); names != nil {
			t.Errorf("%s: %v", text, names)
		}
	}
	// A group without such numbers, whose arrays have some.
	text, err := zarr.Consolidated([]byte(`{}`), map[string]json.RawMessage{"a": json.RawMessage(`{"x":NaN}`), "b": json.RawMessage(`{"x":1}`), "c": json.RawMessage(`{"x":2}`)})
	if err != nil || !strings.Contains(string(text), `"x": NaN`) {
		t.Errorf("%s, %v", text, err)
	}
}
