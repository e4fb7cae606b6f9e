package app

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/preview"
)

func sampleFlag() cli.Flag {
	return &cli.IntFlag{Name: "sample", Usage: "encode and decode `N` chunks of each array, and tell ratio, speed and errors"}
}

func sampleSize(c *cli.Context) (int, error) {
	n := c.Int("sample")
	if n < 0 || c.IsSet("sample") && n == 0 {
		return 0, invalid(errors.New("--sample: want the number of chunks of each array, at least 1"))
	}
	return n, nil
}

// estimates are those of the arrays of a plan; nil: no sample was taken.
type estimates []jobs.Estimate

// of returns the estimate of an array, or nil.
func (e estimates) of(i int) *jobs.Estimate {
	if e == nil {
		return nil
	}
	return &e[i]
}

// plannedJSON is an array of a plan as it is printed with --json.
type plannedJSON struct {
	preview.Description
	Figures preview.Figures     `json:"figures"`
	Sample  *jobs.Estimate      `json:"sample,omitempty"`
	Now     *preview.Difference `json:"now,omitempty"` // with --diff
}

// samples tries n chunks of each array; 0: none.
func samples(ctx context.Context, p *jobs.Plan, n int) (estimates, error) {
	if n == 0 || p.Nothing() {
		return nil, nil
	}
	list := make(estimates, len(p.Arrays))
	for i := range p.Arrays {
		var err error
		if list[i], err = jobs.Sample(ctx, p, &p.Arrays[i], n); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// estimateText tells what a sample says of an array.
func estimateText(e jobs.Estimate) string {
	if e.Of == 0 {
		return "the array has no chunks"
	}
	text := fmt.Sprintf("%d of %s", e.Chunks, words.Count(e.Of, "chunk"))
	switch {
	case e.Ratio == nil && e.Stored == 0:
		text += ": nothing is stored"
	case e.Ratio == nil:
		text += fmt.Sprintf(": %s stored", words.Size(e.Stored))
	default:
		text += fmt.Sprintf(": ratio %.4g", *e.Ratio)
		if e.Uncertainty != nil && *e.Uncertainty > 0 {
			text += fmt.Sprintf(" ± %.2g%%", 100**e.Uncertainty)
		}
		text += fmt.Sprintf(", %s stored", words.Size(e.Stored))
	}
	if e.Bytes/int64(e.Of)*int64(e.Chunks) < 256<<10 {
		return text // too little for a speed
	}
	for _, s := range []struct {
		what  string
		speed float64
	}{{"read", e.ReadSpeed}, {"encode", e.EncodeSpeed}, {"decode", e.DecodeSpeed}} {
		if s.speed > 0 {
			text += fmt.Sprintf(", %s %s/s", s.what, words.Size(int64(s.speed)))
		}
	}
	return text
}

// whole sums the estimates: what a run would read and store, and how long reading and
// encoding would take on this machine. Writing is not part of it.
func (e estimates) whole(p *jobs.Plan) (bytes, stored int64, took time.Duration) {
	var read, encode time.Duration
	for _, one := range e {
		bytes, stored = bytes+one.Bytes, stored+one.Stored
		read, encode = read+one.Read, encode+one.Encode
	}
	w := p.Job.Run.Workers
	processors := runtime.GOMAXPROCS(0)
	encoders := processors
	if w.Encode > 0 {
		encoders = min(encoders, w.Encode)
	}
	if p.Job.Source.Far() { // readers wait for answers, while encoders work
		return bytes, stored, max(read/time.Duration(max(w.Read, 1)), encode/time.Duration(encoders))
	}
	return bytes, stored, max((read+encode)/time.Duration(processors), encode/time.Duration(encoders), read/time.Duration(max(w.Read, 1)))
}

// printSamples prints what the samples say of all arrays together.
func (a *app) printSamples(p *jobs.Plan, e estimates) {
	if e == nil {
		return
	}
	bytes, stored, took := e.whole(p)
	text := fmt.Sprintf("by the samples: %s of elements become %s", words.Size(bytes), words.Size(stored))
	if stored > 0 {
		text += fmt.Sprintf(", a ratio of %.3g", float64(bytes)/float64(stored))
	}
	a.printf("%s; reading and encoding take about %s on this machine, and writing is not measured\n", text, took.Round(time.Millisecond))
}
