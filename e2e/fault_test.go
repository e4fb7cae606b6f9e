package e2e

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
)

var errFault = errors.New("made to fail")

// faults counts the operations of stores that change something, and fails one
// of them, or all from that one on.
type faults struct {
	at   int // operation, counted from 1; 0: none
	rest bool

	mu   sync.Mutex
	seen []string
}

func (f *faults) fault(op, key string) error {
	if !slices.Contains([]string{"put", "create", "sync", "delete", "open", "write", "close"}, op) {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = append(f.seen, op+" "+key)
	if n := len(f.seen); f.at > 0 && (n == f.at || f.rest && n > f.at) {
		return errFault
	}
	return nil
}

// TestEveryDurableOperationFails is the oracle: wherever a run breaks, what it
// leaves is never taken for whole, and a second run makes of it what an
// undisturbed one would have made.
func TestEveryDurableOperationFails(t *testing.T) {
	dir := fast(t)
	job, target := cube(t, dir, 16, "zstd")
	env := environment()
	var all faults
	env.Fault = all.fault
	set := []string{"run.workers.read=1", "run.workers.encode=1", "run.workers.write=1"}
	if _, err := migrate(t.Context(), job, env, jobs.RunOptions{}, set...); err != nil {
		t.Fatal(err)
	}
	finished := tree(t, target)
	if len(finished) < 15 || len(all.seen) < len(finished) {
		t.Fatalf("%d operations for %d objects", len(all.seen), len(finished))
	}
	for _, rest := range []bool{false, true} {
		for i := range all.seen {
			t.Run(fmt.Sprintf("%d/rest=%v", i+1, rest), func(t *testing.T) {
				fresh(t, target)
				f := faults{at: i + 1, rest: rest}
				env.Fault = f.fault
				_, err := migrate(t.Context(), job, env, jobs.RunOptions{}, set...)
				if !errors.Is(err, errFault) && len(f.seen) >= f.at {
					t.Errorf("%s failed, the error is %v", f.seen[f.at-1], err)
				}
				whole(t, target, finished)
				env.Fault = nil
				if _, err := migrate(t.Context(), job, env, jobs.RunOptions{}, set...); err != nil {
					t.Fatalf("again after %s: %v", f.seen[min(f.at, len(f.seen))-1], err)
				}
				if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
					t.Errorf("after %s (-undisturbed +repeated):\n%s", f.seen[min(f.at, len(f.seen))-1], diff)
				}
				leftovers(t, target)
			})
		}
	}
}
