package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// cluster is a Dask cluster on this machine.
type cluster struct {
	owner     *testing.T // its end ends the cluster
	python    string
	dir       string // its files; no process of the cluster works on data there
	root      string // what the job calls ${ROOT}
	address   string
	scheduler *exec.Cmd
	workers   []*exec.Cmd
}

// patience bounds the time that a test waits for a condition.
const daskPatience = time.Minute

// newCluster starts a scheduler. The test is skipped if there is no Python with distributed.
func newCluster(t *testing.T, root string) *cluster {
	t.Helper()
	p := findPeers(t)
	if err := exec.CommandContext(t.Context(), p.python, "-c", "import distributed").Run(); err != nil {
		if os.Getenv("ZMIGRATE_REQUIRE_PEERS") == "1" {
			t.Fatalf("%s has no package distributed: %v", p.python, err)
		}
		t.Skipf("needs the package distributed: `make interop` sets it up (%v)", err)
	}
	d := &cluster{owner: t, python: p.python, dir: t.TempDir(), root: root}
	t.Cleanup(func() {
		if t.Failed() {
			text, err := os.ReadFile(filepath.Join(d.dir, "log"))
			t.Logf("the cluster: %s, %v", text, err)
		}
	})
	d.startScheduler(t, 0)
	return d
}

// dask starts a process of the cluster, which the end of the cluster kills.
func (d *cluster) dask(t *testing.T, root string, args ...string) *exec.Cmd {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(d.dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }() // the process has it, too
	c := exec.Command(d.python, append([]string{"-m", "dask"}, args...)...)
	c.Env = append(os.Environ(), "ROOT="+root, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES=10", "PYTHONDONTWRITEBYTECODE=1")
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	d.owner.Cleanup(func() { kill(c) })
	return c
}

// kill kills a process that the test has started, and waits for its end.
func kill(c *exec.Cmd) {
	if c.ProcessState == nil {
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
	}
}

// startScheduler starts a scheduler on a port; 0 is one that is free.
func (d *cluster) startScheduler(t *testing.T, port int) {
	t.Helper()
	file := filepath.Join(d.dir, "scheduler.json")
	if err := os.RemoveAll(file); err != nil {
		t.Fatal(err)
	}
	d.scheduler = d.dask(t, d.root, "scheduler", "--host", "127.0.0.1", "--port", strconv.Itoa(port), "--no-dashboard", "--scheduler-file", file)
	var said struct{ Address string }
	await(t, "the scheduler", func() bool {
		text, err := os.ReadFile(file)
		return err == nil && json.Unmarshal(text, &said) == nil && said.Address != ""
	})
	d.address = said.Address
}

// addWorkers starts workers. Their jobs' ${ROOT} is root.
func (d *cluster) addWorkers(t *testing.T, root string, n int) {
	t.Helper()
	for range n {
		d.workers = append(d.workers, d.dask(t, root, "worker", d.address, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", d.dir))
	}
	d.awaitWorkers(t)
}

// awaitWorkers waits until the scheduler has the workers of the cluster, and no others.
func (d *cluster) awaitWorkers(t *testing.T) {
	t.Helper()
	script := fmt.Sprintf(`
import sys, time
from distributed import Client
with Client(%q, timeout=30, set_as_default=False) as c:
    end = time.monotonic() + 30
    while len(c.scheduler_info(n_workers=-1)["workers"]) != %d:
        if time.monotonic() > end: sys.exit("the scheduler has other workers")
        time.sleep(0.02)
`, d.address, len(d.workers))
	if out, err := exec.CommandContext(t.Context(), d.python, "-c", script).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// await waits for a condition.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(daskPatience); !is(); {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %s", what, daskPatience)
		}
	}
}

// submitTo prepares a submission of a job. Its workers call the program by its path.
func (d *cluster) submitTo(t *testing.T, job string, args ...string) (c *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	program, err := exec.LookPath("zmigrate")
	if err != nil {
		t.Fatal(err)
	}
	c = exec.CommandContext(t.Context(), program, append([]string{"submit", job, "--engine", "dask", "--address", d.address, "--python", d.python, "--program", program, "--bundles", "12", "--json"}, args...)...)
	c.Env = append(os.Environ(), "ROOT="+d.root)
	stderr = &bytes.Buffer{}
	c.Stderr = stderr
	return c, stderr
}

// submit submits a job and returns what it has printed, and its exit status.
func (d *cluster) submit(t *testing.T, job string, args ...string) (out string, status int) {
	t.Helper()
	c, stderr := d.submitTo(t, job, args...)
	text, err := c.Output()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	t.Logf("submit %s: %s%s", args, text, stderr)
	return string(text), c.ProcessState.ExitCode()
}

// attempt is a bundle that a process has begun.
type attempt struct {
	pid    int    // of the process
	parent int    // of the process: the worker of Dask
	ended  string // the file that it writes when the bundle has ended
}

// stopAnAttempt stops a process in the middle of a bundle.
func stopAnAttempt(t *testing.T, target string) (a attempt) {
	t.Helper()
	await(t, "a process in the middle of a bundle", func() bool {
		begun, err := filepath.Glob(filepath.Join(target+".zmigrate", "work", "*", "*", "*.begun"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range begun {
			text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "lock", "000001.json"))
			var owner struct {
				PID      int
				Released bool
			}
			if err != nil || json.Unmarshal(text, &owner) != nil || owner.Released {
				continue
			}
			a = attempt{pid: owner.PID, parent: parentOf(owner.PID), ended: strings.TrimSuffix(file, ".begun") + ".jsonl"}
			if a.parent == 0 || exists(a.ended) || syscall.Kill(a.pid, syscall.SIGSTOP) != nil {
				continue
			}
			if !exists(a.ended) {
				return true
			}
			resume(t, a.pid)
		}
		return false
	})
	t.Cleanup(func() { _ = syscall.Kill(a.pid, syscall.SIGCONT) }) // most have ended by then
	return a
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// resume has a stopped process go on.
func resume(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// parentOf returns the PID of the parent of a process, and 0 if the process has ended.
func parentOf(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if fields[0] == "Z" {
		return 0
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return parent
}

// childrenOf returns the processes whose parent is one of the given ones.
func childrenOf(t *testing.T, parents ...int) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Fatalf("no processes in /proc, %v", err)
	}
	for _, stat := range stats {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		if err != nil {
			continue
		}
		for _, parent := range parents {
			if parentOf(pid) == parent {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// awaitGone waits until processes have ended.
func awaitGone(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		await(t, fmt.Sprintf("the end of process %d", pid), func() bool { return parentOf(pid) == 0 })
	}
}

// attempts returns how many bundles were begun.
func attempts(t *testing.T, target string) int {
	t.Helper()
	begun, err := filepath.Glob(filepath.Join(target+".zmigrate", "work", "*", "*", "*.begun"))
	if err != nil {
		t.Fatal(err)
	}
	return len(begun)
}

// TestInteropDask has a Dask cluster of three workers do jobs, while workers, the scheduler and the
// driver are killed, and while some of them cannot work.
func TestInteropDask(t *testing.T) {
	t.Parallel()
	root := fast(t)
	d := newCluster(t, root)
	data, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "coads.cdf", data)
	job := write(t, root, "job.yaml", []byte(`zmigrate: 1
source: {driver: netcdf, url: coads.cdf, include: [SST, AIRT]}
target: {url: '${ROOT}/out.zarr'}
arrays: {SST: {chunks: [1, 15, 30], codecs: [{zstd: {level: 19}}]}, AIRT: {chunks: [1, 15, 30], codecs: [{zstd: {level: 19}}]}}
run: {workers: {encode: 1}}
`))
	other := t.TempDir() // what a worker sees that does not see the folder
	plain := write(t, root, "plain.yaml", bytes.ReplaceAll(must(t, job), []byte("${ROOT}"), []byte(root)))
	target := filepath.Join(root, "out.zarr")
	want := undisturbed(t, plain, target)
	compare := func(t *testing.T) {
		t.Helper()
		if diff := cmp.Diff(want, tree(t, target)); diff != "" {
			t.Errorf("(-run +dask):\n%s", diff)
		}
		checkNoLeftovers(t, target)
	}
	// begin submits the job and stops a process in the middle of a bundle.
	begin := func(t *testing.T) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer, attempt) {
		t.Helper()
		removeTarget(t, target)
		c, stderr := d.submitTo(t, job)
		out := &bytes.Buffer{}
		c.Stdout = out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { kill(c) })
		return c, out, stderr, stopAnAttempt(t, target)
	}
	// workersAreIdle waits until no process works beside the workers of Dask.
	workersAreIdle := func(t *testing.T) {
		t.Helper()
		var parents []int
		for _, w := range d.workers {
			parents = append(parents, w.Process.Pid)
		}
		await(t, "idle workers", func() bool { return len(childrenOf(t, parents...)) == 0 })
	}

	t.Run("nobody answers", func(t *testing.T) {
		removeTarget(t, target)
		text, status := d.submit(t, job, "--address", "tcp://127.0.0.1:1")
		if status != 1 || !strings.Contains(text, "no Dask scheduler answers there") {
			t.Errorf("status %d, %s", status, text)
		}
		text, status = d.submit(t, job, "--address", filepath.Join(other, "none.json"))
		if status != 1 || !strings.Contains(text, "start the scheduler with --scheduler-file") {
			t.Errorf("status %d, %s", status, text)
		}
		text, status = d.submit(t, job, "--worker-wait", "1ms")
		if status != 1 || !strings.Contains(text, "the scheduler has had no workers") {
			t.Errorf("status %d, %s", status, text)
		}
	})
	d.addWorkers(t, root, 3)

	t.Run("undisturbed", func(t *testing.T) {
		removeTarget(t, target)
		text, status := d.submit(t, job, "--address", filepath.Join(d.dir, "scheduler.json"))
		if status != 0 || !strings.Contains(text, `"event":"summary"`) {
			t.Errorf("status %d, %s", status, text)
		}
		compare(t)
		workersAreIdle(t)
	})

	t.Run("a target is verified", func(t *testing.T) {
		text, status := d.submit(t, job, "--verify", "decoded")
		if status != 0 || !strings.Contains(text, `"event":"verified"`) || !strings.Contains(text, `"difference_count":0`) {
			t.Errorf("status %d, %s", status, text)
		}
		chunks, err := filepath.Glob(filepath.Join(target, "*", "c", "0", "0", "0"))
		if err == nil && len(chunks) > 0 {
			err = os.Remove(chunks[0])
		}
		if err != nil || len(chunks) == 0 {
			t.Fatalf("%v, %v", chunks, err)
		}
		text, status = d.submit(t, job, "--verify", "stored")
		if status != 4 || !strings.Contains(text, `"difference_count":1`) {
			t.Errorf("status %d, %s", status, text)
		}
		workersAreIdle(t)
	})

	t.Run("another version", func(t *testing.T) {
		program, err := exec.LookPath("zmigrate")
		if err != nil {
			t.Fatal(err)
		}
		old := write(t, other, "old", fmt.Appendf(nil, "#!/bin/sh\n%s \"$@\" | sed 's/\"version\":\"[^\"]*\"/\"version\":\"v0.0.1\"/'\n", program))
		if err := os.Chmod(old, 0o700); err != nil {
			t.Fatal(err)
		}
		removeTarget(t, target)
		text, status := d.submit(t, job, "--program", old)
		if status != 1 || strings.Count(text, "it has version v0.0.1 of zmigrate, and the plan was saved by version") != 3 {
			t.Errorf("status %d, %s", status, text)
		}
		if n := attempts(t, target); n != 0 {
			t.Errorf("%d bundles were begun", n)
		}
	})

	t.Run("a worker does not see the folder", func(t *testing.T) {
		removeTarget(t, target)
		d.addWorkers(t, other, 1)
		text, status := d.submit(t, job)
		if status != 1 || !strings.Contains(text, "1 workers cannot do the plan") || !strings.Contains(text, "this machine does not see the folder") {
			t.Errorf("status %d, %s", status, text)
		}
		if n := attempts(t, target); n != 0 {
			t.Errorf("%d bundles were begun", n)
		}
		last := len(d.workers) - 1
		kill(d.workers[last])
		d.workers = d.workers[:last]
		d.awaitWorkers(t)
	})

	t.Run("a unit that cannot be done", func(t *testing.T) {
		removeTarget(t, target)
		if text, status := d.submit(t, job, "--dry-run"); status != 0 {
			t.Fatalf("status %d, %s", status, text)
		}
		poison := filepath.Join(target, "SST", "c", "5", "3", "2") // a folder in the place of an object
		if err := os.MkdirAll(filepath.Join(poison, "in the way"), 0o777); err != nil {
			t.Fatal(err)
		}
		text, status := d.submit(t, job, "--retries", "1")
		if status != 1 || !strings.Contains(text, "1 parts have failed, all others are done") || !strings.Contains(text, "SST/c/5/3/2") {
			t.Errorf("status %d, %s", status, text)
		}
		if exists(filepath.Join(target, "zarr.json")) {
			t.Error("the job was finished")
		}
		if n := attempts(t, target); n != 13 {
			t.Errorf("%d bundles were begun, want 12 and the failed one again", n)
		}
		if err := os.RemoveAll(poison); err != nil {
			t.Fatal(err)
		}
		before := attempts(t, target)
		if text, status := d.submit(t, job); status != 0 {
			t.Errorf("status %d, %s, after %d bundles", status, text, before)
		}
		compare(t)
	})

	t.Run("the driver is killed", func(t *testing.T) {
		c, _, _, a := begin(t)
		drivers := childrenOf(t, c.Process.Pid)
		if len(drivers) != 1 {
			t.Fatalf("the drivers are %v", drivers)
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		resume(t, a.pid)
		awaitGone(t, append(drivers, a.pid)...)
		kill(c)
		before := attempts(t, target)
		if before > 11 {
			t.Fatalf("%d bundles were begun: the driver was killed too late", before)
		}
		if text, status := d.submit(t, job); status != 0 {
			t.Errorf("status %d, %s", status, text)
		}
		compare(t)
	})

	t.Run("the Python of the driver is killed", func(t *testing.T) {
		c, out, _, a := begin(t)
		drivers := childrenOf(t, c.Process.Pid)
		if len(drivers) != 1 {
			t.Fatalf("the drivers are %v", drivers)
		}
		if err := syscall.Kill(drivers[0], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // the status says how it ended
		if status := c.ProcessState.ExitCode(); status != 3 || !strings.Contains(out.String(), "give the same command again") {
			t.Errorf("status %d, %s", status, out)
		}
		resume(t, a.pid)
		awaitGone(t, a.pid)
		if text, status := d.submit(t, job); status != 0 {
			t.Errorf("status %d, %s", status, text)
		}
		compare(t)
	})

	t.Run("Ctrl-C", func(t *testing.T) {
		c, _, stderr, a := begin(t)
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		resume(t, a.pid)
		_ = c.Wait() // the status says how it ended
		if status := c.ProcessState.ExitCode(); status != 130 {
			t.Errorf("status %d, %s", status, stderr)
		}
		workersAreIdle(t)
		if text, status := d.submit(t, job); status != 0 {
			t.Errorf("status %d, %s", status, text)
		}
		compare(t)
	})

	t.Run("a worker is killed", func(t *testing.T) {
		c, out, stderr, a := begin(t)
		most := 0
		for i, w := range d.workers {
			if w.Process.Pid == a.parent {
				kill(w)
				d.workers = append(d.workers[:i], d.workers[i+1:]...)
				break
			}
		}
		if len(d.workers) != 2 {
			t.Fatalf("process %d belongs to none of the workers", a.parent)
		}
		resume(t, a.pid)
		for c.ProcessState == nil {
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			for {
				most = max(most, attempts(t, target))
				select {
				case err := <-ended:
					if err != nil {
						t.Errorf("%v: %s%s", err, out, stderr)
					}
				default:
					continue
				}
				break
			}
		}
		awaitGone(t, a.pid)
		if most > 13 {
			t.Errorf("%d bundles were begun, want 12 and one again", most)
		}
		compare(t)
	})

	t.Run("a part kills its worker", func(t *testing.T) {
		removeTarget(t, target)
		d.addWorkers(t, root, 3-len(d.workers))
		text, status := d.submit(t, job, "--dry-run")
		var campaign struct{ Parts []string }
		if err := json.Unmarshal([]byte(text), &campaign); err != nil || status != 0 || len(campaign.Parts) != 12 {
			t.Fatalf("status %d, %v, %s", status, err, text)
		}
		program, err := exec.LookPath("zmigrate")
		if err != nil {
			t.Fatal(err)
		}
		// The parent of this program is the worker.
		deadly := write(t, other, "deadly", fmt.Appendf(nil, `#!/bin/sh
case " $* " in
*" --stdin "*) ;;
*) exec %[1]s "$@" ;;
esac
while read -r part; do
	if [ "$part" = %[2]s ]; then
		kill -9 $PPID
		exit
	fi
	echo "$part"
done | %[1]s "$@"
`, program, campaign.Parts[4]))
		if err := os.Chmod(deadly, 0o700); err != nil {
			t.Fatal(err)
		}
		text, status = d.submit(t, job, "--program", deadly, "--worker-wait", "2s")
		if status != 1 || !strings.Contains(text, "1 parts have failed, all others are done") || !strings.Contains(text, "units "+campaign.Parts[4]+": 2 workers died while they did this part") {
			t.Errorf("status %d, %s", status, text)
		}
		var alive []*exec.Cmd
		for _, w := range d.workers {
			if parentOf(w.Process.Pid) != 0 {
				alive = append(alive, w)
			}
		}
		if len(alive) != 1 {
			t.Errorf("%d workers are alive, want the last one", len(alive))
		}
		d.workers = alive
		d.addWorkers(t, root, 1)
		if text, status := d.submit(t, job); status != 0 {
			t.Errorf("status %d, %s", status, text)
		}
		compare(t)
	})

	t.Run("a process is alive when all parts are done", func(t *testing.T) {
		removeTarget(t, target)
		if text, status := d.submit(t, job, "--dry-run"); status != 0 {
			t.Fatalf("status %d, %s", status, text)
		}
		stranger := zmigrate(t.Context(), t, "work", job, "--bundle", "0/1")
		stranger.Env = append(os.Environ(), "ROOT="+root)
		if err := stranger.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { kill(stranger) })
		if a := stopAnAttempt(t, target); a.pid != stranger.Process.Pid {
			t.Fatalf("process %d works, and not %d", a.pid, stranger.Process.Pid)
		}
		c, _ := d.submitTo(t, job)
		log, err := os.Create(filepath.Join(other, "log"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = log.Close() }() // the process has it, too
		c.Stdout, c.Stderr = log, log
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { kill(c) })
		await(t, "finish, which waits", func() bool {
			return bytes.Contains(must(t, log.Name()), []byte("waiting for the end of another process"))
		})
		kill(stranger)
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %s", err, must(t, log.Name()))
		}
		compare(t)
	})

	t.Run("the scheduler is killed", func(t *testing.T) {
		c, out, stderr, a := begin(t)
		kill(d.scheduler)
		resume(t, a.pid)
		_ = c.Wait() // the status says how it ended
		if status := c.ProcessState.ExitCode(); status != 3 || !strings.Contains(out.String(), "the Dask scheduler is lost") {
			t.Errorf("status %d, %s%s", status, out, stderr)
		}
		awaitGone(t, a.pid)
		for _, w := range d.workers {
			kill(w)
		}
		d.workers = nil
		port, err := strconv.Atoi(d.address[strings.LastIndex(d.address, ":")+1:])
		if err != nil {
			t.Fatal(err)
		}
		d.startScheduler(t, port)
		d.addWorkers(t, root, 2)
		if text, status := d.submit(t, job); status != 0 {
			t.Errorf("status %d, %s", status, text)
		}
		compare(t)
	})

	t.Run("kills at random", func(t *testing.T) { // make soak ATTACK=dask has more
		(&besiegedCluster{cluster: d, nannies: map[*exec.Cmd]bool{}}).attacked(t, rand.New(rand.NewPCG(4, 0)))
	})
}

// must reads a file.
func must(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
