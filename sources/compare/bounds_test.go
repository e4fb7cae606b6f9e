package compare

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources"
)

func TestBoundsOf(t *testing.T) {
	var infos []*sources.Info
	for _, a := range []struct{ path, attribute, value string }{
		{"time", "bounds", `"time_bnds"`},
		{"time_bnds", "", ""},
		{"g/time", "bounds", `" time_bnds "`},
		{"g/time_bnds", "bounds", `"time_bnds"`}, // its own
		{"g/lat", "climatology", `"above"`},
		{"above", "bounds", "7"},
		{"lon", "bounds", `"none"`},
	} {
		info := &sources.Info{Path: a.path}
		info.Attributes = info.Attributes.With(a.attribute, []byte(a.value))
		infos = append(infos, info)
	}
	want := map[string]string{"time_bnds": "g/time_bnds", "g/time_bnds": "g/time", "above": "g/lat"}
	if diff := cmp.Diff(want, BoundsOf(slices.Values(infos))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
