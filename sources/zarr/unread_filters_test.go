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

// TestUnreadFilters opens arrays of Zarr v2 with filters that the source does not read. The
// error names the filter and a way out, and source.unsupported: skip leaves the array out.
func TestUnreadFilters(t *testing.T) {
	for name, test := range map[string]struct{ dtype, fill, filter, want string }{
		"pickles":              {"|O", `""`, `{"id":"pickle","protocol":5}`, `objects of the filter "pickle": rewrite the array with vlen-utf8 (string) or vlen-bytes (bytes), such as with zarr-python 2`},
		"numbers in JSON":      {"<i4", "0", `{"id":"json2"}`, "codecs[0] (numcodecs.json2): data type int32: want texts: rewrite the array without this codec, such as with zarr-python"},
		"fixed texts in JSON":  {"<U4", `""`, `{"id":"json2"}`, "codecs[0] (numcodecs.json2): data type fixed_length_utf32: want objects: rewrite the array without this codec"},
		"JSON in UTF-16":       {"|O", `""`, `{"id":"json2","encoding":"utf-16"}`, `codecs[0] (numcodecs.json2): encoding: "utf-16": want utf-8: rewrite the array without this codec`},
		"bytes":                {"|O", `""`, `{"id":"msgpack2","raw":true}`, "codecs[0] (numcodecs.msgpack2): raw: true: the elements are bytes, want texts: rewrite the array without this codec"},
		"categories as floats": {"|O", `""`, `{"id":"categorize","labels":["a"],"dtype":"|O","astype":"<f4"}`, `codecs[0] (numcodecs.categorize): astype: "<f4": want integers: rewrite the array without this codec`},
		"complex differences":  {"<c16", "null", `{"id":"delta","dtype":"<c16","astype":"<c16"}`, "codecs[0] (numcodecs.delta): data type complex128: want integers or floats: rewrite the array without this codec, such as with zarr-python"},
		"differences of times": {"<m8[s]", "null", `{"id":"delta","dtype":"<m8[s]","astype":"<i8"}`, `codecs[0] (numcodecs.delta): dtype: "<m8[s]": want a NumPy type of numbers such as "<f4": rewrite the array without this codec, such as with zarr-python`},
		"arrays behind bytes":  {"<i4", "null", `{"id":"shuffle","elementsize":4},{"id":"delta","dtype":"<i4"}`, "filters[1]: it takes arrays, and a filter in front of it makes bytes: rewrite the array without it, such as with zarr-python 2"},
		"rounded differences":  {"<f8", "null", `{"id":"delta","dtype":"<f8","astype":"<i4"}`, "codecs[0] (numcodecs.delta): astype: int32 for float64: want integers for integers and floats for floats: rewrite the array without this codec, such as with zarr-python"},
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
