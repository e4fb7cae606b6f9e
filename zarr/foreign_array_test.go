package zarr_test

import (
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestForeignArray reads a fill value of null, which GDAL writes. Zarr v3 does not allow it,
// so that Array refuses it.
func TestForeignArray(t *testing.T) {
	text := []byte(`{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},
		"chunk_key_encoding":"default","fill_value": null,"codecs":["bytes"]}`)
	for _, test := range []struct {
		fill string
		want string // of Array: a part of the error
	}{{"null", "fill_value: null is not a uint8 value"}, {"7", ""}} {
		d, err := zarr.OpenArray([]byte(strings.Replace(string(text), "null", test.fill, 1)))
		if err != nil {
			t.Fatal(err)
		}
		a, err := d.ForeignArray(dtype.Standard())
		if err != nil || (a.Fill == nil) != (test.fill == "null") {
			t.Errorf("%s: %v, %v", test.fill, a, err)
		}
		if _, err := d.Array(dtype.Standard()); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.fill, err, test.want)
		}
	}
}
