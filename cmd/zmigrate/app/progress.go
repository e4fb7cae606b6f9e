package app

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/stages"
)

// progress shows how far a run is: a bar on a terminal, plain lines elsewhere,
// JSON lines on standard output with --json.
type progress struct {
	app      *app
	name     string
	how      string // "bar", "plain" or "none"
	bar      *progressbar.ProgressBar
	requests func() jobs.Requests // so far

	mu    sync.Mutex
	done  jobs.Progress
	began time.Time
	first int64 // bytes that earlier runs had migrated
	last  time.Time
}

// plainEvery is the time between two plain lines.
const plainEvery = 5 * time.Second

func (a *app) newProgress(name string, requests func() jobs.Requests) *progress {
	how := a.progress
	if how == "auto" {
		how = "plain"
		if f, ok := a.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			how = "bar"
		}
	}
	return &progress{app: a, name: name, how: how, requests: requests}
}

func (p *progress) begin(todo jobs.Progress) {
	p.done, p.began, p.first = todo, time.Now(), todo.BytesDone
	p.last = p.began
	if p.app.json {
		p.app.printJSON(map[string]any{
			"event": "begin", "job": p.name, "run": p.app.seen.Load().id, "chunks": todo.Chunks, "done_chunks": todo.ChunksDone,
			"bytes": todo.Bytes, "done_bytes": todo.BytesDone,
		})
	}
	if p.how == "bar" {
		p.bar = progressbar.NewOptions64(todo.Bytes,
			progressbar.OptionSetDescription(p.name),
			progressbar.OptionSetWriter(p.app.err),
			progressbar.OptionShowBytes(true),
			progressbar.OptionUseIECUnits(true),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionFullWidth(),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionOnCompletion(func() { _, _ = fmt.Fprintln(p.app.err) }),
		)
		_ = p.bar.Set64(todo.BytesDone)
	}
}

// observe counts a unit, or a piece of a unit. Several goroutines call it.
func (p *progress) observe(e stages.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !e.Partial {
		p.done.ChunksDone++
	}
	p.done.BytesDone += e.Read
	if p.bar != nil {
		_ = p.bar.Add64(e.Read)
	}
	if time.Since(p.last) < plainEvery {
		return
	}
	p.last = time.Now()
	speed := float64(p.done.BytesDone-p.first) / time.Since(p.began).Seconds()
	left := time.Duration(float64(p.done.Bytes-p.done.BytesDone) / max(speed, 1) * float64(time.Second)).Round(time.Second)
	switch {
	case p.app.json:
		p.app.printJSON(map[string]any{
			"event": "progress", "job": p.name, "run": p.app.seen.Load().id, "chunks": p.done.Chunks, "done_chunks": p.done.ChunksDone,
			"bytes": p.done.Bytes, "done_bytes": p.done.BytesDone, "bytes_per_second": int64(speed), "seconds_left": left.Seconds(),
			"requests": p.requests(),
		})
	case p.how == "plain":
		_, _ = fmt.Fprintf(p.app.err, "%s: %d of %d chunks, %s of %s, %s/s, %s left%s\n", p.name,
			p.done.ChunksDone, p.done.Chunks, words.Size(p.done.BytesDone), words.Size(p.done.Bytes), words.Size(int64(speed)), left, trouble(p.requests()))
	}
}

// end ends an unfinished bar, so that later output begins on a new line.
func (p *progress) end() {
	if p.bar != nil && !p.bar.IsFinished() {
		_ = p.bar.Exit()
		_, _ = fmt.Fprintln(p.app.err)
	}
}
