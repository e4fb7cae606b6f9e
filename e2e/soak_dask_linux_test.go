package e2e

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// soakDask has a Dask cluster do some jobs, and kills its processes, the driver and the processes of
// zmigrate at random moments.
func soakDask(t *testing.T, r *rand.Rand) (kills int) {
	d := &besiegedCluster{cluster: newCluster(t, t.TempDir()), nannies: map[*exec.Cmd]bool{}}
	for range 2 + r.IntN(2) {
		d.addWorker(t, r)
	}
	d.awaitWorkers(t)
	for range 3 {
		kills += d.attacked(t, r)
	}
	return kills
}

// besiegedCluster is a cluster whose workers may have nannies. A nanny is a process that starts the
// process of the worker, and starts it again when it dies.
type besiegedCluster struct {
	*cluster
	nannies map[*exec.Cmd]bool
}

// addWorker starts a worker, with or without a nanny.
func (d *besiegedCluster) addWorker(t *testing.T, r *rand.Rand) {
	t.Helper()
	args := []string{"worker", d.address, "--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard", "--local-directory", d.dir}
	nanny := r.IntN(2) == 0
	if !nanny {
		args = append(args, "--no-nanny")
	}
	c := d.dask(t, d.root, args...)
	d.workers = append(d.workers, c)
	d.nannies[c] = nanny
}

// processOf returns the process that does the tasks of a worker; 0 if its nanny is starting it.
func (d *besiegedCluster) processOf(t *testing.T, worker *exec.Cmd) int {
	t.Helper()
	if !d.nannies[worker] {
		return worker.Process.Pid
	}
	for _, pid := range childrenOf(t, worker.Process.Pid) {
		line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err == nil && bytes.Contains(line, []byte("spawn_main")) {
			return pid
		}
	}
	return 0
}

// programs returns the processes of zmigrate beside the workers.
func (d *besiegedCluster) programs(t *testing.T) []int {
	t.Helper()
	var parents []int
	for _, w := range d.workers {
		if pid := d.processOf(t, w); pid != 0 {
			parents = append(parents, pid)
		}
	}
	return childrenOf(t, parents...)
}

// attacked has the cluster do a job, while processes are killed. It returns the number of kills.
func (d *besiegedCluster) attacked(t *testing.T, r *rand.Rand) (kills int) {
	t.Helper()
	b := besiege(t, r)
	program := build(t)
	for n := 1; ; n++ {
		limited, cancel := context.WithTimeout(t.Context(), mostSubmission)
		c := exec.CommandContext(limited, program, "submit", b.job, "--engine", "dask", "--address", d.address, "--python", d.python,
			"--bundles", strconv.Itoa(b.bundles), "--retries", "10", "--json", "--yes")
		var out, messages bytes.Buffer
		c.Stdout, c.Stderr = &out, &messages
		ended := started(t, c)
		for range 1 + r.IntN(6) {
			if n == mostSubmissions || !b.moment(r, ended) {
				break
			}
			d.strike(t, r, b, c)
		}
		<-ended
		hangs := limited.Err() != nil
		cancel()
		if hangs {
			t.Fatalf("%s: after the kills %v: submission %d has not ended after %s: %s%s", b.shape, b.kills, n, mostSubmission, &out, &messages)
		}
		status := c.ProcessState.ExitCode()
		if status != 0 {
			t.Logf("submission %d: status %d, %s%s", n, status, &out, &messages)
		}
		switch {
		case status == 0:
			return b.held(t, n)
		case n == mostSubmissions || !slices.Contains([]int{-1, 3, 5}, status):
			t.Fatalf("%s: after the kills %v: submission %d: status %d, %s%s", b.shape, b.kills, n, status, &out, &messages)
		}
	}
}

// strike kills something.
func (d *besiegedCluster) strike(t *testing.T, r *rand.Rand, b *besieged, submit *exec.Cmd) {
	t.Helper()
	kill9 := func(pid int) bool { return syscall.Kill(pid, syscall.SIGKILL) == nil }
	i := r.IntN(len(d.workers))
	w := d.workers[i]
	switch r.IntN(12) {
	default:
		if list := d.programs(t); len(list) > 0 && kill9(list[r.IntN(len(list))]) {
			b.killed("zmigrate work", 1)
		}
	case 4, 5, 6:
		pid := d.processOf(t, w)
		switch {
		case pid == 0:
		case d.nannies[w]:
			if kill9(pid) {
				b.killed("worker with a nanny", 1)
			}
		default:
			kill(w)
			b.killed("worker", 1)
			d.workers = slices.Delete(d.workers, i, i+1)
			d.addWorker(t, r)
		}
	case 7, 8:
		if !d.nannies[w] {
			return
		}
		pid := d.processOf(t, w)
		kill(w)
		if pid != 0 {
			_ = kill9(pid) // it ends by itself, too
		}
		b.killed("nanny and worker", 1)
		d.workers = slices.Delete(d.workers, i, i+1)
		d.addWorker(t, r)
	case 9:
		if kill9(submit.Process.Pid) {
			b.killed("submit", len(d.workers)) // each worker stops what it does
		}
	case 10:
		if list := childrenOf(t, submit.Process.Pid); len(list) > 0 && kill9(list[0]) {
			b.killed("driver", len(d.workers))
		}
	case 11:
		lost := len(d.workers)
		port, err := strconv.Atoi(d.address[strings.LastIndex(d.address, ":")+1:])
		if err != nil {
			t.Fatal(err)
		}
		kill(d.scheduler)
		for _, w := range d.workers {
			pid := d.processOf(t, w)
			kill(w)
			if pid != 0 {
				_ = kill9(pid) // it may have ended
			}
		}
		b.killed("scheduler", lost)
		d.workers = nil
		if err := os.RemoveAll(filepath.Join(d.dir, "scheduler.json")); err != nil {
			t.Fatal(err)
		}
		d.startScheduler(t, port)
		for range lost {
			d.addWorker(t, r)
		}
	}
}
