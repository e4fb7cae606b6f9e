package e2e

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/stages"
)

// TestSameBytes runs one job with few and many workers, with a small and a large
// budget, at once and with interruptions.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	job, target := cube(t, dir, 64, "zstd")
	finished := undisturbed(t, job, target)
	if len(finished) < 700 {
		t.Fatalf("only %d objects", len(finished))
	}
	for _, workers := range []int{1, 16} {
		for _, memory := range []string{"64MiB", "1GiB"} {
			for _, interrupted := range []bool{false, true} {
				t.Run(fmt.Sprintf("workers=%d/memory=%s/interrupted=%v", workers, memory, interrupted), func(t *testing.T) {
					removeTarget(t, target)
					set := []string{"run.memory=" + memory}
					for _, stage := range []string{"read", "encode", "write"} {
						set = append(set, fmt.Sprintf("run.workers.%s=%d", stage, workers))
					}
					runs := 1
					if interrupted {
						runs = stopping(t, job, set)
					}
					if _, err := migrate(t.Context(), job, environment(), jobs.RunOptions{}, set...); err != nil {
						t.Fatal(err)
					}
					if interrupted && runs < 3 {
						t.Errorf("interrupted only %d times", runs)
					}
					if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
						t.Errorf("(-undisturbed +this):\n%s", diff)
					}
					checkNoLeftovers(t, target)
				})
			}
		}
	}
}

// stopping interrupts a job after every 100th chunk until it is complete. It returns
// the number of runs. Every fourth run may finish what it has begun; the others are
// cancelled. No run may repeat a chunk that was done.
func stopping(t *testing.T, job string, set []string) int {
	t.Helper()
	var mu sync.Mutex
	done := map[[2]int]bool{}
	for runs := 0; ; runs++ {
		ctx, cancel := context.WithCancel(t.Context())
		stop := make(chan struct{})
		n := 0
		_, err := migrate(ctx, job, environment(), jobs.RunOptions{
			Stop: stop,
			Observe: func(e stages.Event) {
				if e.Partial {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if done[[2]int{e.Array, e.Unit}] {
					t.Errorf("chunk %d of array %d was done twice", e.Unit, e.Array)
				}
				done[[2]int{e.Array, e.Unit}] = true
				if n++; n == 100 && runs == 3 {
					close(stop)
				} else if n == 100 {
					cancel()
				}
			},
		}, set...)
		cancel()
		if err == nil {
			return runs
		}
		if !errors.Is(err, stages.ErrStopped) && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}
