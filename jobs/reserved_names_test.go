package jobs

import (
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/run"
)

// TestReservedNamesInTarget inspects a target whose nodes have other names than in the source.
func TestReservedNamesInTarget(t *testing.T) {
	dir := reservedFolder(t)
	p := planned(t, dir, reservedJob+"}\n")
	if _, err := run.Run(t.Context(), p, jobtest.Environment(), run.Options{}); err != nil {
		t.Fatal(err)
	}
	_, nodes, err := Inspect(t.Context(), filepath.Join(dir, "out.zarr"), jobtest.Environment())
	if err != nil || len(nodes) != len(p.Arrays)+len(p.Groups) {
		t.Errorf("%d nodes, error %v; want %d", len(nodes), err, len(p.Arrays)+len(p.Groups))
	}
}
