package zarr_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestGroupsWithoutArrays lists groups that hold nothing, and the error of a damaged
// one. No other document counts as a group.
func TestGroupsWithoutArrays(t *testing.T) {
	const array = `{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"|u1","compressor":null,"filters":null,"fill_value":0,"order":"C"}`
	for name, documents := range map[string]map[string]string{
		"consolidated": {".zmetadata": `{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},"a/.zarray":` + array + `,
			"b/.zgroup":{"zarr_format":2},"b/c/.zgroup":{"zarr_format":2},"b/c/.zattrs":{"k":1},"odd/.zgroup":{"zarr_format":4},"of/others/notes":{"x":1}}}`},
		"walked": {".zgroup": `{"zarr_format":2}`, "a/.zarray": array, "b/.zgroup": `{"zarr_format":2}`, "b/c/.zgroup": `{"zarr_format":2}`,
			"b/c/.zattrs": `{"k":1}`, "odd/.zgroup": `{"zarr_format":4}`, "of/others/notes": `{"x":1}`},
	} {
		dir := t.TempDir()
		for file, text := range documents {
			file = filepath.Join(dir, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, g := range open(t, dir, zarr.Options{}).Groups() {
			line := g.Path + " " + string(g.Attributes.Get("k"))
			if g.Err != nil {
				line += g.Err.Error()
			}
			got = append(got, strings.TrimSpace(line))
		}
		want := []string{"", "b", "b/c 1", "odd .zgroup: not a Zarr v2 document: zarr_format is 4, want 2"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
