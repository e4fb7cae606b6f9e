package zarr_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/zarr"
)

// TestFillValuesOfPython reads fill values as zarr-python does, beside the spellings
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
	} {
		_, err := zarr.ParseArray(document(test.name, test.given), dtype.Standard())
		if err == nil || !strings.Contains(err.Error(), "fill_value: "+test.given) {
			t.Errorf("%s of %s: %v", test.given, test.name, err)
		}
	}
}
