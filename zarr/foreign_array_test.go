package zarr_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestForeignArray reads fill values of Zarr v2 in documents of v3, which Array refuses: null, which
// GDAL writes, and the number of a boolean, which zarrita writes.
func TestForeignArray(t *testing.T) {
	text := `{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},
		"chunk_key_encoding":"default","fill_value":null,"codecs":["bytes"]}`
	for _, test := range []struct {
		data, fill string
		want       dtype.Scalar
		refused    string // by Array: a part of the error; "": not refused
	}{
		{"uint8", "null", nil, "fill_value: null is not a uint8 value"},
		{"uint8", "7", dtype.Scalar{7}, ""},
		{"uint8", "1", dtype.Scalar{1}, ""},
		{"bool", "1", dtype.Scalar{1}, "fill_value: 1 is not a bool value"},
		{"bool", "0", dtype.Scalar{0}, "fill_value: 0 is not a bool value"},
		{"bool", "true", dtype.Scalar{1}, ""},
	} {
		d, err := zarr.OpenArray([]byte(strings.NewReplacer("uint8", test.data, "null", test.fill).Replace(text)))
		if err != nil {
			t.Fatal(err)
		}
		a, err := d.ForeignArray(dtype.Standard())
		if err != nil || !bytes.Equal(a.Fill, test.want) || (a.Fill == nil) != (test.want == nil) {
			t.Errorf("%s %s: %v, %v", test.data, test.fill, a, err)
		}
		if _, err := d.Array(dtype.Standard()); (err == nil) != (test.refused == "") || err != nil && !strings.Contains(err.Error(), test.refused) {
			t.Errorf("%s %s: %v, want %q", test.data, test.fill, err, test.refused)
		}
	}
}
