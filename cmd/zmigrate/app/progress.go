package app

import (
	"fmt"
	"os"
	"sync"
	"time"
	"unicode/utf8"

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
	array    func(i int) string   // name of an array of the plan
	columns  int                  // width of the terminal; 0: not known

	mu    sync.Mutex
	done  jobs.Progress
	began time.Time
	first int64 // bytes that earlier runs had migrated
	last  time.Time
}

// plainEvery is the time between two plain lines.
const plainEvery = 5 * time.Second

func (a *app) newProgress(name string, requests func() jobs.Requests, array func(i int) string) *progress {
	how := a.progress
	if how == "auto" {
		how = "plain"
		if f, ok := a.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			how = "bar"
		}
	}
	return &progress{app: a, name: name, how: how, requests: requests, array: array, columns: columns(a.err)}
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
		// The rate of the library counts what earlier runs did, too, so the text beside the bar has
		// its own.
		p.bar = progressbar.NewOptions64(todo.Bytes,
			progressbar.OptionSetDescription(p.text("", 0)),
			progressbar.OptionSetWriter(p.app.err),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSetWidth(10),
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
		p.bar.Describe(p.text(p.array(e.Array), time.Since(p.began)))
		_ = p.bar.Add64(e.Read)
	}
	if time.Since(p.last) < plainEvery {
		return
	}
	p.last = time.Now()
	speed, left := p.rate(time.Since(p.began))
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

// rate returns the bytes a second of this run, after it has worked for some time, and how long the
// rest takes at this rate.
func (p *progress) rate(after time.Duration) (speed float64, left time.Duration) {
	speed = float64(p.done.BytesDone-p.first) / max(after.Seconds(), 1e-9)
	return speed, time.Duration(float64(p.done.Bytes-p.done.BytesDone) / max(speed, 1) * float64(time.Second)).Round(time.Second)
}

// mostText is the length of the text beside a bar, with which a line has at most 80 columns.
const mostText = 61

// aroundText is what stands behind the text on a terminal of less than 80 columns, on which the
// library makes the bar shorter: percents, both ends of the bar, and a blank.
const aroundText = 11

// text says beside a bar what is done: the array of the last object, bytes, objects, the rate of
// this run, and the time that is left. What does not fit is left out: the array first, then the
// rate, the objects, the time and the bytes.
func (p *progress) text(array string, after time.Duration) string {
	most := mostText
	if p.columns > 0 {
		most = min(most, p.columns-aroundText)
	}
	bytes := fmt.Sprintf("%s of %s", words.Size(p.done.BytesDone), words.Size(p.done.Bytes))
	objects := fmt.Sprintf(", %d of %d objects", p.done.ChunksDone, p.done.Chunks)
	rate, rest := "", ""
	if speed, left := p.rate(after); after > time.Second && speed > 0 {
		rate, rest = fmt.Sprintf(", %s/s", words.Size(int64(speed))), fmt.Sprintf(", %s left", left)
	}
	if array == "" {
		array = p.name
	}
	for _, text := range []string{array + ": " + bytes + objects + rate + rest, bytes + objects + rate + rest, bytes + objects + rest, bytes + rest, bytes} {
		if utf8.RuneCountInString(text) <= most {
			return text
		}
	}
	return ""
}

// end ends an unfinished bar, so that later output begins on a new line.
func (p *progress) end() {
	if p.bar != nil && !p.bar.IsFinished() {
		_ = p.bar.Exit()
		_, _ = fmt.Fprintln(p.app.err)
	}
}
