package plan

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestLargeGroups refuses attributes of groups that take too much memory, unless the job
// leaves the largest out.
func TestLargeGroups(t *testing.T) {
	dir := t.TempDir()
	j := jobtest.Tree(t, dir, "source: {driver: zarr, url: in.zarr}\n")
	jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{
		"full/zarr.json": fmt.Sprintf(`{"zarr_format": 3, "node_type": "group", "attributes": {"big": %q}}`, strings.Repeat("7", 1<<20)),
	})
	j.Run.Memory = 4 << 20
	var problems jobfile.Problems
	_, err := New(t.Context(), j, jobtest.Environment())
	if !errors.As(err, &problems) || problems[0].Field != "groups.full.attributes" || !strings.Contains(err.Error(), `group "/full": its 1 attributes have`) || !strings.Contains(err.Error(), `raise run.memory to 7MiB, or attributes: {"big": null}`) {
		t.Errorf("got %.500v", err)
	}
	j.Groups = []jobfile.GroupRule{{Path: "full", Attributes: zarr.Attributes{{Name: "big", Value: []byte("null")}}}}
	p, err := New(t.Context(), j, jobtest.Environment())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestSameJSON compares texts that differ in nothing but space, and others.
func TestSameJSON(t *testing.T) {
	for _, test := range []struct {
		x, y string
		want bool
	}{{`[1, 2]`, "[\n1,2]", true}, {`"a b"`, `"ab"`, false}, {`1`, `2`, false}, {``, `1`, false}} {
		if got := sameJSON([]byte(test.x), []byte(test.y)); got != test.want {
			t.Errorf("%s and %s: %v", strings.TrimSpace(test.x), test.y, got)
		}
	}
}
