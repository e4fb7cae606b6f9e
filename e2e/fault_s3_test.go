package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
)

// TestEveryDurableOperationOnS3Fails breaks a run to a bucket at each durable operation. In a bucket, some
// operations go out at the same time. What the run leaves has no document of the root unless all else is
// there. The next run makes what an undisturbed run makes.
func TestEveryDurableOperationOnS3Fails(t *testing.T) {
	t.Parallel()
	b, dir := serve(t), fast(t)
	job, _ := cube(t, dir, 8, "zstd")
	run := func(prefix string, f *faults) (*jobs.Result, error) {
		env := environment()
		if f != nil {
			env.Fault = f.fault
		}
		return migrate(t.Context(), job, env, jobs.RunOptions{}, append(slices.Clone(oneWorkerEach), "target.url="+b.url(prefix), "run.lock_ttl=1s")...)
	}
	var all faults
	if _, err := run("whole.zarr", &all); err != nil {
		t.Fatal(err)
	}
	whole := b.tree(t, "whole.zarr")
	if len(whole) < 10 || len(all.seen) < 15 {
		t.Fatalf("%d objects, %d operations: %v", len(whole), len(all.seen), all.seen)
	}
	for i := 0; i < 2*len(all.seen); i += 2*breakEvery() - 1 { // each kind of failure in turn
		f := &faults{at: i/2 + 1, rest: i%2 > 0}
		prefix := fmt.Sprintf("%d.zarr", i)
		_, err := run(prefix, f)
		failed := f.seen[min(f.at, len(f.seen))-1:]
		if !f.rest {
			failed = failed[:1]
		}
		// A run is done without its report. Heartbeats of the lock may fail, too.
		report := func(op string) bool { return strings.HasSuffix(op, " report.json") }
		fatal := func(op string) bool { return !report(op) && !strings.HasPrefix(op, "put lock/") }
		missing := len(f.seen) < f.at
		switch {
		case (missing || !slices.ContainsFunc(failed, func(op string) bool { return !report(op) })) && err != nil:
			t.Errorf("%v: %v", failed, err)
		case !missing && slices.ContainsFunc(failed, fatal) && !errors.Is(err, errFault):
			t.Errorf("%v failed, the error is %v", failed, err)
		}
		left := b.tree(t, prefix)
		for key, sum := range left {
			if whole[key] != sum {
				t.Errorf("after %v: %s is not what a whole run writes", failed, key)
			}
		}
		if left["zarr.json"] != "" && len(left) != len(whole) {
			t.Errorf("after %v: the document of the root is there, and %d of %d objects", failed, len(left), len(whole))
		}
		if _, err := run(prefix, nil); err != nil {
			t.Fatalf("again after %v: %v", failed, err)
		}
		if diff := cmp.Diff(whole, b.tree(t, prefix)); diff != "" {
			t.Errorf("after %v (-undisturbed +repeated):\n%s", failed, diff)
		}
		if result, err := run(prefix, nil); err != nil || !result.Nothing {
			t.Errorf("once more after %v: %+v, %v", failed, result, err)
		}
	}
}
