package zarr_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestUnreadFilters opens arrays of Zarr v2 with filters that have no form in Zarr v3. The
// error names the filter and a way out, and source.unsupported: skip leaves the array out.
func TestUnreadFilters(t *testing.T) {
	for name, test := range map[string]struct{ dtype, fill, filter, want string }{
		"categories of objects": {"|O", `""`, `{"id":"categorize","labels":["a"],"dtype":"|O","astype":"|u1"}`, `objects of the filter "categorize": rewrite the array with vlen-utf8 (string) or vlen-bytes (bytes), such as with zarr-python 2`},
		"categories":            {"<U1", `""`, `{"id":"categorize","labels":["a"],"dtype":"<U1","astype":"|u1"}`, `filters[0]: unknown codec "categorize": rewrite the array without it, such as with zarr-python 2`},
		"JSON":                  {"|O", `""`, `{"id":"json2"}`, `objects of the filter "json2": rewrite the array with vlen-utf8`},
		"MessagePack":           {"|O", `""`, `{"id":"msgpack2"}`, `objects of the filter "msgpack2": rewrite the array with vlen-utf8`},
		"complex differences":   {"<c16", "null", `{"id":"delta","dtype":"<c16","astype":"<c16"}`, "codecs[0] (numcodecs.delta): data type complex128: want integers or floats: rewrite the array without this codec, such as with zarr-python"},
		"rounded differences":   {"<f8", "null", `{"id":"delta","dtype":"<f8","astype":"<i4"}`, "codecs[0] (numcodecs.delta): astype: int32 for float64: want integers for integers and floats for floats: rewrite the array without this codec, such as with zarr-python"},
	} {
		dir := t.TempDir()
		text := fmt.Sprintf(`{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":%q,"fill_value":%s,"order":"C","filters":[%s],"compressor":null}`, test.dtype, test.fill, test.filter)
		for key, text := range map[string]string{".zgroup": `{"zarr_format":2}`, "v/.zarray": text} {
			file := filepath.Join(dir, key)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := open(t, dir, zarr.Options{}).Array(t.Context(), "v")
		if err == nil || !sources.Unsupported(err) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), `array "v"`) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}
