package run

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/zarr"
)

// targetGroups lists the groups with attributes that a target has, by its documents
// and by the root's consolidated metadata.
func targetGroups(t *testing.T, dir string) (documents, consolidated []string) {
	t.Helper()
	all := contents(t, filepath.Join(dir, "out.zarr"))
	for key, text := range all {
		if g, err := zarr.ParseGroup([]byte(text)); err == nil && g.Attributes != nil {
			documents = append(documents, strings.TrimSuffix(strings.TrimSuffix(key, "zarr.json"), "/"))
		}
	}
	root, err := zarr.ParseGroup([]byte(all["zarr.json"]))
	if err != nil {
		t.Fatal(err)
	}
	for p, text := range root.Consolidated {
		if g, err := zarr.ParseGroup(text); err == nil && string(g.Attributes.Get("is")) == `"v3"` {
			consolidated = append(consolidated, p)
		}
	}
	slices.Sort(documents)
	slices.Sort(consolidated)
	return documents, consolidated
}

// TestGroupsWithoutArrays migrates the groups without arrays that the job selects.
func TestGroupsWithoutArrays(t *testing.T) {
	for name, test := range map[string]struct {
		source string // more of the source section
		want   []string
		empty  []string
	}{
		"all":                         {"", []string{"full", "full/none", "meta", "meta/deep"}, []string{"full/none", "meta", "meta/deep"}},
		"of arrays that are included": {", include: [a]", nil, nil},
		"included with arrays":        {", include: ['full/**']", []string{"full", "full/none"}, []string{"full/none"}},
		"included by name":            {", include: [a, meta/deep]", []string{"meta", "meta/deep"}, []string{"meta/deep"}},
		"excluded":                    {", exclude: ['meta/**']", []string{"full", "full/none"}, []string{"full/none"}},
		"excluded above others":       {", exclude: [meta]", []string{"full", "full/none", "meta", "meta/deep"}, []string{"full/none", "meta/deep"}},
		"beside excluded arrays":      {", exclude: [full/b]", []string{"full", "full/none", "meta", "meta/deep"}, []string{"full/none", "meta", "meta/deep"}},
		"with all its arrays":         {", exclude: [full/b, full/none]", []string{"meta", "meta/deep"}, []string{"meta", "meta/deep"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), jobtest.Environment()
			j := jobtest.Tree(t, dir, "source: {driver: zarr, url: in.zarr"+test.source+"}\n")
			p := planned(t, dir, "zmigrate: 1\ntarget: {url: out.zarr}\nsource: {driver: zarr, url: in.zarr"+test.source+"}\n")
			if diff := cmp.Diff(test.empty, p.EmptyGroups); diff != "" {
				t.Errorf("planned (-want +got):\n%s", diff)
			}
			if len(p.Findings) > 0 {
				t.Error(p.Findings)
			}
			if _, err := execute(t, j, env, Options{}); err != nil {
				t.Fatal(err)
			}
			documents, consolidated := targetGroups(t, dir)
			if diff := cmp.Diff(append([]string{""}, test.want...), documents); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, consolidated); diff != "" {
				t.Errorf("consolidated metadata (-want +got):\n%s", diff)
			}
		})
	}
}

// TestInterruptedGroups breaks a run at each of its writes in turn, and then overwrites the
// target. Each time the target becomes that of an undisturbed run.
func TestInterruptedGroups(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	const source = "source: {driver: zarr, url: in.zarr}\n"
	if _, err := execute(t, jobtest.Tree(t, dir, source), env, Options{}); err != nil {
		t.Fatal(err)
	}
	want := contents(t, filepath.Join(dir, "out.zarr"))
	for _, existing := range []string{"resume", "overwrite"} {
		for stop := int64(1); ; stop++ {
			other := t.TempDir()
			j := jobtest.Tree(t, other, source)
			broken := executeBroken(t, j, env, Options{}, stop)
			j.Target.Existing = existing
			if _, err := execute(t, j, env, Options{}); err != nil {
				t.Fatalf("%s after operation %d: %v", existing, stop, err)
			}
			if diff := cmp.Diff(want, contents(t, filepath.Join(other, "out.zarr"))); diff != "" {
				t.Fatalf("%s after operation %d (-undisturbed +got):\n%s", existing, stop, diff)
			}
			if broken == nil {
				if stop < 10 {
					t.Errorf("only %d operations", stop)
				}
				break
			}
		}
	}
}

// TestGroupsThatAreThere overwrites arrays beside groups that other jobs made, and beside
// groups that the source no longer has. These groups stay.
func TestGroupsThatAreThere(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	j := jobtest.Tree(t, dir, "source: {driver: zarr, url: in.zarr}\n")
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Fatal(err)
	}
	foreign := strings.Replace(jobtest.Group, `"v3"`, `"another's"`, 1)
	jobtest.WriteTree(t, filepath.Join(dir, "out.zarr"), map[string]string{"meta/zarr.json": foreign, "theirs/zarr.json": foreign})
	if err := os.RemoveAll(filepath.Join(dir, "in.zarr/full/none")); err != nil {
		t.Fatal(err)
	}
	j.Target.Existing = "overwrite"
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Fatal(err)
	}
	documents, consolidated := targetGroups(t, dir)
	if diff := cmp.Diff([]string{"", "full", "full/none", "meta", "meta/deep", "theirs"}, documents); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"full", "full/none", "meta/deep"}, consolidated); diff != "" {
		t.Error(diff)
	}
}

// TestAppendAndGroups appends to a hierarchy that lacks a group of the source. The run does
// not make the group, and the plan says so.
func TestAppendAndGroups(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	const source = "source: {driver: zarr, url: in.zarr}\n"
	if _, err := execute(t, jobtest.Tree(t, dir, source), env, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "out.zarr.zmigrate")); err != nil {
		t.Fatal(err)
	}
	jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{"late/zarr.json": jobtest.Group})
	before := slices.Sorted(maps.Keys(contents(t, filepath.Join(dir, "out.zarr"))))
	const text = "zmigrate: 1\ntarget: {url: out.zarr, existing: append, append: x}\n" + source
	p := planned(t, dir, text)
	if len(p.Findings) != 1 || p.Findings[0].Code != "missing-group" || !strings.Contains(p.Findings[0].Message, `"late"`) {
		t.Errorf("%v", p.Findings)
	}
	j := jobtest.Parse(t, dir, text)
	if result, err := execute(t, j, env, Options{}); err != nil || result.Appended != 4 {
		t.Fatal(result, err)
	}
	if diff := cmp.Diff(before, slices.Sorted(maps.Keys(contents(t, filepath.Join(dir, "out.zarr"))))); diff != "" {
		t.Error(diff)
	}
}

// TestGroupsThatCannotBe has groups whose paths the target cannot hold, and a group that
// cannot be read. The job can leave out each of them.
func TestGroupsThatCannotBe(t *testing.T) {
	for name, test := range map[string]struct {
		documents map[string]string
		more      string
		exclude   string
		want      string
	}{
		"reserved name":  {map[string]string{"__meta/zarr.json": jobtest.Group}, "", "__meta", `groups "__meta" and "meta" would both become "meta"`},
		"array in place": {nil, "arrays: {a: {rename: meta}}\n", "meta, meta/deep", `array "a" would take the place of group "meta"`},
		"array above":    {nil, "arrays: {full/b: {rename: none}}\n", "full/none", `array "full/b" would take the place of group "full/none"`},
		"unreadable":     {map[string]string{"meta/deep/zarr.json": `{"zarr_format": 3, "node_type": "group", "rules": {}}`}, "", "meta/deep", `group "meta/deep"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			j := jobtest.Tree(t, dir, "source: {driver: zarr, url: in.zarr}\n"+test.more)
			jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), test.documents)
			_, err := plan.New(t.Context(), j, jobtest.Environment())
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "source.exclude") {
				t.Errorf("%v, want %s", err, test.want)
			}
			planned(t, dir, "zmigrate: 1\ntarget: {url: out.zarr}\nsource: {driver: zarr, url: in.zarr, exclude: ["+test.exclude+"]}\n"+test.more)
		})
	}
}
