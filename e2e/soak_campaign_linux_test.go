package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// soakCampaign has several processes do a job, and kills those that save its plan, that work on
// it and that finish it, at random moments. At the end, other processes or a run do what is left.
func soakCampaign(t *testing.T, r *rand.Rand) (kills int) {
	shape, job, target, prepare := soakJob(t, r, 1)
	quiet := []string{"--log-level", "error", "--progress", "none"}
	run := append([]string{"run", job}, quiet...)
	prepare()
	began := time.Now()
	if e := soakRun(t.Context(), t, run...); e.status != 0 {
		t.Fatalf("%s: undisturbed: status %d, %s", shape, e.status, e.messages)
	}
	duration := time.Since(began)
	finished := tree(t, target)
	prepare()
	bundles := 1 + r.IntN(6)
	save := append([]string{"plan", job, "--save", "--bundles", fmt.Sprint(bundles)}, quiet...)
	finish := append([]string{"finish", job}, quiet...)
	part := func(i int) []string {
		return append([]string{"work", job, "--bundle", fmt.Sprintf("%d/%d", i, bundles)}, quiet...)
	}
	// soon runs the program and kills it, perhaps. It returns the status, -1 for a kill.
	soon := func(d time.Duration, args []string) int {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		return soakRun(ctx, t, args...).status
	}
	// undisturbedly runs the program until it has ended by itself. A process that was killed may
	// have left the lock of a worker, which the system knows to be dead.
	undisturbedly := func(args []string) {
		if e := soakRun(t.Context(), t, args...); e.status != 0 {
			t.Fatalf("%s: after %d kills: %q: status %d, %s", shape, kills, args, e.status, e.messages)
		}
	}
	for range 1 + r.IntN(2) {
		if soon(time.Duration(r.Int64N(int64(duration))), save) == -1 {
			kills++
		}
	}
	undisturbedly(save)
	for range 1 + r.IntN(4) {
		first, second := r.IntN(bundles), r.IntN(bundles)
		limits := [2]time.Duration{time.Duration(r.Int64N(int64(duration))), time.Duration(r.Int64N(int64(duration)))}
		var both sync.WaitGroup
		var statuses [2]int
		for i, bundle := range []int{first, second} {
			both.Go(func() { statuses[i] = soon(limits[i], part(bundle)) })
		}
		both.Wait()
		for i, status := range statuses {
			switch status {
			case -1:
				kills++
			case 0:
			default:
				t.Fatalf("%s: after %d kills: worker %d: status %d", shape, kills, i, status)
			}
		}
		if r.IntN(3) > 0 {
			continue
		}
		switch status := soon(time.Duration(r.Int64N(int64(duration))), finish); status {
		case -1:
			kills++
		case 0, 3: // all units may be done, or some may be missing
		default:
			t.Fatalf("%s: after %d kills: finish: status %d", shape, kills, status)
		}
	}
	if r.IntN(2) == 0 {
		undisturbedly(run)
	} else {
		undisturbedly(save)
		for i := range bundles {
			undisturbedly(append(part(i), "--left"))
		}
		undisturbedly(finish)
	}
	if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
		t.Errorf("%s: after %d kills (-undisturbed +campaign):\n%s", shape, kills, diff)
	}
	checkNoLeftovers(t, target)
	return kills
}
