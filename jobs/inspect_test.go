package jobs

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// TestInspectAsJSON has what JSON easily loses, such as an empty shape and a dimension
// without a name.
func TestInspectAsJSON(t *testing.T) {
	place := filepath.Join(t.TempDir(), "in.zarr")
	jobtest.WriteTree(t, place, map[string]string{
		"zarr.json":        jobtest.Group,
		"empty/zarr.json":  strings.NewReplacer("[4]", "[0, 4]", "[2]", "[1, 2]", `["x"]`, `[null, "x"]`).Replace(jobtest.Array),
		"scalar/zarr.json": strings.NewReplacer("[4]", "[]", "[2]", "[]", `["x"]`, "[]").Replace(jobtest.Array),
	})
	_, nodes, err := Inspect(t.Context(), place, jobtest.Environment())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range nodes {
		text, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(text))
	}
	want := []string{
		`{"path":"","kind":"group","attributes":{"is":"v3"}}`,
		`{"path":"empty","kind":"array","data_type":"uint8","shape":[0,4],"chunk_shape":[1,2],"fill_value":7,"codecs":[{"name":"bytes"}],"dimension_names":[null,"x"],"attributes":{}}`,
		`{"path":"scalar","kind":"array","data_type":"uint8","shape":[],"chunk_shape":[],"fill_value":7,"codecs":[{"name":"bytes"}],"attributes":{}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
