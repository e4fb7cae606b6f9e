package input_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// TestDamagedGroup has a group whose links cannot be read. It is an error only if the job may
// migrate arrays in it.
func TestDamagedGroup(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile("../../sources/netcdf/testdata/damaged_groups.h5")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.h5"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	const refused = "refused"
	for source, want := range map[string]string{
		"exclude: [attributes/**]":                        refused,
		"exclude: [attributes/**, links]":                 "whole below/group/x",
		"exclude: [attributes/**, links/**]":              "whole below/group/x",
		"exclude: [attributes/**, links/*]":               refused, // there may be groups in it
		"include: [whole]":                                "whole",
		"include: [below/**]":                             "below/group/x",
		"include: [whole, links/v1]":                      refused,
		"include: [whole, links]":                         refused,
		"include: ['*/group/x']":                          refused,
		"include: ['**/x'], exclude: ['attr*/**']":        refused,
		"include: ['**/x'], exclude: ['attr*/**', links]": "below/group/x",
	} {
		p, err := plan.New(t.Context(), jobtest.Parse(t, dir, "zmigrate: 1\nsource: {driver: netcdf, url: a.h5, "+source+"}\ntarget: {url: out.zarr}\n"), jobtest.Environment())
		got := refused
		if err == nil {
			jobtest.Close(t, p)
			var arrays []string
			for i := range p.Arrays {
				arrays = append(arrays, p.Arrays[i].Source)
			}
			got = strings.Join(arrays, " ")
		} else if !strings.Contains(err.Error(), `group "links": `) || !strings.Contains(err.Error(), `a.h5: links of the group`) || !strings.Contains(err.Error(), `source.exclude: ["links/**"]`) {
			t.Errorf("%s: error %v", source, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", source, diff)
		}
	}
}
