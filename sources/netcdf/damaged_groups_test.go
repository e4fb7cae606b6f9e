package netcdf_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
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

// TestDamagedRoot has a root group that cannot be read. Arrays are reached by way of it, so the file
// is refused, and the error names the way out.
func TestDamagedRoot(t *testing.T) {
	data, err := os.ReadFile("testdata/damaged_groups.h5")
	if err != nil {
		t.Fatal(err)
	}
	const root = 36 // where the superblock has the address of the root group
	data[binary.LittleEndian.Uint64(data[root:])+6] ^= 0xFF
	file := filepath.Join(t.TempDir(), "f.h5")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = netcdf.OpenAll(t.Context(), []string{file}, netcdf.Options{})
	if err == nil || !errors.Is(err, hdf5.ErrCorrupt) || !strings.Contains(err.Error(), "the checksum is") ||
		!strings.Contains(err.Error(), "take an undamaged copy") {
		t.Errorf("error %v", err)
	}
}
