package plan

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// TestCheckpointIsOnTheTargetsBudget appends to a target whose checkpoint is read for the
// plan, and once more if the plan cannot be made. Both count against the target's budget
// of requests, and not against the source's, which is local here and makes no request.
func TestCheckpointIsOnTheTargetsBudget(t *testing.T) {
	p := planned(t, jobtest.Raw(t, "").Dir, `
zmigrate: 1
source:
  driver: raw
  arrays:
    group/a: {url: a.raw, data_type: float32, shape: [10, 6], dimension_names: [y, x]}
target: {url: "mem://out/a.zarr", existing: append, append: y}
`)
	first := p.Requests()
	if first.Target.Requests == 0 {
		t.Error("the checkpoint was not read")
	}
	failed := errors.New("a plan that cannot be made")
	if err := p.overtaken(t.Context(), jobtest.Environment(), failed); !errors.Is(err, failed) {
		t.Error(err)
	}
	second := p.Requests()
	if second.Target.Requests <= first.Target.Requests {
		t.Error("the checkpoint was not read once more")
	}
	if diff := cmp.Diff(limits.Traffic{}, second.Source); diff != "" {
		t.Errorf("requests to the source (-want +got):\n%s", diff)
	}
}
