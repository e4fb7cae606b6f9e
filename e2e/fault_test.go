package e2e

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
)

var errFault = errors.New("made to fail")

// oneWorkerEach gives the operations of a run one order.
var oneWorkerEach = []string{"run.workers.read=1", "run.workers.encode=1", "run.workers.write=1"}

// faults counts the operations that change a store. It fails one of them, or one and
// all later ones.
type faults struct {
	at   int // number of the operation, from 1 on; 0: none
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

// TestEveryDurableOperationFails breaks a run at each durable operation. What the run
// leaves is never taken for a finished target. A second run must make what an
// undisturbed run would have made.
func TestEveryDurableOperationFails(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	job, target := cube(t, dir, 16, "zstd")
	operations := breakEverywhere(t, job, target, func() { removeTarget(t, target) }, func(t *testing.T, finished map[string]string) {
		if len(finished) < 15 {
			t.Errorf("%d objects", len(finished))
		}
		checkUnfinished(t, target, finished)
	})
	if operations < 15 {
		t.Errorf("%d operations", operations)
	}
}

// TestEveryDurableOperationOfARestartFails breaks a run that begins a finished job anew. The
// next run completes it, although it was not told to begin anew.
func TestEveryDurableOperationOfARestartFails(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	job, target := cube(t, dir, 8, "zstd")
	reset := func() {
		removeTarget(t, target)
		if _, err := migrate(t.Context(), job, environment(), jobs.RunOptions{}, oneWorkerEach...); err != nil {
			t.Fatal(err)
		}
	}
	reset()
	operations := breakRun(t, job, target, jobs.RunOptions{Restart: true}, reset, func(t *testing.T, finished map[string]string) {
		for key, sum := range tree(t, target) {
			if sum != emptyFolder && finished[key] != sum {
				t.Errorf("%s is not what a whole run writes", key)
			}
		}
	})
	if operations < 20 {
		t.Errorf("%d operations", operations)
	}
}

// breakEvery is the distance between the operations at which runs are broken: all of them with
// ZMIGRATE_HEAVY=1, as in .ci/run, and some of them otherwise.
func breakEvery() int {
	if os.Getenv("ZMIGRATE_HEAVY") != "" {
		return 1
	}
	return 3
}

// breakEverywhere runs a job undisturbed. Then, for the operations of that run that breakEvery chooses, it runs
// the job twice: once so that the operation fails, and once so that it and all later
// operations fail. Before each of these runs, reset restores the initial state.
// Afterwards, check gets the objects of the finished target and examines what the
// broken run left. The next run must finish the target, and one more run must find
// nothing to do. breakEverywhere returns the number of operations.
func breakEverywhere(t *testing.T, job, target string, reset func(), check func(t *testing.T, finished map[string]string)) int {
	t.Helper()
	return breakRun(t, job, target, jobs.RunOptions{}, reset, check)
}

// breakRun is breakEverywhere for a run with options. The runs after the broken one have none.
func breakRun(t *testing.T, job, target string, opt jobs.RunOptions, reset func(), check func(t *testing.T, finished map[string]string)) int {
	t.Helper()
	env := environment()
	var all faults
	env.Fault = all.fault
	run := func(opt jobs.RunOptions) (*jobs.Result, error) {
		return migrate(t.Context(), job, env, opt, oneWorkerEach...)
	}
	if _, err := run(opt); err != nil {
		t.Fatal(err)
	}
	finished := tree(t, target)
	if !slices.Contains(all.seen, "put report.json") {
		t.Fatalf("no report: %v", all.seen)
	}
	for _, rest := range []bool{false, true} {
		for i := range all.seen {
			if every := breakEvery(); rest && i%every != 0 || !rest && i%every != every-1 {
				continue
			}
			t.Run(fmt.Sprintf("%d/rest=%v", i+1, rest), func(t *testing.T) {
				reset()
				f := faults{at: i + 1, rest: rest}
				env.Fault = f.fault
				_, err := run(opt)
				// The report is written while the lock is being released, when the job is complete. The
				// run is done without a report, too. Where the report comes in the order of operations
				// differs between runs: one sync may serve several objects.
				complete := slices.Index(f.seen, "put report.json")
				switch {
				case len(f.seen) < f.at && err == nil: // this run had fewer operations
				case err == nil && !rest && strings.HasPrefix(f.seen[f.at-1], "delete lock/"): // the next run does it
				case complete >= 0 && f.at > complete:
					if err != nil && (!errors.Is(err, errFault) || f.seen[f.at-1] == "put report.json" && !rest) {
						t.Errorf("the report could not be written, and the run is not done: %v", err)
					}
				case !errors.Is(err, errFault):
					t.Errorf("%s failed, the error is %v", f.seen[min(f.at, len(f.seen))-1], err)
				}
				last := f.seen[min(f.at, len(f.seen))-1]
				check(t, finished)
				env.Fault = nil
				if _, err := run(jobs.RunOptions{}); err != nil {
					t.Fatalf("again after %s: %v", last, err)
				}
				if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
					t.Errorf("after %s (-undisturbed +repeated):\n%s", last, diff)
				}
				checkNoLeftovers(t, target)
				if result, err := run(jobs.RunOptions{}); err != nil || !result.Nothing {
					t.Errorf("once more after %s: %+v, %v", last, result, err)
				}
			})
		}
	}
	return len(all.seen)
}
