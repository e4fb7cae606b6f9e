package zarr_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/sources/zarr"
)

// write writes the documents of a store to a new folder.
func write(t *testing.T, documents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for key, text := range documents {
		file := filepath.Join(dir, filepath.FromSlash(key))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	arrayTextV2 = `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<i2","fill_value":0,"order":"C","filters":null,"compressor":null}`
	arrayTextV3 = `{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"int16","fill_value":0,"chunk_key_encoding":"default",` +
		`"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"codecs":["bytes"],"attributes":{"units":"K"}}`
)

// TestOddDocuments reads documents as zarr-python 3 and tensorstore do, which skip a byte order
// mark at the beginning of a document, and as zarr-python 2 and tensorstore do, which take 2.0
// and 3.0 for the version.
func TestOddDocuments(t *testing.T) {
	v2 := map[string]string{".zgroup": `{"zarr_format":2}`, ".zattrs": `{"title":"t"}`, "v/.zarray": arrayTextV2, "v/.zattrs": `{"units":"K"}`}
	v3 := map[string]string{"zarr.json": `{"zarr_format":3,"node_type":"group","attributes":{"title":"t"}}`, "v/zarr.json": arrayTextV3}
	consolidated := map[string]string{
		".zmetadata": `{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},".zattrs":{"title":"t"},"v/.zarray":` + arrayTextV2 + `,"v/.zattrs":{"units":"K"}}}`,
	}
	for name, change := range map[string]func(text string) string{
		"byte order mark": func(text string) string { return "\ufeff" + text },
		"version": func(text string) string {
			return strings.NewReplacer(`"zarr_format":2`, `"zarr_format":2.0`, `"zarr_format":3`, `"zarr_format":3.0`).Replace(text)
		},
	} {
		for _, documents := range []map[string]string{v2, v3, consolidated} {
			odd := map[string]string{}
			for key, text := range documents {
				odd[key] = change(text)
			}
			src := open(t, write(t, odd), zarr.Options{})
			if g := src.Groups()[0]; g.Err != nil || string(g.Attributes.Get("title")) != `"t"` {
				t.Errorf("%s: root %s, %v", name, g.Attributes.Get("title"), g.Err)
			}
			a, err := src.Array(t.Context(), "v")
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if units := a.Info().Attributes.Get("units"); string(units) != `"K"` {
				t.Errorf("%s: units %s", name, units)
			}
		}
	}
}

// TestFaultyGroups opens groups whose documents are damaged. The error names the document.
func TestFaultyGroups(t *testing.T) {
	for key, text := range map[string]string{".zgroup": `{"zarr_format":4}`, ".zattrs": `[]`} {
		documents := map[string]string{".zgroup": `{"zarr_format":2}`, "v/.zarray": arrayTextV2}
		documents[key] = text
		_, err := open(t, write(t, documents), zarr.Options{}).Array(t.Context(), "v")
		if err == nil || !strings.Contains(err.Error(), `group "": `+key+": ") {
			t.Errorf("%s: %v", key, err)
		}
	}
}
