package zarr_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestWithoutSerializer reads arrays whose document has no array → bytes codec, and whose
// fill value is null. The functions of zarrita.js write both if their caller names neither.
func TestWithoutSerializer(t *testing.T) {
	const document = `{"zarr_format":3,"node_type":"array","shape":[2,3],"data_type":"int16",
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,3]}},"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},
		"codecs":%s,"fill_value":null,"dimension_names":["y","x"],"attributes":{}}`
	for given, test := range map[string]struct {
		chunk, codecs string
		want          []int16
	}{
		`[]`: {"\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x01", `[{"name":"bytes","configuration":{"endian":"little"}}]`, []int16{1, 2, 3, 4, 5, 262}},
		`[{"name":"transpose","configuration":{"order":[1,0]}}]`: {"\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x01",
			`[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"little"}}]`, []int16{1, 3, 5, 2, 4, 262}},
		`[{"name":"crc32c"}]`: {"\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00\xb1\x9a\x48\x2f", `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]`, []int16{1, 2, 3, 4, 5, 6}},
	} {
		folder := t.TempDir()
		if err := os.MkdirAll(filepath.Join(folder, "c", "0"), 0o777); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"zarr.json": fmt.Sprintf(document, given), "c/0/0": test.chunk} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		src := open(t, folder, zarr.Options{})
		a, err := src.Array(t.Context(), "")
		if err != nil {
			t.Errorf("%s: %v", given, err)
			continue
		}
		if codecs, err := json.Marshal(a.Info().Codecs); err != nil || string(codecs) != test.codecs {
			t.Errorf("%s: codecs %s %v, want %s", given, codecs, err, test.codecs)
		}
		values, _ := ndarray.As[int16](sourcetest.ReadAll(t, a))
		if diff := cmp.Diff(test.want, values); diff != "" {
			t.Errorf("%s (-want +got):\n%s", given, diff)
		}
	}
}
