package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// mostSubmissions bounds how often an attack has an engine go on with a job.
const mostSubmissions = 20

// mostSubmission bounds the time of one of them.
const mostSubmission = 3 * time.Minute

// besieged is a job of one of the shapes of the kill tests, which an engine does while processes
// are killed.
type besieged struct {
	shape, job, target string
	finished           map[string]string // the digests of the target of an undisturbed run
	bundles            int
	begun              *beginnings
	kills              map[string]int // by what was killed
	losses             int            // how many bundles the kills may have cost
}

// besiege makes a job of a random shape, and does it once undisturbed.
func besiege(t *testing.T, r *rand.Rand) *besieged {
	t.Helper()
	b := &besieged{bundles: 6 + r.IntN(10), kills: map[string]int{}}
	var prepare func()
	b.shape, b.job, b.target, prepare = soakJob(t, r, 2)
	prepare()
	if e := soakRun(t.Context(), t, "run", "--log-level", "error", "--progress", "none", b.job); e.status != 0 {
		t.Fatalf("%s: undisturbed: status %d, %s", b.shape, e.status, e.messages)
	}
	b.finished = tree(t, b.target)
	prepare()
	b.begun = watchBeginnings(t, b.target)
	return b
}

// moment waits until a random moment of a campaign: until some more bundles have begun, or for some
// time. It returns false if the campaign has ended before.
func (b *besieged) moment(r *rand.Rand, ended <-chan struct{}) bool {
	var soon <-chan time.Time
	wanted := b.begun.count() + 1 + r.IntN(3)
	if r.IntN(5) == 0 {
		soon = time.After(time.Duration(r.Int64N(int64(3 * time.Second))))
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return false
		case <-soon:
			return true
		case <-tick.C:
			if soon == nil && b.begun.count() >= wanted {
				spin(r.IntN(1 << 20))
				return true
			}
		}
	}
}

// killed notes a kill, and how many bundles it may have cost.
func (b *besieged) killed(what string, losses int) {
	b.kills[what]++
	b.losses += losses
}

// held checks that the target is that of an undisturbed run, and that each loss has cost at most one
// bundle. It returns the number of kills.
func (b *besieged) held(t *testing.T, submissions int) (kills int) {
	t.Helper()
	begun, again := b.begun.end()
	if diff := cmp.Diff(b.finished, tree(t, b.target)); diff != "" {
		t.Errorf("%s: after the kills %v (-undisturbed +killed):\n%s", b.shape, b.kills, diff)
	}
	checkNoLeftovers(t, b.target)
	if again > b.losses {
		t.Errorf("%s: after the kills %v, %d bundles were done again, want at most %d", b.shape, b.kills, again, b.losses)
	}
	var each []string
	for _, what := range slices.Sorted(maps.Keys(b.kills)) {
		kills += b.kills[what]
		each = append(each, fmt.Sprintf("%d %s", b.kills[what], what))
	}
	// The sums of these lines are in docs/reliability.md.
	t.Logf("besieged: %s: %d submissions, %d bundles begun, %d again, %d losses, killed: %s", b.shape, submissions, begun, again, b.losses, strings.Join(each, ", "))
	return kills
}

// beginnings are the attempts at the bundles of a job. A goroutine looks for them until the end of
// the job, because the job then removes their traces.
type beginnings struct {
	pattern string
	over    chan struct{}
	ended   sync.WaitGroup
	once    sync.Once

	mu   sync.Mutex
	seen map[string]bool // the files
}

func watchBeginnings(t *testing.T, target string) *beginnings {
	b := &beginnings{pattern: filepath.Join(target+".zmigrate", "work", "*", "*", "*.begun"), over: make(chan struct{}), seen: map[string]bool{}}
	b.ended.Go(func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			files, _ := filepath.Glob(b.pattern) // the pattern is right
			b.mu.Lock()
			for _, file := range files {
				b.seen[file] = true
			}
			b.mu.Unlock()
			select {
			case <-tick.C:
			case <-b.over:
				return
			}
		}
	})
	t.Cleanup(func() { b.end() })
	return b
}

// count returns how many bundles have begun so far, those that began again included.
func (b *beginnings) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.seen)
}

// end ends the watch. It returns how many bundles have begun, and how many of them again.
func (b *beginnings) end() (all, again int) {
	b.once.Do(func() { close(b.over) })
	b.ended.Wait()
	bundles := map[string]bool{}
	for file := range b.seen {
		_, units, _ := strings.Cut(filepath.Base(file), "-") // behind the number of the attempt
		bundles[units] = true
	}
	return len(b.seen), len(b.seen) - len(bundles)
}

// started starts a command. The channel is closed when it has ended.
func started(t *testing.T, c *exec.Cmd) <-chan struct{} {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = c.Wait() // the status says how it ended
		close(ended)
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill() // it has mostly ended
		<-ended
	})
	return ended
}
