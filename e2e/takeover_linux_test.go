package e2e

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/journal"
)

// takeoverTTL returns the lock_ttl of the runs that are stopped here. A run stops
// writing if a heartbeat takes longer than half of it. So the time must be longer for
// slow servers, and many duels make a server slow.
func takeoverTTL() time.Duration {
	if os.Getenv("ZMIGRATE_TAKEOVERS") != "" {
		return 6 * time.Second
	}
	return 1500 * time.Millisecond
}

// inOwnNamespace makes a command run in a process namespace of its own. To others it looks
// like a process of another machine, and nobody can see whether it has ended.
func inOwnNamespace(c *exec.Cmd) *exec.Cmd {
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	return c
}

// needNamespaces skips the test if processes cannot have namespaces of their own.
func needNamespaces(t *testing.T) {
	t.Helper()
	if err := inOwnNamespace(exec.Command("true")).Run(); err != nil {
		t.Skipf("needs process namespaces: %v", err)
	}
}

// duel has two runs that contend for a target.
type duel struct {
	dir     string
	program string
	kind    string // overwrite, same or append
	// place returns the URL of the target for a try. stopped returns the URL by which
	// the run that is stopped reaches the target.
	place, stopped func(try int) string
	// forget deletes what a try has left, unless it is nil. Servers made for tests search
	// all their objects for a list.
	forget func(try int)
}

// newDuel makes the jobs of a duel. About half of their values are the fill value. The
// chunks are small, so that many requests are under way at every moment. Job 0 makes
// the target to which the others append, if they append. Job 1 is the one that is
// stopped.
func newDuel(t *testing.T, kind string, place func(try int) string) *duel {
	t.Helper()
	d := &duel{dir: fast(t), program: build(t), kind: kind, place: place, stopped: place}
	const side = 96
	for i, rows := range [][2]int{{0, 17}, {17, 70}, {70, 96}} {
		from, to := rows[0], rows[1]
		if kind != "append" {
			from, to = 0, side
		}
		data := smooth(side * side * side)
		for k := range data {
			data[k] ^= byte(0x15 * i)
		}
		clear(data[i*len(data)/3:][:len(data)/3])
		var t0 []byte
		for row := from; row < to; row++ {
			t0 = binary.LittleEndian.AppendUint64(t0, uint64(row))
		}
		write(t, d.dir, fmt.Sprintf("a%d.bin", i), data[4*side*side*from:4*side*side*to])
		write(t, d.dir, fmt.Sprintf("t%d.bin", i), t0)
		write(t, d.dir, fmt.Sprintf("%d.yaml", i), fmt.Appendf(nil, `zmigrate: 1
source:
  driver: raw
  arrays:
    a: {url: a%[1]d.bin, data_type: float32, shape: [%[2]d, %[3]d, %[3]d], dimension_names: [t, y, x]}
    t: {url: t%[1]d.bin, data_type: int64, shape: [%[2]d], dimension_names: [t]}
target: {url: unset, append: t}
defaults: {codecs: [bytes]}
arrays: {a: {chunks: [5, 24, 24]}, t: {chunks: [5]}}
run: {lock_ttl: %[4]v, checkpoint: {every: 100ms}}
`, i, to-from, side, takeoverTTL()))
	}
	return d
}

// existing says, for each kind of duel, what the runs do with an existing target.
var existing = map[string]string{"overwrite": "overwrite", "same": "resume", "append": "append"}

// arguments returns the command line of one of the jobs.
func (d *duel) arguments(job int, target string) []string {
	return []string{
		"run", "--progress", "none", "--log-level", "error", "--yes", "--set", "target.url=" + target,
		"--set", "target.existing=" + existing[d.kind], filepath.Join(d.dir, strconv.Itoa(job)+".yaml"),
	}
}

// do runs one of the jobs. If the owner of the lock was stopped during a heartbeat,
// this heartbeat may arrive while the job watches for one. The job then ends with
// status 5, and is run again.
func (d *duel) do(t *testing.T, job int, target string) string {
	t.Helper()
	const most = 4
	for try := 1; ; try++ {
		c := exec.CommandContext(t.Context(), d.program, append(d.arguments(job, target), "--json")...)
		var said bytes.Buffer
		c.Stderr = &said
		out, err := c.Output()
		if ended, ok := errors.AsType[*exec.ExitError](err); ok && ended.ExitCode() == 5 && try < most {
			continue
		}
		if err != nil {
			t.Errorf("job %d: %v\n%s%s", job, err, said.String(), out)
		}
		return string(out)
	}
}

// begin makes the target before a duel.
func (d *duel) begin(t *testing.T, target string) {
	if d.kind == "append" {
		d.do(t, 0, target)
	}
}

// second does what the second run does. It returns the number of the last job.
func (d *duel) second(t *testing.T, target string) (last int) {
	switch d.kind {
	case "append": // the same rows, and those of the next day
		d.do(t, 1, target)
		d.do(t, 2, target)
		return 2
	case "same":
		d.do(t, 1, target)
		return 1
	default:
		d.do(t, 2, target)
		return 2
	}
}

// fight stops a run after a delay. Another run takes the lock over and finishes. Then
// the first run continues. It returns how the first run ended.
func (d *duel) fight(t *testing.T, try int, delay time.Duration) (stopped bool, last int, first error) {
	t.Helper()
	c := inOwnNamespace(exec.CommandContext(t.Context(), d.program, d.arguments(1, d.stopped(try))...))
	if err := c.Start(); err != nil {
		t.Error(err)
		return false, 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err := <-ended:
		ended <- err
	case <-time.After(delay):
		stopped = c.Process.Signal(syscall.SIGSTOP) == nil
	}
	last = d.second(t, d.place(try))
	if stopped {
		_ = c.Process.Signal(syscall.SIGCONT) // it may just have ended
	}
	return stopped, last, <-ended
}

// takeovers returns how many duels of each kind there are: few, or as many as
// ZMIGRATE_TAKEOVERS says.
func takeovers(few int) int {
	if n, err := strconv.Atoi(os.Getenv("ZMIGRATE_TAKEOVERS")); err == nil {
		return n
	}
	return few
}

// fights runs tries of a duel, several at a time, because a duel waits most of the
// time. objects returns the objects at the target of a try.
func (d *duel) fights(t *testing.T, tries int, objects func(try int) map[string]string) {
	t.Helper()
	seed := uint64(20261122)
	if n, err := strconv.ParseUint(os.Getenv("ZMIGRATE_SEED"), 10, 64); err == nil {
		seed = n
	}
	d.begin(t, d.place(-1))
	began := time.Now()
	d.do(t, 1, d.place(-1))
	took := time.Since(began)
	if d.kind != "same" {
		d.do(t, 2, d.place(-1))
	}
	want := objects(-1)
	wantFirst := want
	if d.kind == "overwrite" {
		d.do(t, 1, d.place(-2))
		wantFirst = objects(-2)
	}
	var mu sync.Mutex
	interrupted := 0
	var wg sync.WaitGroup
	slots := make(chan struct{}, 4)
	for try := range tries {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			d.begin(t, d.place(try))
			// Runs beside each other take longer than one alone.
			delay := time.Duration(rand.New(rand.NewPCG(seed, uint64(try))).Int64N(int64(2 * took)))
			stopped, last, first := d.fight(t, try, delay)
			if stopped && first != nil {
				mu.Lock()
				interrupted++
				mu.Unlock()
			}
			found := objects(try)
			if stopped && first == nil && cmp.Equal(wantFirst, found) {
				return // it was stopped before it had the lock, and finished last
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("try %d, stopped after %v (%v): (-second run +found)\n%.2000s", try, delay, first, diff)
			}
			if out := d.do(t, last, d.place(try)); !strings.Contains(out, `"already_complete":true`) || strings.Contains(out, "mended") {
				t.Errorf("try %d: the second run once more:\n%s", try, out)
			}
			if d.forget != nil {
				d.forget(try)
			}
		})
	}
	wg.Wait()
	t.Logf("%d duels, in %d of them the first run was stopped before its end", tries, interrupted)
	if tries > 5 && interrupted == 0 {
		t.Error("no run was stopped before its end")
	}
}

// TestTakeover stops runs that write to a server of S3. Other runs take the locks over
// and finish, and then the stopped runs continue. In the end every object is that of
// the run that finished last, and no run that has lost its lock reports success.
func TestTakeover(t *testing.T) {
	t.Parallel()
	needNamespaces(t)
	for kind := range existing {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := serve(t)
			at := func(try int) string { return fmt.Sprintf("%d.zarr", try) }
			d := newDuel(t, kind, func(try int) string { return b.url(at(try)) })
			d.fights(t, takeovers(1), func(try int) map[string]string { return b.tree(t, at(try)) })
		})
	}
}

// TestTakeoverOfUnheard has a run whose heartbeats do not arrive. It must hold its
// writes up, and end when another run has taken its lock over.
func TestTakeoverOfUnheard(t *testing.T) {
	t.Parallel()
	needNamespaces(t)
	b := serve(t)
	to, err := url.Parse(b.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	var deaf atomic.Bool          // from then on no heartbeat arrives
	writes := make(chan struct{}) // closed when the first chunk comes
	begins := sync.OnceFunc(func() { close(writes) })
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, ".zmigrate/lock/") && deaf.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if strings.Contains(r.URL.Path, ".zarr/a/c/") {
			begins()
		}
		if deaf.Load() {
			<-time.After(50 * time.Millisecond) // so that the run lasts longer than its lock
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	d := newDuel(t, "overwrite", func(try int) string { return b.url(fmt.Sprint(try, ".zarr")) })
	d.do(t, 2, d.place(-1))
	slow := strings.ReplaceAll(d.place(0), b.endpoint, server.URL)
	c := inOwnNamespace(exec.CommandContext(t.Context(), d.program, append(d.arguments(1, slow), "--set", "run.workers.write=1", "--set", "run.requests.retries=50")...))
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-writes:
	case <-time.After(time.Minute):
		t.Fatal("the run has not begun")
	}
	deaf.Store(true)
	d.do(t, 2, d.place(0))
	if err := c.Wait(); err == nil {
		t.Errorf("a run that lost its lock reports success")
	} else if !strings.Contains(said.String(), "another run has taken over the lock") {
		t.Errorf("the run that lost its lock: %v\n%s", err, said.String())
	}
	if diff := cmp.Diff(b.tree(t, "-1.zarr"), b.tree(t, "0.zarr")); diff != "" {
		t.Errorf("(-second run +found):\n%.2000s", diff)
	}
}

// TestStoppedNeighbour stops a run whose process others can see. Nobody takes its lock
// over, however long it is stopped.
func TestStoppedNeighbour(t *testing.T) {
	t.Parallel()
	d := newDuel(t, "overwrite", nil)
	const most = 20
	var target string
	var c *exec.Cmd
	for try := 1; c == nil; try++ {
		if try > most {
			t.Fatalf("%d runs ended before they could be stopped", most)
		}
		target = filepath.Join(d.dir, fmt.Sprintf("%d.zarr", try))
		c = d.stopAtLock(t, target)
	}
	<-time.After(2 * takeoverTTL())
	err := exec.CommandContext(t.Context(), d.program, d.arguments(2, target)...).Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); !ok || ended.ExitCode() != 5 {
		t.Errorf("a second run beside a stopped one: %v", err)
	}
	if err := errors.Join(c.Process.Signal(syscall.SIGCONT), c.Wait()); err != nil {
		t.Errorf("the stopped run: %v", err)
	}
}

// stopAtLock starts the second job and stops its process as soon as it holds the lock. It
// returns nil if the run gave the lock back before it was stopped, which happens on a busy
// machine.
func (d *duel) stopAtLock(t *testing.T, target string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), d.program, append(d.arguments(1, target), "--set", "run.workers.write=1")...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), target+".zmigrate", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close() //nolint:errcheck // only read
	// The marker of a lock stays when the lock is released.
	holds := func() bool {
		owner, _, err := journal.Holder(t.Context(), st)
		return err == nil && owner != nil
	}
	// state returns the state of the process as a letter: T is stopped, Z has ended
	// (proc(5)).
	state := func() string {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		_, after, _ := strings.Cut(string(stat), ") ")
		return after[:1]
	}
	wait := func(what string, done func() bool) {
		for deadline := time.Now().Add(time.Minute); !done() && state() != "Z"; {
			if time.Now().After(deadline) {
				t.Fatal("not within a minute: " + what)
			}
			<-time.After(time.Millisecond)
		}
	}
	wait("a lock", holds)
	if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	wait("a stopped process", func() bool { return state() == "T" })
	if state() == "T" && holds() {
		return c
	}
	if err := errors.Join(c.Process.Signal(syscall.SIGCONT), c.Wait()); err != nil {
		t.Fatalf("the run that was not stopped in time: %v", err)
	}
	return nil
}

// forget deletes all objects below a URL.
func forget(t *testing.T, url string) {
	t.Helper()
	s, err := store.Open(t.Context(), url, store.Options{Limits: limits.New(0)})
	if err != nil {
		t.Error(err)
		return
	}
	var keys []string
	if err := s.List(t.Context(), "", func(o store.Info) error { keys = append(keys, o.Key); return nil }); err != nil {
		t.Error(err)
	}
	for _, key := range keys {
		if err := s.Delete(t.Context(), key); err != nil {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestCloudTakeover is TestTakeover at the servers of all providers.
func TestCloudTakeover(t *testing.T) {
	needNamespaces(t)
	for _, scheme := range providers {
		for kind := range existing {
			t.Run(scheme+"/"+kind, func(t *testing.T) {
				at := cloud(t, scheme)
				d := newDuel(t, kind, func(try int) string { return at(fmt.Sprintf("%d.zarr", try)) })
				d.forget = func(try int) {
					forget(t, d.place(try))
					forget(t, at(fmt.Sprintf("%d.zarr.zmigrate", try)))
				}
				d.fights(t, takeovers(1), func(try int) map[string]string { return objects(t, d.place(try)) })
			})
		}
	}
}
