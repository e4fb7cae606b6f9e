package plan

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// reservedFolder is a folder with reserved.h5, whose nodes have names that Zarr reserves
// or does not have.
func reservedFolder(t *testing.T) string {
	t.Helper()
	return sourcetest.Unzip(t, "../../sources/netcdf/testdata/foreign.zip")
}

const reservedJob = "zmigrate: 1\ntarget: {url: out.zarr}\nsource: {driver: netcdf, url: reserved.h5"

// TestReservedNames renames arrays, groups and dimensions by one rule.
func TestReservedNames(t *testing.T) {
	dir := reservedFolder(t)
	p := planned(t, dir, reservedJob+"}\n")
	targets, dimensions := map[string]string{}, map[string][]string{}
	for i := range p.Arrays {
		a := &p.Arrays[i]
		targets[a.Source], dimensions[a.Target] = a.Target, a.Meta.DimensionNames
	}
	if diff := cmp.Diff(map[string]string{
		"__categories/label": "categories/label", "__x": "x", "v": "v", "g/__v": "g/v", "zarr.json": "zarr_json", "a\tb\\c": "a_b_c", "...": "unnamed",
	}, targets); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	for path, want := range map[string]string{"x": "x", "v": "x", "g/v": "x", "categories/label": "phony_dim_1"} {
		if got := dimensions[path]; !slices.Equal(got, []string{want}) {
			t.Errorf("%s has dimensions %q, want %s", path, got, want)
		}
	}
	if diff := cmp.Diff([]string{"", "EMPTY", "EMPTY/within", "categories", "g"}, slices.Sorted(maps.Keys(p.Groups))); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if got := string(p.Groups["categories"].Get("what")); got != `"labels"` {
		t.Errorf("attributes %s", got)
	}
	if diff := cmp.Diff([]string{"EMPTY/within", "EMPTY"}, p.EmptyGroups, cmp.Transformer("sort", func(s []string) []string { return slices.Sorted(slices.Values(s)) })); diff != "" {
		t.Errorf("groups without arrays (-want +got):\n%s", diff)
	}
	var found []string
	for _, f := range p.Findings {
		if f.Code == sources.Renamed && f.Warning {
			_, what, _ := strings.Cut(f.Message, " ")
			found = append(found, what[:strings.Index(what, ": ")])
		}
	}
	slices.Sort(found)
	if diff := cmp.Diff([]string{`"..."`, `"/__EMPTY__"`, `"/__EMPTY__/__within"`, `"/__categories"`, `"__x"`, `"a\tb\\c"`, `"g/__v"`, `"zarr.json"`}, found); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// TestNamesInJobs names nodes in a job as they are called in the source, or as they will
// be in the target.
func TestNamesInJobs(t *testing.T) {
	for name, test := range map[string]struct {
		source, more string
		want         []string
	}{
		"include the new name":  {", include: [x]", "", []string{"x"}},
		"include the old name":  {", include: [__x]", "", []string{"x"}},
		"include a new glob":    {", include: ['categories/*']", "", []string{"categories/label"}},
		"exclude the new names": {", exclude: [unnamed, zarr_json, a_b_c, 'g/*', 'EMPTY/**', EMPTY]", "", []string{"categories/label", "v", "x"}},
		"options by either":     {", include: [x, g/v]", "arrays: {x: {rename: lon}, g/__v: {rename: w}}\n", []string{"g/w", "lon"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := planned(t, reservedFolder(t), reservedJob+test.source+"}\n"+test.more)
			var got []string
			for i := range p.Arrays {
				got = append(got, p.Arrays[i].Target)
			}
			slices.Sort(got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("targets (-want +got):\n%s", diff)
			}
			for _, f := range p.Findings {
				if f.Code == "unmatched-pattern" {
					t.Error(f)
				}
			}
		})
	}
}

// TestNamesThatMeet refuses nodes that would get the same name.
func TestNamesThatMeet(t *testing.T) {
	for name, test := range map[string]struct{ add, want string }{
		"arrays":                   {"__a", `arrays "__a" and "a" would both become "a" (give one of them another name with arrays.__a.rename)`},
		"groups":                   {"__full/c", `groups "__full" and "full" would both become "full"`},
		"an array and a group":     {"__full", `array "full/b" would lie inside of array "__full"`},
		"an array and empty group": {"__meta", `array "__meta" would take the place of group "meta"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			j := jobtest.Tree(t, dir, "source: {driver: zarr, url: in.zarr}\n")
			documents := map[string]string{test.add + "/zarr.json": jobtest.Array}
			if group, _, below := strings.Cut(test.add, "/"); below {
				documents[group+"/zarr.json"] = jobtest.Group
			}
			jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), documents)
			_, err := New(t.Context(), j, jobtest.Environment())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}
