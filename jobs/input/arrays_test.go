package input_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// anotherArray is the document of an array of two elements along each dimension.
func anotherArray(attributes string, dimensions ...string) string {
	extents := strings.TrimSuffix(strings.Repeat("2, ", len(dimensions)), ", ")
	return fmt.Sprintf(`{"zarr_format": 3, "node_type": "array", "shape": [%s], "data_type": "float32", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [%s]}},
	"chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": [{"name": "bytes"}], "dimension_names": ["%s"], "attributes": {%s}}`,
		extents, extents, strings.Join(dimensions, `", "`), attributes)
}

// TestCoordinatesComeAlong plans a part of a hierarchy, alone and joined with another one.
func TestCoordinatesComeAlong(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 {
		jobtest.WriteTree(t, filepath.Join(dir, fmt.Sprintf("in%d.zarr", i)), map[string]string{
			"zarr.json": jobtest.Group, "g/zarr.json": jobtest.Group,
			"time/zarr.json":      anotherArray(`"bounds": "time_bnds"`, "time"),
			"time_bnds/zarr.json": anotherArray("", "time", "nv"),
			"x/zarr.json":         anotherArray("", "x"),
			"crs/zarr.json":       anotherArray("", "one"),
			"sst/zarr.json":       anotherArray(`"coordinates": "lon2 absent", "grid_mapping": "crs: x"`, "time", "x"),
			"lon2/zarr.json":      anotherArray("", "x"),
			"temp/zarr.json":      anotherArray("", "x"),
			"g/v/zarr.json":       anotherArray("", "x", "y"),
			"g/y/zarr.json":       anotherArray(`"formula_terms": "a: ak ps: ps"`, "y"),
			"g/ak/zarr.json":      anotherArray("", "y"),
			"a/zarr.json":         anotherArray("", "q"),
		})
	}
	all := []string{"a", "crs", "g/ak", "g/v", "g/y", "lon2", "sst", "temp", "time", "time_bnds", "x"}
	for name, test := range map[string]struct {
		source string
		want   []string
	}{
		"everything":         {"", all},
		"one":                {"include: [sst]", []string{"crs", "lon2", "sst", "time", "time_bnds", "x"}},
		"of a group":         {"include: [g/v]", []string{"g/ak", "g/v", "g/y", "x"}},
		"none":               {"include: [sst], coordinates: false", []string{"sst"}},
		"as by default":      {"include: [sst, lon2], exclude: [time], coordinates: true", []string{"crs", "lon2", "sst", "x"}},
		"excluded by a glob": {"include: [sst], exclude: ['t*', '*2']", []string{"crs", "lon2", "sst", "time", "time_bnds", "x"}},
		"excluded by name":   {"include: [sst], exclude: [lon2, time_bnds]", []string{"crs", "sst", "time", "x"}},
		"exclude alone":      {"exclude: ['t*', 'g/*']", []string{"a", "crs", "lon2", "sst", "time", "time_bnds", "x"}},
		"exclude, and none":  {"exclude: ['t*', 'g/*'], coordinates: false", []string{"a", "crs", "lon2", "sst", "x"}},
	} {
		for _, source := range []string{"url: in0.zarr", `url: "in*.zarr", stack: run`} {
			t.Run(name+", "+source, func(t *testing.T) {
				p := planned(t, dir, "zmigrate: 1\ntarget: {url: out.zarr}\nsource: {driver: zarr, "+strings.TrimSuffix(source+", "+test.source, ", ")+"}\n")
				var got []string
				for i := range p.Arrays {
					a := &p.Arrays[i]
					got = append(got, a.Source)
					noted := slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "as a coordinate of ") })
					if noted == p.Job.Selected(a.Source) {
						t.Errorf("%s: notes %q", a.Source, a.Notes)
					}
				}
				slices.Sort(got)
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("arrays (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestCompanionsLeftOut notes what attributes name and the job does not select.
func TestCompanionsLeftOut(t *testing.T) {
	dir := t.TempDir()
	jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{
		"zarr.json": jobtest.Group, "g/zarr.json": jobtest.Group, "area/zarr.json": anotherArray("", "x"), "size/zarr.json": anotherArray("", "x"),
		"g/v/zarr.json":    anotherArray(`"cell_measures": "area: area volume: size", "ancillary_variables": "none"`, "x"),
		"g/area/zarr.json": anotherArray("", "x"),
	})
	for include, want := range map[string][]string{"g/v": {"g/area", "size"}, "g/*": {"size"}, "'**'": nil} {
		p := planned(t, dir, "zmigrate: 1\ntarget: {url: out.zarr}\nsource: {driver: zarr, url: in.zarr, include: ["+include+"]}\n")
		var got []string
		for i := range p.Arrays {
			for _, note := range p.Arrays[i].Notes {
				if name, ok := strings.CutPrefix(note, "an attribute names "); ok {
					name, _, _ = strings.Cut(name, ",")
					got = append(got, strings.Trim(name, `"`))
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", include, diff)
		}
	}
}

// TestCoordinateThatCannotBeRead leaves out a coordinate that this program does not support,
// with a finding, because the job does not name it. A damaged coordinate is an error.
func TestCoordinateThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{
		"zarr.json": jobtest.Group, "v/zarr.json": anotherArray("", "x"), "w/zarr.json": anotherArray("", "y"),
		"x/zarr.json": strings.Replace(anotherArray("", "x"), "float32", "posit8", 1), "y/zarr.json": "{",
	})
	p := planned(t, dir, "zmigrate: 1\ntarget: {url: out.zarr}\nsource: {driver: zarr, url: in.zarr, include: [v]}\n")
	if len(p.Arrays) != 1 || len(p.Findings) != 1 || !strings.Contains(p.Findings[0].Message, `"x" is left out`) {
		t.Errorf("%d arrays, findings %v", len(p.Arrays), p.Findings)
	}
	j := jobtest.Parse(t, dir, "zmigrate: 1\ntarget: {url: out.zarr}\nsource: {driver: zarr, url: in.zarr, include: [w]}\n")
	_, err := plan.New(t.Context(), j, jobtest.Environment())
	if err == nil || !strings.Contains(err.Error(), `array "y"`) || !strings.Contains(err.Error(), "a coordinate of w: source.coordinates: false") {
		t.Errorf("error %v", err)
	}
}

// TestUnsupportedInFiles joins files with arrays that this program does not support. These
// arrays are left out.
func TestUnsupportedInFiles(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 {
		jobtest.WriteTree(t, filepath.Join(dir, fmt.Sprintf("in%d.zarr", i)), map[string]string{
			"zarr.json": jobtest.Group, "v/zarr.json": anotherArray("", "x"),
			"odd/zarr.json": strings.Replace(anotherArray("", "x"), "float32", "posit8", 1),
		})
	}
	const source = "zmigrate: 1\ntarget: {url: out.zarr}\nsource: {driver: zarr, url: 'in*.zarr', concat: x"
	p := planned(t, dir, source+", unsupported: skip}\n")
	if len(p.Arrays) != 1 || len(p.Findings) != 1 || !strings.Contains(p.Findings[0].Message, `"odd" is left out`) {
		t.Errorf("%d arrays, findings %v", len(p.Arrays), p.Findings)
	}
	j := jobtest.Parse(t, dir, source+"}\n")
	if _, err := plan.New(t.Context(), j, jobtest.Environment()); err == nil || strings.Count(err.Error(), "posit8") != 1 || !strings.Contains(err.Error(), "source.unsupported: skip") {
		t.Errorf("error %v", err)
	}
}
