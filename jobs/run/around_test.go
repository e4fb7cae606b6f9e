package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// TestTargetInAHierarchy has targets inside hierarchies of other jobs. A warning says what
// readers of such a hierarchy will not see, and the hierarchy stays as it is.
func TestTargetInAHierarchy(t *testing.T) {
	const consolidated = `{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"kind": "inline", "must_understand": false, "metadata": {"x": {}}}}`
	for name, test := range map[string]struct {
		documents map[string]string
		target    string
		checkpoint,
		codes, unlisted string
	}{
		"beside":            {map[string]string{"h.zarr/zarr.json": consolidated}, "out.zarr", "", "", ""},
		"in a folder":       {map[string]string{"h.zarr/data.txt": "x"}, "h.zarr/sub", "", "", ""},
		"in a hierarchy":    {map[string]string{"h.zarr/zarr.json": jobtest.Group}, "h.zarr/sub", "", "checkpoint-in-hierarchy", ""},
		"told":              {map[string]string{"h.zarr/zarr.json": jobtest.Group}, "h.zarr/sub", "{url: elsewhere}", "", ""},
		"told another":      {map[string]string{"h.zarr/zarr.json": jobtest.Group}, "h.zarr/sub", "{url: h.zarr/other}", "checkpoint-in-hierarchy", ""},
		"consolidated":      {map[string]string{"h.zarr/zarr.json": consolidated}, "h.zarr/sub/", "{url: elsewhere}", "unlisted-target", "h.zarr"},
		"consolidated, two": {map[string]string{"h.zarr/zarr.json": consolidated, "h.zarr/g/zarr.json": consolidated}, "h.zarr/g/sub", "", "unlisted-target checkpoint-in-hierarchy", "h.zarr"},
		"consolidated once": {map[string]string{"h.zarr/zarr.json": jobtest.Group, "h.zarr/g/zarr.json": consolidated}, "h.zarr/g/sub", "{url: h.zarr/g.zmigrate}", "unlisted-target checkpoint-in-hierarchy", "h.zarr/g"},
		"in an array":       {map[string]string{"h.zarr/zarr.json": jobtest.Group, "h.zarr/a/zarr.json": jobtest.Array}, "h.zarr/a/sub", "", "inside of the array", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := jobtest.Raw(t, "").Dir, jobtest.Environment()
			jobtest.WriteTree(t, dir, test.documents)
			text := "zmigrate: 1\nsource: {driver: raw, arrays: {a: {url: a.raw, data_type: float32, shape: [10, 6]}}}\ntarget: {url: " + test.target + "}\n"
			if test.checkpoint != "" {
				text += "run: {checkpoint: " + test.checkpoint + "}\n"
			}
			j := jobtest.Parse(t, dir, text)
			p, err := plan.New(t.Context(), j, env)
			if err != nil {
				if test.codes == "" || !strings.Contains(err.Error(), test.codes) {
					t.Error(err)
				}
				return
			}
			defer func() {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}()
			var codes []string
			for _, f := range p.Findings {
				codes = append(codes, f.Code)
			}
			if diff := cmp.Diff(test.codes, strings.Join(codes, " ")); diff != "" {
				t.Errorf("findings (-want +got):\n%s\n%v", diff, p.Findings)
			}
			result, err := execute(t, j, env, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimPrefix(result.Unlisted, dir+string(filepath.Separator)); got != test.unlisted {
				t.Errorf("unlisted in %q, want %q", got, test.unlisted)
			}
			for name, want := range test.documents {
				if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
					t.Errorf("%s is %s, %v", name, got, err)
				}
			}
		})
	}
}
