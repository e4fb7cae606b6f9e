package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/report"
	"github.com/zmigrate/zmigrate/zarr"
)

// zmigrate prepares the program, which is this test binary.
func zmigrate(ctx context.Context, t testing.TB, args ...string) *exec.Cmd {
	return prepare(ctx, t, "zmigrate", args...)
}

// prepare prepares a program. Its messages go to the test's log.
func prepare(ctx context.Context, t testing.TB, program string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, program, args...)
	c.Stderr = t.Output()
	return c
}

// startRun starts a run with --json and waits for its first line of output, which says
// that the run has begun. It returns the rest of the output.
func startRun(t *testing.T, c *exec.Cmd) *bufio.Reader {
	t.Helper()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Error(err)
	}
	return lines
}

// TestKilled kills the program at random moments: at least eight times, and until two
// of the kills came after a chunk was recorded. Every other kill waits for that, so that
// the test does not depend on the speed of the machine. TestSoak does more of this, with
// jobs of other shapes.
func TestKilled(t *testing.T) {
	t.Parallel()
	const least, most = 8, 80
	dir := fast(t)
	job, target := cube(t, dir, 72, "gzip")
	program := build(t)
	arguments := []string{"run", "--log-level", "error", "--workers", "2", job}
	began := time.Now()
	if err := prepare(t.Context(), t, program, arguments...).Run(); err != nil {
		t.Fatal(err)
	}
	duration := time.Since(began)
	finished := tree(t, target)
	removeTarget(t, target)
	r := rand.New(rand.NewPCG(20, 26))
	kills, completed, midway, told := 0, 0, 0, 0
	// A run that has recorded chunks had the lock, and has told of the run before it. So
	// the reports surely tell of a killed run if that run has recorded chunks, and the next
	// run has, too, or was not killed.
	surely, before := 0, false // whether the run before was killed after it had recorded chunks
	next := func(worked bool) {
		if before && worked {
			surely++
		}
	}
	var recorded map[string]fs.FileInfo
	for kills < least || midway < 2 && kills < most {
		// Most runs continue a killed run, so they take less time than a whole run.
		delay, begun := time.Duration(r.Int64N(int64(duration))/2), func() bool { return true }
		if kills%2 == 1 {
			delay, begun = delay/4, recordsMore(t, target)
		}
		killed := killedAfter(t, begun, delay, program, arguments)
		checkNotRewritten(t, target, recorded)
		if killed {
			kills++
			checkUnfinished(t, target, finished)
			notRunning(t, job)
			had := len(recorded)
			recorded = inJournal(t, job, target)
			if len(recorded) > 0 {
				midway++
			}
			next(len(recorded) > had)
			before = len(recorded) > had
			continue
		}
		completed++
		next(true)
		before = false
		if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
			t.Fatalf("after %d kills (-undisturbed +killed):\n%s", kills, diff)
		}
		checkNoLeftovers(t, target)
		told += died(t, target)
		removeTarget(t, target)
		recorded = nil
	}
	if err := prepare(t.Context(), t, program, arguments...).Run(); err != nil {
		t.Fatal(err)
	}
	checkNotRewritten(t, target, recorded)
	if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
		t.Errorf("(-undisturbed +killed):\n%s", diff)
	}
	checkNoLeftovers(t, target)
	next(true)
	if told += died(t, target); told < surely || told > kills {
		t.Errorf("the reports tell of %d runs that have died, %d were killed, %d of them surely in the reports", told, kills, surely)
	}
	t.Logf("killed %d times, %d of them with chunks recorded, %d of them in the reports; %d runs ended in between; an undisturbed run takes %v",
		kills, midway, told, completed, duration)
	if midway < 2 {
		t.Errorf("%d runs were killed after they had recorded a chunk, want 2", midway)
	}
}

// killedOften kills four runs of a job, each as soon as it has recorded a chunk. The last run
// makes what an undisturbed run makes.
func killedOften(t *testing.T, job, target string) {
	t.Helper()
	finished := undisturbed(t, job, target)
	removeTarget(t, target)
	program, arguments := build(t), []string{"run", "--log-level", "error", "--workers", "1", job}
	kills := 0
	for range 4 {
		if killedAfter(t, recordsMore(t, target), 0, program, arguments) {
			kills++
			checkUnfinished(t, target, finished)
		}
	}
	t.Logf("killed %d times", kills)
	if err := prepare(t.Context(), t, program, arguments...).Run(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
		t.Errorf("after %d kills (-undisturbed +killed):\n%s", kills, diff)
	}
	checkNoLeftovers(t, target)
}

// died returns the number of runs of a report that have died.
func died(t *testing.T, target string) (n int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(target+".zmigrate", report.Key))
	if err != nil {
		t.Fatal(err)
	}
	var d report.Document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	for _, e := range d.History {
		if e.Outcome == report.Died {
			n++
		}
	}
	return n
}

// recordsMore returns a function that reports whether a run has recorded anything since
// recordsMore was called.
func recordsMore(t *testing.T, target string) func() bool {
	t.Helper()
	segments := func() []string {
		names, err := filepath.Glob(filepath.Join(target+".zmigrate", "segments", "*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	before := segments()
	return func() bool {
		return slices.ContainsFunc(segments(), func(name string) bool { return !slices.Contains(before, name) })
	}
}

// killedAfter runs the program, waits until it has begun, and kills it after a delay. It
// reports whether the program was killed before its end. Any other failure fails the test.
func killedAfter(t *testing.T, begun func() bool, delay time.Duration, program string, arguments []string) bool {
	t.Helper()
	c := prepare(t.Context(), t, program, arguments...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	over := func(wait time.Duration) bool {
		select {
		case err := <-ended:
			ended <- err
			return true
		case <-time.After(wait):
			return false
		}
	}
	for !begun() && !over(time.Millisecond) {
	}
	if !over(delay) {
		_ = c.Process.Kill() // it may have ended just before
	}
	err := <-ended
	if err != nil && c.ProcessState.Exited() {
		t.Fatal(err)
	}
	return err != nil
}

// notRunning checks that the status of a killed run does not say that it is running.
func notRunning(t *testing.T, job string) {
	t.Helper()
	j, err := jobs.Load(job, jobs.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	status, err := jobs.ReadStatus(t.Context(), j, environment())
	if err != nil || status.State == "running" {
		t.Errorf("status of a killed run: %+v, %v", status, err)
	}
}

// removeTarget removes a target with its checkpoint.
func removeTarget(t *testing.T, target string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(target), os.RemoveAll(target+".zmigrate")); err != nil {
		t.Fatal(err)
	}
}

// planOf makes the plan of a job file, and closes it at the end of the test.
func planOf(t *testing.T, job string) *jobs.Plan {
	t.Helper()
	j, err := jobs.Load(job, jobs.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := jobs.NewPlan(t.Context(), j, environment())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plan.Close() })
	return plan
}

// inJournal returns the files of all objects that the checkpoint records.
func inJournal(t *testing.T, job, target string) map[string]fs.FileInfo {
	t.Helper()
	plan := planOf(t, job)
	st, err := store.Open(t.Context(), target+".zmigrate", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close() //nolint:errcheck // only read
	log, err := journal.Open(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]fs.FileInfo{}
	for x, err := range log.Receipts(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if x.Empty {
			continue
		}
		a := plan.Arrays[x.Array]
		name := filepath.Join(target, a.Target, filepath.FromSlash(zarr.KeyEncoding{}.Key(a.Meta.Grid.Index(x.Unit))))
		info, err := os.Stat(name)
		if err != nil {
			t.Errorf("recorded, but missing: %v", err)
			continue
		}
		if info.Size() != x.Bytes {
			t.Errorf("%s has %d bytes, but %d are recorded", name, info.Size(), x.Bytes)
		}
		files[name] = info
	}
	return files
}

// checkNotRewritten fails the test if one of the files has been written again.
func checkNotRewritten(t *testing.T, target string, files map[string]fs.FileInfo) {
	t.Helper()
	again := 0
	for name, was := range files {
		is, err := os.Stat(name)
		if err != nil {
			t.Errorf("recorded, but removed: %v", err)
		} else if !os.SameFile(was, is) || !was.ModTime().Equal(is.ModTime()) {
			again++
		}
	}
	if again > 0 {
		t.Errorf("%s: %d of %d recorded objects were written again", target, again, len(files))
	}
}

// TestSignals stops the program with a signal. The program finishes the chunks that it
// has begun. The exit status says that another run is needed, and another run completes
// the target. The source gives no data before the program has said that it stops, so the
// run cannot end earlier, however slow this test is.
func TestSignals(t *testing.T) {
	t.Parallel()
	program := build(t)
	dir := fast(t)
	job, target := cube(t, dir, 32, "zstd")
	finished := undisturbed(t, job, target)
	for _, test := range []struct {
		signal syscall.Signal
		status int
	}{
		{syscall.SIGINT, 130},
		{syscall.SIGTERM, 3},
	} {
		t.Run(test.signal.String(), func(t *testing.T) {
			removeTarget(t, target)
			server, asked, release := withheld(t, dir)
			var set []string
			for _, array := range []string{"field/values", "field/line", "shards/end", "shards/start"} {
				set = append(set, fmt.Sprintf("source.arrays[%q].url=%s/data.bin", array, server))
			}
			arguments := []string{"run", "--json", "--workers", "1", job}
			for _, field := range set {
				arguments = append(arguments, "--set", field)
			}
			c := exec.CommandContext(t.Context(), program, arguments...)
			messages, err := c.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			out := startRun(t, c)
			select {
			case <-asked: // a chunk is begun
			case <-time.After(time.Minute):
				t.Error("the run asked for no data within a minute")
			}
			if err := c.Process.Signal(test.signal); err != nil {
				t.Error(err)
			}
			said := bufio.NewScanner(messages)
			for said.Scan() && !strings.Contains(said.Text(), "stopping: chunks in flight are finished first") {
			}
			release()
			rest, err := io.ReadAll(io.MultiReader(out, messages))
			if err != nil {
				t.Error(err)
			}
			var ended *exec.ExitError
			if err := c.Wait(); !errors.As(err, &ended) || ended.ExitCode() != test.status {
				t.Errorf("ended with %v, want status %d; the messages are %s", err, test.status, rest)
			}
			if _, err := os.Stat(filepath.Join(target, "zarr.json")); err == nil {
				t.Error("the target is whole")
			}
			if left, _ := filepath.Glob(filepath.Join(target+".zmigrate", "staging", "*")); len(left) > 0 {
				t.Errorf("left in the staging folder: %v", left)
			}
			recorded := inJournal(t, job, target)
			if len(recorded) == 0 {
				t.Error("what was begun was not finished")
			}
			result, err := migrate(t.Context(), job, environment(), jobs.RunOptions{}, set...)
			if err != nil {
				t.Fatal(err)
			}
			if result.Resumed < len(recorded) {
				t.Errorf("%d chunks were recorded, %d resumed", len(recorded), result.Resumed)
			}
			checkNotRewritten(t, target, recorded)
			if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
				t.Errorf("(-undisturbed +stopped):\n%s", diff)
			}
		})
	}
}
