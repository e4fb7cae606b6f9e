package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
)

// recipe returns the job and the command of cron that a page shows.
func recipe(t *testing.T, page string) (job, command string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	yaml := regexp.MustCompile("(?s)```yaml\n(# nightly.yaml\n.*?)```").FindSubmatch(text)
	cron := regexp.MustCompile("(?s)```cron\n15 3 \\* \\* \\*  (.*?)\n```").FindSubmatch(text)
	if yaml == nil || cron == nil {
		t.Fatalf("%s has no recipe", page)
	}
	return string(yaml[1]), string(cron[1])
}

// TestRecipe runs what README and the page about appending say, as it is written: in some
// nights, after an outage of a week, and after a run that was killed. The target equals that
// of one run over all files.
func TestRecipe(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"../README.md", "../docs/append.md"} {
		t.Run(filepath.Base(page), func(t *testing.T) {
			dir := fast(t)
			text, command := recipe(t, page)
			job, target := write(t, dir, "nightly.yaml", []byte(text)), filepath.Join(dir, "nightly.zarr")
			if err := os.Symlink(build(t), filepath.Join(dir, "zmigrate")); err != nil {
				t.Skipf("no links: %v", err)
			}
			cron := func() string {
				t.Helper()
				c := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(command, "/srv/climate", "'"+dir+"'", 1))
				c.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
				out, err := c.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				return string(out)
			}
			file := func(night int) { write(t, dir, fmt.Sprintf("data/model_%02d.nc", night), day(night)) }
			expect := func(out, want string) {
				t.Helper()
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			file(0)
			expect(cron(), "done")
			expect(cron(), "nothing to do")
			file(1)
			expect(cron(), "1 row along time")
			for night := 2; night < 9; night++ {
				file(night)
			}
			expect(cron(), "7 rows along time")
			file(9)
			killedWhileAppending(t, job, target, "")
			file(10)
			cron()
			before := tree(t, target)
			expect(cron(), "nothing to do")
			if diff := cmp.Diff(before, tree(t, target)); diff != "" {
				t.Error(diff)
			}
			checkNoLeftovers(t, target)
			want := undisturbed(t, job, filepath.Join(dir, "once.zarr"), "target.url=once.zarr")
			if diff := cmp.Diff(want, before); diff != "" {
				t.Errorf("(-at once +night by night):\n%s", diff)
			}
		})
	}
}

// TestFilesAfterAFault breaks a run over all files of a folder at each of its changes: one
// that makes the target, and one that appends to it. Before the next run, more files come.
// The target equals that of undisturbed runs, and the next run has nothing to do.
func TestFilesAfterAFault(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	text, _ := recipe(t, "../docs/append.md")
	job, target := write(t, dir, "nightly.yaml", []byte(text)), filepath.Join(dir, "nightly.zarr")
	file := func(night int) string {
		return write(t, dir, fmt.Sprintf("data/model_%02d.nc", night), day(night))
	}
	file(0)
	file(1)
	once := func(nights ...int) map[string]string {
		var late []string
		for _, night := range nights {
			late = append(late, file(night))
		}
		want := undisturbed(t, job, filepath.Join(dir, "once.zarr"), "target.url=once.zarr")
		removeTarget(t, filepath.Join(dir, "once.zarr"))
		for _, f := range late {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
		return want
	}
	env := environment()
	for _, appends := range []bool{false, true} {
		all, waited := 1, 0
		want := once(2, 3, 4)
		for at := 1; at <= all; at++ {
			removeTarget(t, target)
			for _, night := range []int{2, 3, 4} {
				if err := os.Remove(filepath.Join(dir, fmt.Sprintf("data/model_%02d.nc", night))); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
			}
			env.Fault = nil
			if appends {
				undisturbed(t, job, target)
				file(2)
			}
			f := faults{at: at, rest: true}
			env.Fault = f.fault
			_, err := migrate(t.Context(), job, env, jobs.RunOptions{}, oneWorkerEach...)
			if all = max(all, len(f.seen)); err == nil {
				break // all operations have been broken
			}
			all = max(all, at+1)
			env.Fault = nil
			for _, night := range []int{2, 3, 4} {
				if night > 2 || !appends {
					file(night)
				}
			}
			j, err := jobs.Load(job, jobs.Environment{})
			if err != nil {
				t.Fatal(err)
			}
			if plan, err := jobs.NewPlan(t.Context(), j, env); err != nil {
				t.Errorf("%v, operation %d: %v", appends, at, err)
			} else {
				waited += plan.Waiting()
				if err := plan.Close(); err != nil {
					t.Error(err)
				}
			}
			if _, err := migrate(t.Context(), job, env, jobs.RunOptions{}); err != nil {
				t.Fatalf("appends %v, after operation %d: %v", appends, at, err)
			}
			if diff := cmp.Diff(want, tree(t, target)); diff != "" {
				t.Errorf("appends %v, after operation %d:\n%s", appends, at, diff)
			}
			if result, err := migrate(t.Context(), job, env, jobs.RunOptions{}); err != nil || !result.Nothing {
				t.Errorf("appends %v, after operation %d, once more: %+v, %v", appends, at, result, err)
			}
		}
		if waited == 0 {
			t.Errorf("appends %v: no run was completed before later files had their turn", appends)
		}
		t.Logf("appends %v: %d operations, %d files waited", appends, all, waited)
	}
}
