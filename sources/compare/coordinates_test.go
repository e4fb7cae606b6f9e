package compare

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestCoordinatesOf has arrays in groups. A name refers to the array in the nearest group.
// An array is not a coordinate of itself.
func TestCoordinatesOf(t *testing.T) {
	arrays := map[string]bool{"time": true, "bounds": true, "model/time": true, "model/lat": true, "model/area": true, "model/deep/temp": true, "model/deep/p0": true}
	for name, c := range map[string]struct {
		path       string
		dimensions []string
		attributes string
		want       []string
	}{
		"dimensions": {"model/deep/temp", []string{"time", "", "lat", "none"}, `{}`, []string{"model/time", "model/lat"}},
		"itself":     {"model/time", []string{"time"}, `{"bounds": "bounds"}`, []string{"bounds"}},
		"twice":      {"model/deep/temp", []string{"lat"}, `{"coordinates": "lat time lat none"}`, []string{"model/lat", "model/time"}},
		"attributes": {
			"model/deep/temp", nil,
			`{"grid_mapping": "area: lat", "climatology": "bounds", "formula_terms": "time: p0 ps: none", "coordinates": 7, "units": "time"}`,
			[]string{"model/area", "model/lat", "bounds", "model/deep/p0"},
		},
		"geometry": {"model/deep/temp", nil, `{"geometry": "area", "node_count": "p0", "cell_measures": "area: lat", "ancillary_variables": "time"}`, []string{"model/area", "model/deep/p0"}},
		"node":     {"model/area", nil, `{"node_coordinates": "lat time"}`, []string{"model/lat", "model/time"}},
		"none":     {"model/deep/temp", []string{"none"}, `{}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var attributes zarr.Attributes
			if err := json.Unmarshal([]byte(c.attributes), &attributes); err != nil {
				t.Fatal(err)
			}
			info := &sources.Info{Path: c.path, DimensionNames: c.dimensions, Attributes: attributes}
			got := CoordinatesOf(info, func(path string) bool { return arrays[path] })
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCompanionsOf finds the arrays that tell more about an array.
func TestCompanionsOf(t *testing.T) {
	info := &sources.Info{Path: "g/v", DimensionNames: []string{"x"}, Attributes: zarr.Attributes{
		{Name: "cell_measures", Value: []byte(`"area: size volume: none"`)}, {Name: "ancillary_variables", Value: []byte(`"quality size v area"`)},
	}}
	arrays := []string{"size", "g/quality", "g/v", "x"}
	got := CompanionsOf(info, func(path string) bool { return slices.Contains(arrays, path) })
	if diff := cmp.Diff([]string{"size", "g/quality"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
