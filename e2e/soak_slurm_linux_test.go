package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// soakSlurm has Slurm do some jobs, and kills its tasks, its nodes, the processes of zmigrate and the
// command that waits for them at random moments.
func soakSlurm(t *testing.T, r *rand.Rand) (kills int) {
	s := startSlurm(t)
	for range 3 {
		kills += s.attacked(t, r)
	}
	return kills
}

// attacked has Slurm do a job, while processes are killed. It returns the number of kills.
func (s *slurm) attacked(t *testing.T, r *rand.Rand) (kills int) {
	t.Helper()
	b := besiege(t, r)
	j := &slurmJob{slurm: s, dir: filepath.Dir(b.job), job: b.job, target: b.target}
	j.prepare(t)
	for n := 1; ; n++ {
		c := j.command(t, build(t), "submit", b.job, "--engine", "slurm", "--program", j.program, "--bundles", strconv.Itoa(b.bundles),
			"--cpus-per-task", "2", "--wait", "--json", "--yes")
		var out, messages bytes.Buffer
		c.Stdout, c.Stderr = &out, &messages
		ended := started(t, c)
		for range 1 + r.IntN(6) {
			if n == mostSubmissions || !j.moment(t, r, b, ended) {
				break
			}
			j.strike(t, r, b, c)
		}
		waitFor(t, "the end of submit", func() bool {
			j.tend(t)
			select {
			case <-ended:
				return true
			default:
				return false
			}
		})
		waitFor(t, "an empty queue", func() bool {
			j.tend(t)
			return j.ask(t, "squeue", "--noheader") == ""
		})
		status := c.ProcessState.ExitCode()
		if status != 0 {
			t.Logf("submission %d: status %d, %s", n, status, &messages)
		}
		switch {
		case status == 0:
			return b.held(t, n)
		case n == mostSubmissions || !slices.Contains([]int{-1, 1, 3, 5}, status):
			t.Fatalf("%s: after the kills %v: submission %d: status %d, %s%s", b.shape, b.kills, n, status, &out, &messages)
		}
	}
}

// moment waits until a random moment, as besieged.moment does. Meanwhile it tends the queue.
func (j *slurmJob) moment(t *testing.T, r *rand.Rand, b *besieged, ended <-chan struct{}) bool {
	t.Helper()
	found := make(chan bool, 1)
	go func() { found <- b.moment(r, ended) }()
	for {
		select {
		case is := <-found:
			return is
		case <-time.After(100 * time.Millisecond):
			j.tend(t)
		}
	}
}

// tend does what a user may do so that a campaign ends soon: it has tasks begin at once that were
// requeued, and removes the last job if a task has failed.
func (j *slurmJob) tend(t *testing.T) {
	t.Helper()
	command := func(name string, args ...string) {
		c := exec.Command(name, args...)
		c.Env = j.env
		_ = c.Run() // the job may have begun or ended by now
	}
	var left bool
	var last string // the job that ends the campaign
	failed, before := 0, 0
	for line := range strings.Lines(j.ask(t, "squeue", "--noheader", "--array", "--states=all", "--format=%i|%T|%r|%j")) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 4 {
			t.Fatalf("squeue prints %q", line)
		}
		id, _, _ := strings.Cut(f[0], "_")
		number, err := strconv.Atoi(id)
		if err != nil {
			t.Fatalf("squeue prints %q", line)
		}
		finish := strings.Contains(f[3], "-finish-")
		switch {
		case f[1] == "PENDING" && f[2] == "BeginTime":
			command("scontrol", "update", "JobId="+f[0], "StartTime=now")
			left = true
		case finish && f[1] == "PENDING":
			last = f[0]
		case slices.Contains([]string{"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "REQUEUED"}, f[1]):
			left = true
		case finish: // of an earlier submission
			before = max(before, number)
		case f[1] != "COMPLETED":
			failed = max(failed, number)
		}
	}
	if failed > before && !left && last != "" {
		command("scancel", last)
	}
}

// noted are the processes of zmigrate that are alive and that a task has noted.
func (j *slurmJob) noted(t *testing.T) (list []notedProcess) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(j.dir, "processes"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var p notedProcess
		if _, err := fmt.Sscan(line, &p.task, &p.node, &p.program, &p.shell, &p.job); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.program))
		if err == nil && bytes.Contains(command, []byte(j.job)) {
			list = append(list, p)
		}
	}
	return list
}

// notedProcess is a process of zmigrate in a task.
type notedProcess struct {
	task           int // -1: it finishes the job
	node           string
	program, shell int
	job            string // the number of Slurm's job
}

// strike kills something.
func (j *slurmJob) strike(t *testing.T, r *rand.Rand, b *besieged, submit *exec.Cmd) {
	t.Helper()
	list := j.noted(t)
	var p notedProcess
	if len(list) > 0 {
		p = list[r.IntN(len(list))]
	}
	kill9 := func(pid int) bool { return syscall.Kill(pid, syscall.SIGKILL) == nil }
	kind := r.IntN(10)
	if kind < 9 && len(list) == 0 {
		return
	}
	name, cost := "work", 1
	if p.task < 0 {
		name, cost = "finish", 0
	}
	switch kind {
	default:
		if kill9(p.program) {
			b.killed("zmigrate "+name, cost)
		}
	case 4, 5:
		c := exec.Command("scancel", "--signal=KILL", "--full", p.job)
		c.Env = j.env
		if c.Run() == nil {
			b.killed("task of "+name, cost)
		}
	case 6, 7:
		step := parentOf(p.shell)
		j.kill(p.node)
		for _, pid := range []int{step, p.shell, p.program} {
			if pid > 1 {
				_ = kill9(pid) // it may have ended
			}
		}
		b.killed("node", cost)
		j.startNode(t, p.node)
	case 8:
		j.kill(p.node)
		b.killed("slurmd", cost)
		j.startNode(t, p.node)
	case 9:
		if kill9(submit.Process.Pid) {
			b.killed("submit", 0)
		}
	}
}

// own gives everything in the folder of the job to the user whose jobs Slurm does.
func (j *slurmJob) own(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(j.dir, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(name, int(j.user.Uid), int(j.user.Gid))
	})
	if err != nil {
		t.Fatal(err)
	}
}
