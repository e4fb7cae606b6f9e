package netcdf_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestDamagedGroups has a group whose links cannot be read, and one whose attributes cannot be
// read. Both are listed with the reason, and all else is read.
func TestDamagedGroups(t *testing.T) {
	src := open(t, netcdf.Options{}, "testdata/damaged_groups.h5")
	var said []string
	for _, g := range src.Groups() {
		switch {
		case g.Err == nil:
			said = append(said, g.Path)
		case strings.Contains(g.Err.Error(), "damaged_groups.h5: ") && strings.Contains(g.Err.Error(), g.Path+" of the "):
			said = append(said, g.Path+": damaged")
		default:
			t.Errorf("group %q: %v", g.Path, g.Err)
		}
		if g.Unlisted != (g.Path == "links") {
			t.Errorf("group %q: unlisted: %v", g.Path, g.Unlisted)
		}
	}
	if diff := cmp.Diff([]string{"", "attributes: damaged", "below", "below/group", "links: damaged"}, said); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"attributes/x", "below/group/x", "whole"}, slices.Sorted(slices.Values(src.Arrays()))); diff != "" {
		t.Errorf("arrays (-want +got):\n%s", diff)
	}
	for _, path := range src.Arrays() {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if all := sourcetest.ReadAll(t, a); all.Len() < 3 || all.Data[2] != 1 {
			t.Errorf("%s: %v", path, all.Data)
		}
		// The scale of its dimension is in the damaged group.
		found := a.Info().Findings
		if lost := path == "below/group/x"; lost != (len(found) == 1 && strings.Contains(found[0].Message, "because its scale cannot be read")) {
			t.Errorf("%s: findings %v", path, found)
		}
	}
	for _, n := range sources.Nodes(t.Context(), src) {
		if damaged := n.Path == "links" || n.Path == "attributes"; damaged != (n.Problem != "") {
			t.Errorf("node %q has the problem %q", n.Path, n.Problem)
		}
		if slices.ContainsFunc(n.Details, func(d sources.Detail) bool { return d.Name == "problem" }) {
			t.Errorf("node %q has the details %v", n.Path, n.Details)
		}
	}
}
