package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
)

// live is what a run does at one moment.
type live struct {
	Job     string       `json:"job"`
	Run     string       `json:"run"`
	PID     int          `json:"pid"`
	Seconds float64      `json:"seconds"` // since the run began
	Chunks  int          `json:"chunks"`
	Done    int          `json:"done_chunks"`
	Used    int64        `json:"memory_reserved"`
	Budget  int64        `json:"memory_budget"`
	Workers []liveWorker `json:"workers"`
	// Objects are those that a verification reads, and Read those that it has read. Both are
	// 0 before a verification begins.
	Objects int `json:"objects,omitempty"`
	Read    int `json:"objects_read,omitempty"`
}

// liveWorker is what a worker does. Array is "" if the worker waits.
type liveWorker struct {
	Stage   string  `json:"stage"`
	Worker  int     `json:"worker"`
	Array   string  `json:"array,omitempty"`
	Chunk   []int   `json:"chunk,omitempty"` // the first one
	Chunks  int     `json:"chunks,omitempty"`
	Seconds float64 `json:"seconds,omitempty"` // since the worker began with these chunks
}

// now returns what the run does.
func (o *observation) now() *live {
	s := o.snapshot()
	l := &live{
		Job: o.job.Title(), Run: o.id, PID: os.Getpid(), Seconds: time.Since(o.began).Seconds(),
		Chunks: s.todo.Chunks, Done: s.todo.ChunksDone, Used: s.used, Budget: o.job.Run.Memory, Workers: []liveWorker{},
	}
	l.Objects, l.Read = s.verified.objects, s.verified.read
	for _, x := range o.monitor.Activities() {
		w := liveWorker{Stage: x.Stage, Worker: x.Worker, Array: x.Array, Chunk: x.Chunk, Chunks: x.Chunks}
		if x.Chunks > 0 {
			w.Seconds = time.Since(x.Since).Seconds()
		}
		l.Workers = append(l.Workers, w)
	}
	return l
}

// text returns what the run does, for people.
func (l *live) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: run %s, process %d, for %.1f s: %d of %d chunks done, %s of %s of memory reserved\n",
		l.Job, l.Run, l.PID, l.Seconds, l.Done, l.Chunks, words.Size(l.Used), words.Size(l.Budget))
	if l.Objects > 0 {
		fmt.Fprintf(&b, "  the verification has read %d of %d objects\n", l.Read, l.Objects)
	} else if len(l.Workers) == 0 {
		b.WriteString("  no worker has begun: the run makes a plan, completes the target or verifies it\n")
	}
	for _, w := range l.Workers {
		fmt.Fprintf(&b, "  %-6s %2d  ", w.Stage, w.Worker)
		switch {
		case w.Chunks == 0:
			b.WriteString("waits\n")
		case w.Chunks > 1:
			fmt.Fprintf(&b, "%q, chunk %v and %d more, for %.1f s\n", w.Array, w.Chunk, w.Chunks-1, w.Seconds)
		default:
			fmt.Fprintf(&b, "%q, chunk %v, for %.1f s\n", w.Array, w.Chunk, w.Seconds)
		}
	}
	return b.String()
}

// answer prints on standard error what the run does, each time that another process asks by
// a signal. It returns when asked is closed.
func (a *app) answer(asked <-chan os.Signal) {
	for range asked {
		text := "zmigrate: no run is under way\n"
		if o := a.seen.Load(); o != nil {
			text = o.now().text()
		}
		_, _ = io.WriteString(a.err, "\n"+text)
	}
}

// serve makes a socket on this machine and tells every process that connects what the run
// does, until done is called. address is the address of the socket.
func (o *observation) serve(ctx context.Context) (address string, done func(), err error) {
	place, _, _ := strings.Cut(os.Getenv("RUNTIME_DIRECTORY"), ":") // of a systemd service
	place = cmp.Or(place, os.Getenv("XDG_RUNTIME_DIR"))
	if info, err := os.Stat(place); err != nil || !info.IsDir() {
		place = os.TempDir()
	}
	if address, err = filepath.Abs(filepath.Join(place, "zmigrate-"+o.id+".sock")); err != nil {
		return "", nil, err
	}
	removeDeadSockets(ctx, filepath.Dir(address))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", address)
	if err != nil {
		return "", nil, err
	}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // it is closed
			}
			_ = conn.SetDeadline(time.Now().Add(liveTime))
			_ = json.NewEncoder(conn).Encode(o.now())
			_ = conn.Close()
		}
	})
	return address, func() {
		_ = listener.Close() // removes the socket, too
		served.Wait()
	}, nil
}

// removeDeadSockets removes the sockets of processes that were killed. A socket to which nobody listens
// may be one of a process that is about to listen, so it stays for a minute.
func removeDeadSockets(ctx context.Context, folder string) {
	names, _ := filepath.Glob(filepath.Join(folder, "zmigrate-*.sock"))
	for _, name := range names {
		info, err := os.Lstat(name)
		if err != nil || info.Mode().Type() != fs.ModeSocket || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		conn, err := (&net.Dialer{Timeout: liveTime}).DialContext(ctx, "unix", name)
		if err == nil {
			_ = conn.Close()
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(name)
		}
	}
}

// liveTime bounds the time of an answer.
const liveTime = 5 * time.Second

// askLive asks the run that holds the lock of a job what it does.
func askLive(ctx context.Context, s *jobs.Status) (*live, error) {
	if s.State != "running" {
		return nil, fmt.Errorf("no run is under way, the job is %s", cmp.Or(map[string]string{"none": "not begun"}[s.State], s.State))
	}
	owner := s.Owner
	if host, err := os.Hostname(); err != nil || host != owner.Host {
		return nil, fmt.Errorf("the run is on the machine %s: ask there", owner.Host)
	}
	if owner.Live == "" {
		return nil, fmt.Errorf("the process %d cannot be asked: its zmigrate is of an earlier version, or it could not make a socket; SIGUSR1 makes a process of this version print what it does", owner.PID)
	}
	ctx, cancel := context.WithTimeout(ctx, liveTime)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", owner.Live)
	if err != nil {
		return nil, fmt.Errorf("the process %d does not answer: run status --live as the same user and in the same container: %w", owner.PID, err)
	}
	end, _ := ctx.Deadline()
	l := &live{}
	err = errors.Join(conn.SetDeadline(end), json.NewDecoder(io.LimitReader(conn, 1<<24)).Decode(l), conn.Close())
	if err != nil {
		return nil, fmt.Errorf("the process %d has not answered: %w", owner.PID, err)
	}
	return l, nil
}
