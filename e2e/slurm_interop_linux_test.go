package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestInteropSlurm has a real Slurm with three nodes, all on this machine, do campaigns. Its jobs
// are those of an ordinary user. No other test runs at the same time: if a node answers too late, Slurm
// takes it for lost.
func TestInteropSlurm(t *testing.T) {
	s := startSlurm(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *slurmJob)
	}{
		{"undisturbed", undisturbedBySlurm},
		{"by hand", submittedByHand},
		{"partition of the environment", partitionOfEnvironment},
		{"a worker is killed", workerOfSlurmIsKilled},
		{"a task is killed", taskOfSlurmIsKilled},
		{"a job is cancelled", jobOfSlurmIsCancelled},
		{"a bundle fails", bundleOfSlurmFails},
		{"no job file on the nodes", nodesWithoutJobFile},
		{"a node is lost", nodeOfSlurmIsLost},
		{"a process is alive when all parts are done", strangerBesideSlurm},
		{"kills at random", func(t *testing.T, _ *slurmJob) { s.attacked(t, rand.New(rand.NewPCG(4, 0))) }}, // make soak ATTACK=slurm has more
		{"no controller", noControllerOfSlurm},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, s.newJob(t)) })
	}
}

// slurm is a Slurm on this machine.
type slurm struct {
	dir     string
	env     []string
	user    *syscall.Credential // whose jobs it does
	daemons map[string]*exec.Cmd
}

const slurmNodes = 3

// startSlurm starts a Slurm, which ends with the test. The test is skipped if something is missing,
// or fails if ZMIGRATE_REQUIRE_PEERS is 1.
func startSlurm(t *testing.T) *slurm {
	t.Helper()
	missing := func(what string) {
		if os.Getenv("ZMIGRATE_REQUIRE_PEERS") == "1" {
			t.Fatalf("no %s; `make interop` installs Slurm, as root on a Debian", what)
		}
		t.Skipf("needs %s: `make interop` installs Slurm, as root on a Debian", what)
	}
	if os.Getenv("ZMIGRATE_REQUIRE_PEERS") != "1" && os.Getenv("ZMIGRATE_SOAK") == "" {
		t.Skip("Slurm takes a minute alone: `make interop` runs it")
	}
	if os.Getuid() != 0 {
		missing("the rights of root")
	}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(name); err != nil {
			missing(name)
		}
	}
	credential := func(name string) *syscall.Credential {
		u, err := user.Lookup(name)
		if err != nil {
			missing("the user " + name)
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	dir, err := os.MkdirTemp("", "slurm")
	if err != nil {
		t.Fatal(err)
	}
	s := &slurm{dir: dir, user: credential("nobody"), daemons: map[string]*exec.Cmd{}}
	t.Cleanup(func() { s.end(t) })
	munge := credential("munge")
	key := write(t, filepath.Join(dir, "munge"), "key", bytes.Repeat([]byte("a test's key"), 100))
	err = errors.Join(os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(key), 0o755), os.Chmod(key, 0o400), os.Chown(filepath.Dir(key), int(munge.Uid), int(munge.Gid)),
		os.Chown(key, int(munge.Uid), int(munge.Gid)), os.Mkdir(filepath.Join(dir, "state"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "munge", "socket")
	s.start(t, "munged", munge, "munged", "--foreground", "--key-file="+key, "--socket="+socket, "--pid-file="+socket+".pid", "--log-file="+socket+".log", "--seed-file="+socket+".seed")
	waitFor(t, "munged", func() bool {
		_, err := os.Stat(socket)
		return err == nil
	})
	ports := freePorts(t, slurmNodes+1)
	var conf strings.Builder
	fmt.Fprintf(&conf, `ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=root
SlurmctldPort=%d
AuthInfo=socket=%s
StateSaveLocation=%[3]s/state
SlurmctldPidFile=%[3]s/slurmctld.pid
SlurmdPidFile=%[3]s/%%n.pid
SlurmdSpoolDir=%[3]s/%%n
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdTimeout=5
MessageTimeout=3
KillWait=20
MaxArraySize=50
`, ports[0], socket, dir)
	for i, port := range ports[1:] {
		fmt.Fprintf(&conf, "NodeName=n%d NodeAddr=127.0.0.1 NodeHostname=localhost Port=%d CPUs=2 RealMemory=8000\n", i, port)
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprint("n", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	conf.WriteString("PartitionName=main Nodes=ALL Default=YES\nPartitionName=other Nodes=n0\n")
	s.env = append(os.Environ(), "SLURM_CONF="+write(t, dir, "slurm.conf", []byte(conf.String())))
	s.start(t, "slurmctld", nil, "slurmctld", "-D")
	for i := range slurmNodes {
		s.startNode(t, fmt.Sprint("n", i))
	}
	waitFor(t, "the nodes", func() bool {
		return s.ask(t, "sinfo", "--noheader", "--partition=main", "--format=%D %t") == fmt.Sprint(slurmNodes, " idle")
	})
	return s
}

// freePorts returns ports that nobody listens at.
func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }() // so that all ports differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// waitFor waits until something has come about.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited for two minutes for %s", what)
		}
	}
}

// start starts a process of Slurm.
func (s *slurm) start(t *testing.T, name string, as *syscall.Credential, program string, args ...string) {
	t.Helper()
	log, err := os.Create(filepath.Join(s.dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }() // the process has it
	c := exec.Command(program, args...)
	c.Env, c.Stdout, c.Stderr = s.env, log, log
	c.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.daemons[name] = c
}

func (s *slurm) startNode(t *testing.T, name string) {
	t.Helper()
	s.start(t, name, nil, "slurmd", "-N", name, "-D")
}

// kill kills a process of Slurm.
func (s *slurm) kill(name string) {
	if c := s.daemons[name]; c != nil {
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
		delete(s.daemons, name)
	}
}

// end ends all jobs and all processes of Slurm.
func (s *slurm) end(t *testing.T) {
	if s.daemons["slurmctld"] != nil {
		s.empty(t)
	}
	if t.Failed() {
		for name := range s.daemons {
			text, err := os.ReadFile(filepath.Join(s.dir, name+".log"))
			t.Logf("%s: %v\n%s", name, err, text[max(0, len(text)-4000):])
		}
	}
	for _, name := range []string{"n0", "n1", "n2", "slurmctld", "munged"} {
		s.kill(name)
	}
	if err := os.RemoveAll(s.dir); err != nil {
		t.Error(err)
	}
}

// empty cancels all jobs and waits until they have ended.
func (s *slurm) empty(t *testing.T) {
	c := exec.Command("scancel", "--user=nobody")
	c.Env = s.env
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("scancel: %v: %s", err, out)
		return
	}
	waitFor(t, "the end of all jobs", func() bool {
		c := exec.Command("squeue", "--noheader")
		c.Env = s.env
		out, err := c.Output()
		return err == nil && len(out) == 0
	})
}

// ask calls a command of Slurm as root, and returns what it prints without spaces around it.
func (s *slurm) ask(t *testing.T, name string, args ...string) string {
	t.Helper()
	c := prepare(t.Context(), t, name, args...)
	c.Env = s.env
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	return strings.TrimSpace(string(out))
}

// slurmJob is a job of zmigrate in a folder of its own.
type slurmJob struct {
	*slurm
	dir, job, target, program string
	want                      map[string]string // the digests of the target
}

// newJob writes a job, and does it once without Slurm.
func (s *slurm) newJob(t *testing.T) *slurmJob {
	t.Helper()
	data, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(fast(t), "a job's 50%")
	write(t, dir, "coads.cdf", data)
	j := &slurmJob{slurm: s, dir: dir, target: filepath.Join(dir, "out.zarr")}
	j.job = write(t, dir, "job.yaml", []byte(`zmigrate: 1
source: {driver: netcdf, url: coads.cdf, include: [SST, AIRT]}
target: {url: out.zarr}
arrays: {SST: {chunks: [1, 15, 15], codecs: [{zstd: {level: 19}}]}, AIRT: {chunks: [1, 15, 15], codecs: [{zstd: {level: 19}}]}}
`))
	j.want = undisturbed(t, j.job, j.target)
	removeTarget(t, j.target)
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	j.prepare(t)
	return j
}

// prepare makes the job ready to be submitted by an ordinary user.
func (j *slurmJob) prepare(t *testing.T) {
	t.Helper()
	s := j.slurm
	// The program notes the processes of the tasks.
	built := build(t)
	j.program = write(t, j.dir, "program", fmt.Appendf(nil, `#!/bin/sh
case " $* " in
*" --stdin "* | " finish "*)
	job=$SLURM_JOB_ID
	test -z "$SLURM_ARRAY_TASK_ID" || job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
	echo "${SLURM_ARRAY_TASK_ID:--1} $SLURMD_NODENAME $$ $PPID $job" >>'%s/processes'
	;;
esac
exec %s "$@"
`, strings.ReplaceAll(j.dir, "'", `'\''`), built))
	if err := errors.Join(os.Chmod(j.program, 0o755), os.Chmod(filepath.Dir(built), 0o755), os.Chmod(j.dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	j.own(t)
	t.Cleanup(func() {
		if s.daemons["slurmctld"] != nil {
			s.empty(t)
		}
		if !t.Failed() {
			return
		}
		outputs, _ := filepath.Glob(filepath.Join(j.dir, "job.slurm", "*.out")) // for a person only
		for _, name := range outputs {
			text, _ := os.ReadFile(name)
			t.Logf("%s:\n%s", filepath.Base(name), text)
		}
	})
}

// submit prepares a command that submits the job, as an ordinary user.
func (j *slurmJob) submit(t *testing.T, more ...string) *exec.Cmd {
	t.Helper()
	args := []string{"submit", "job.yaml", "--engine", "slurm", "--program", j.program, "--bundles", "12", "--cpus-per-task", "2"}
	return j.command(t, build(t), append(args, more...)...)
}

// command prepares a command of an ordinary user.
func (j *slurmJob) command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	c := prepare(t.Context(), t, name, args...)
	c.Dir, c.Env = j.dir, j.env
	c.SysProcAttr = &syscall.SysProcAttr{Credential: j.user}
	return c
}

// submission is what submit prints as JSON, the last event of it.
type submission struct {
	Event        string
	Work, Finish string
	Parts, Tasks int
	Complete     bool
	Failed       []struct {
		ID, State string
		Requeued  int
	}
}

// submitted submits the job, and reads the first event.
func (j *slurmJob) submitted(t *testing.T, more ...string) submission {
	t.Helper()
	out, err := j.submit(t, append(more, "--json")...).Output()
	if err != nil {
		t.Fatalf("submit: %v: %s", err, out)
	}
	return readSubmission(t, out)
}

// waiting submits the job by a command that waits for the end of the campaign. end returns the
// command's last event and its exit status.
func (j *slurmJob) waiting(t *testing.T, more ...string) (s submission, end func() (last submission, status int)) {
	t.Helper()
	c := j.submit(t, append(more, "--wait", "--json")...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(out)
	event := func() submission {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		return readSubmission(t, line)
	}
	return event(), func() (submission, int) {
		last := event()
		_ = c.Wait() // the status says it
		return last, c.ProcessState.ExitCode()
	}
}

func readSubmission(t *testing.T, line []byte) (x submission) {
	t.Helper()
	if err := json.Unmarshal(line, &x); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return x
}

// slurmProcess is a process of a task that does bundles.
type slurmProcess struct {
	node                string
	worker, shell, step int
}

// process waits until a process of a task is in the middle of a bundle. It stops the process, so
// that the test can kill it there.
func (j *slurmJob) process(t *testing.T, task int) (p slurmProcess) {
	t.Helper()
	waitFor(t, "a worker", func() bool {
		text, err := os.ReadFile(filepath.Join(j.dir, "processes"))
		if err != nil {
			return false
		}
		for line := range strings.Lines(string(text)) {
			var number int
			if n, err := fmt.Sscan(line, &number, &p.node, &p.worker, &p.shell); n == 4 && err == nil && number == task {
				return true
			}
		}
		return false
	})
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.shell))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " %1s %d", new(string), &p.step); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.worker))
		if err == nil && strings.Contains(string(line), j.job) {
			_ = syscall.Kill(p.worker, syscall.SIGKILL) // it may end now
		}
	})
	waitFor(t, "a bundle under way", func() bool {
		if err := syscall.Kill(p.worker, syscall.SIGSTOP); err != nil {
			t.Fatalf("the worker has ended too early: %v", err)
		}
		for name := range j.attempts(t) {
			marker := j.markerOf(t, name)
			if strings.Contains(marker, fmt.Sprintf(`"pid":%d,`, p.worker)) && !j.attempts(t)[name] {
				return true
			}
		}
		if err := syscall.Kill(p.worker, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		return false
	})
	return p
}

// attempts returns the attempts at bundles, by the paths of their files without ending, and whether
// each has ended.
func (j *slurmJob) attempts(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	names, err := filepath.Glob(filepath.Join(j.target+".zmigrate", "work", "*", "*", "*-*-*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		stem, ending, _ := strings.Cut(filepath.Base(name), ".")
		stem = filepath.Join(filepath.Dir(name), stem)
		found[stem] = found[stem] || ending != "begun"
	}
	return found
}

// markerOf returns the text of the lock of the process that has made an attempt.
func (j *slurmJob) markerOf(t *testing.T, attempt string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(attempt), "lock", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		text = append(text, data...)
	}
	return string(text)
}

// complete checks that the target is that of an undisturbed run.
func (j *slurmJob) complete(t *testing.T) {
	t.Helper()
	if diff := cmp.Diff(j.want, tree(t, j.target)); diff != "" {
		t.Errorf("(-run +Slurm):\n%s", diff)
	}
	checkNoLeftovers(t, j.target)
}

// incomplete checks that readers see nothing of the target, and that no job is left in the queue.
func (j *slurmJob) incomplete(t *testing.T) {
	t.Helper()
	j.finished(t)
	for key := range tree(t, j.target) {
		if filepath.Base(key) == "zarr.json" {
			t.Errorf("the target has %s", key)
		}
	}
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	waitFor(t, fmt.Sprintf("the end of process %d", pid), func() bool {
		return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	})
}

// killed kills processes.
func killed(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatalf("kill %d: %v", pid, err)
		}
	}
}

// holdFinish keeps the job from beginning that ends the campaign. The returned function counts the
// attempts once all tasks have ended, checks that at most so many are beyond the parts, and lets the
// job begin.
func (j *slurmJob) holdFinish(t *testing.T, s submission) (release func(parts, more int)) {
	t.Helper()
	j.ask(t, "scontrol", "hold", s.Finish)
	return func(parts, more int) {
		t.Helper()
		waitFor(t, "the end of the tasks", func() bool { return j.ask(t, "squeue", "--noheader", "--jobs="+s.Work) == "" })
		if n := len(j.attempts(t)); n < parts || n > parts+more {
			t.Errorf("%d attempts at %d bundles, want at most %d more", n, parts, more)
		}
		j.ask(t, "scontrol", "release", s.Finish)
	}
}

// finished waits until no job is left in the queue.
func (j *slurmJob) finished(t *testing.T) {
	t.Helper()
	waitFor(t, "the end of the campaign", func() bool { return j.ask(t, "squeue", "--noheader") == "" })
}

func undisturbedBySlurm(t *testing.T, j *slurmJob) {
	s, end := j.waiting(t)
	release := j.holdFinish(t, s)
	var refused bytes.Buffer
	again := j.submit(t)
	again.Stderr = &refused
	if err := again.Run(); err == nil || !strings.Contains(refused.String(), "jobs of this plan are in Slurm's queue already") || !strings.Contains(refused.String(), "scancel "+s.Work+" "+s.Finish) {
		t.Errorf("submitted again: %v: %s", err, refused.String())
	}
	release(s.Parts, 0)
	if last, status := end(); status != 0 || !last.Complete || last.Failed == nil || len(last.Failed) > 0 {
		t.Errorf("%+v, status %d", last, status)
	}
	if s.Tasks != 3 || s.Parts < 9 {
		t.Errorf("%d tasks do %d parts, want 3 and at least 9", s.Tasks, s.Parts)
	}
	j.complete(t)
}

func submittedByHand(t *testing.T, j *slurmJob) {
	text, err := j.submit(t, "--dry-run").Output()
	if err != nil {
		t.Fatal(err)
	}
	if queue := j.ask(t, "squeue", "--noheader"); queue != "" {
		t.Errorf("--dry-run has submitted jobs: %s", queue)
	}
	c := j.command(t, "sh")
	c.Stdin = bytes.NewReader(text)
	if out, err := c.Output(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	j.finished(t)
	j.complete(t)
}

func partitionOfEnvironment(t *testing.T, j *slurmJob) {
	c := j.submit(t, "--slurm", "--hold", "--json")
	c.Env = append(slices.Clone(c.Env), "SBATCH_PARTITION=other")
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	if s := readSubmission(t, out); s.Tasks != 1 {
		t.Errorf("%d tasks, want 1, because the partition has two cores", s.Tasks)
	}
	if got := j.ask(t, "squeue", "--noheader", "--format=%P"); got != "other\nother" {
		t.Errorf("partitions of the jobs: %q", got)
	}
}

func workerOfSlurmIsKilled(t *testing.T, j *slurmJob) {
	s := j.submitted(t)
	release := j.holdFinish(t, s)
	killed(t, j.process(t, 1).worker)
	release(s.Parts, 1)
	j.finished(t)
	j.complete(t)
}

func taskOfSlurmIsKilled(t *testing.T, j *slurmJob) {
	s := j.submitted(t)
	p := j.process(t, 2)
	killed(t, p.shell)
	gone(t, p.worker) // although it is stopped: Slurm kills all processes of the task
	j.incomplete(t)
	again := j.submitted(t)
	release := j.holdFinish(t, again)
	if again.Parts >= s.Parts || again.Parts == 0 {
		t.Errorf("the second time, %d of %d parts", again.Parts, s.Parts)
	}
	release(s.Parts, 1)
	j.finished(t)
	j.complete(t)
}

func jobOfSlurmIsCancelled(t *testing.T, j *slurmJob) {
	s := j.submitted(t)
	p := j.process(t, 0)
	j.ask(t, "scancel", s.Work)
	_ = syscall.Kill(p.worker, syscall.SIGCONT) // Slurm does so, too
	gone(t, p.worker)
	j.incomplete(t)
	j.submitted(t)
	j.finished(t)
	j.complete(t)
}

func bundleOfSlurmFails(t *testing.T, j *slurmJob) {
	s, end := j.waiting(t, "--slurm", "--hold", "--retries", "1")
	poison := filepath.Join(j.target, "AIRT")
	err := errors.Join(os.MkdirAll(j.target, 0o755), os.Chown(j.target, int(j.user.Uid), int(j.user.Gid)), os.Mkdir(poison, 0o555))
	if err != nil {
		t.Fatal(err)
	}
	j.ask(t, "scontrol", "release", s.Work, s.Finish)
	j.incomplete(t)
	if last, status := end(); status != 1 || last.Complete || len(last.Failed) < 2 {
		t.Errorf("%+v, status %d; want failed tasks and status 1", last, status)
	}
	if err := os.Remove(poison); err != nil {
		t.Fatal(err)
	}
	again := j.submitted(t)
	if again.Parts >= s.Parts || again.Parts == 0 {
		t.Errorf("the second time, %d of %d parts", again.Parts, s.Parts)
	}
	j.finished(t)
	j.complete(t)
}

func nodesWithoutJobFile(t *testing.T, j *slurmJob) {
	s := j.submitted(t, "--slurm", "--hold")
	if err := os.Rename(j.job, j.job+".away"); err != nil {
		t.Fatal(err)
	}
	j.ask(t, "scontrol", "release", s.Work, s.Finish)
	j.incomplete(t)
	text, err := os.ReadFile(filepath.Join(j.dir, "job.slurm", "work-"+s.Work+"_0.out"))
	if err != nil || !strings.Contains(string(text), "job.yaml: no such file") || !strings.Contains(string(text), "cannot work on this plan: status 2") {
		t.Errorf("error %v: %s", err, text)
	}
	if _, err := os.Stat(filepath.Join(j.dir, "processes")); err == nil {
		t.Error("a task has begun with its bundles")
	}
	if err := os.Rename(j.job+".away", j.job); err != nil {
		t.Fatal(err)
	}
	j.submitted(t)
	j.finished(t)
	j.complete(t)
}

func nodeOfSlurmIsLost(t *testing.T, j *slurmJob) {
	s, end := j.waiting(t)
	release := j.holdFinish(t, s)
	p := j.process(t, 1)
	j.kill(p.node)
	killed(t, p.step, p.shell, p.worker)
	release(s.Parts, 1)
	if last, status := end(); status != 0 || !last.Complete {
		t.Errorf("%+v, status %d", last, status)
	}
	text, err := os.ReadFile(filepath.Join(j.dir, "job.slurm", "work-"+s.Work+"_1.out"))
	if err != nil || !strings.Contains(string(text), "requeued 1 times") {
		t.Errorf("error %v: %s", err, text)
	}
	j.complete(t)
	j.startNode(t, p.node)
}

func strangerBesideSlurm(t *testing.T, j *slurmJob) {
	if err := j.submit(t, "--dry-run").Run(); err != nil { // saves the plan
		t.Fatal(err)
	}
	stranger := j.command(t, build(t), "work", "job.yaml", "--bundle", "0/1")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(stranger) })
	if a := stopAnAttempt(t, j.target); a.pid != stranger.Process.Pid {
		t.Fatalf("process %d works, and not %d", a.pid, stranger.Process.Pid)
	}
	s := j.submitted(t)
	waitFor(t, "finish, which waits", func() bool {
		text, err := os.ReadFile(filepath.Join(j.dir, "job.slurm", "finish-"+s.Finish+".out"))
		return err == nil && bytes.Contains(text, []byte("waiting for the end of another process"))
	})
	kill(stranger)
	j.finished(t)
	j.complete(t)
}

func noControllerOfSlurm(t *testing.T, j *slurmJob) {
	j.kill("slurmctld")
	var text bytes.Buffer
	c := j.submit(t)
	c.Stderr = &text
	if err := c.Run(); err == nil || !strings.Contains(text.String(), "squeue: ") || !strings.Contains(text.String(), "scontrol ping") {
		t.Errorf("%v: %s", err, text.String())
	}
}
