package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/preview"
)

// total is what a plan costs as a whole, and what is there already.
type total struct {
	preview.Figures
	// Process is about the memory of the program beside the chunk data.
	Process int64 `json:"other_memory"`
	// Free is the free space at a local target; nil: it is not known.
	Free *int64 `json:"free_bytes,omitempty"`
	Done *done  `json:"done,omitempty"` // nil: nothing is
	Cost *cost  `json:"cost,omitempty"`
}

// done is what earlier runs of the job have done, by the checkpoint.
type done struct {
	Chunks   int   `json:"chunks"`
	Of       int   `json:"of_chunks"`
	BytesOut int64 `json:"bytes_out"`
}

// pages is about the memory of the program itself.
const pages = 20 << 20

// totalOf adds up what a plan costs. findings are warnings about the sum.
func (a *app) totalOf(ctx context.Context, p *jobs.Plan, e estimates, prices []priceList) (t total, findings jobs.Problems) {
	t = total{Figures: preview.CostsOf(p).Total(), Process: pages + overhead + liveHeap()}
	if len(prices) > 0 {
		c := price(p.Job, t.Figures, prices)
		t.Cost = &c
	}
	s, err := jobs.ReadStatus(ctx, p.Job, a.env)
	switch {
	case err != nil: // the plan is right without it
		a.env.Log.WarnContext(ctx, "what earlier runs have done cannot be read", "error", err)
	case s.Done == 0 || s.Differences != nil || s.State == "complete" && p.Job.Target.Existing == "append":
		// The checkpoint is that of another plan, or of nothing.
	default:
		t.Done = &done{s.Done, s.Chunks, s.BytesOut}
	}
	if !store.Local(p.Job.Target.URL) {
		return t, nil
	}
	free, files, known := freeSpace(existingFolder(store.Resolved(p.Job.Target.URL)))
	if !known {
		return t, nil
	}
	t.Free = &free
	left, text, hint := t.BytesAtMost, "up to %s may still be written", "chunks that compress well take less: plan --sample tells; otherwise make room, or choose another place"
	if e != nil {
		_, left, _ = e.whole(p)
		text, hint = "by the samples about %s are still to be written", "make room, or choose another place"
	}
	if t.Done != nil {
		left -= t.Done.BytesOut
	}
	if left > free {
		w := p.Job.Problem("target.url", fmt.Sprintf(text+", and %s are free at the target", words.Size(left), words.Size(free)), hint)
		w.Warning, w.Code = true, "no-space"
		findings = append(findings, w)
	}
	objects := t.Objects
	if t.Done != nil {
		objects -= int64(t.Done.Chunks)
	}
	objects = min(objects, left) // if the samples say that hardly any chunk is stored
	if objects > files && p.Job.Target.References == "" {
		w := p.Job.Problem("target.url", fmt.Sprintf("up to %s may still be written, and the file system has room for %s", words.Count(int(objects), "object"), words.Count(int(files), "file")),
			"shards hold many chunks in one object, and larger chunks make fewer; otherwise choose another place")
		w.Warning, w.Code = true, "no-space"
		findings = append(findings, w)
	}
	return t, findings
}

// existingFolder returns the folder, or the nearest one above it that exists.
func existingFolder(name string) string {
	for {
		info, err := os.Stat(name)
		above := filepath.Dir(name)
		if err == nil && info.IsDir() || above == name {
			return name
		}
		name = above
	}
}

// printTotal prints the sum for people.
func (a *app) printTotal(t total) {
	written := "at most " + words.Size(t.BytesAtMost)
	if t.Unbounded > 0 {
		written += fmt.Sprintf(", and %s without a bound", words.Count(t.Unbounded, "array"))
	}
	if t.Free != nil {
		written += fmt.Sprintf("; %s free at the target", words.Size(*t.Free))
	}
	read := words.Size(t.BytesRead) + " of elements"
	if t.ReadAmplification > 1 {
		read += fmt.Sprintf(", %.2f times on average", t.ReadAmplification)
	}
	rows := [][]string{
		{"read", read},
		{"written", written},
		{"memory", fmt.Sprintf("at most %s of chunk data, about %s for all else", words.Size(t.Memory), words.Size(t.Process))},
	}
	var sent []string
	for _, side := range []struct {
		name string
		n    preview.RequestKinds
	}{{"source", t.Source}, {"target", t.Target}} {
		if text := requestsText(side.n); text != "" {
			sent = append(sent, side.name+": "+text)
		}
	}
	if sent != nil {
		rows = append(rows, []string{"requests", "about " + strings.Join(sent, "; ")})
	}
	if d := t.Done; d != nil {
		rows = append(rows, []string{"done", fmt.Sprintf("%d of %s by earlier runs, %s stored", d.Chunks, words.Count(d.Of, "chunk"), words.Size(d.BytesOut))})
	}
	if t.Cost != nil {
		rows = append(rows, []string{"cost", t.Cost.text()})
	}
	a.table(rows)
}

// requestsText spells numbers of requests, "" for none.
func requestsText(n preview.RequestKinds) string {
	var parts []string
	for _, kind := range []struct {
		n    int64
		name string
	}{{n.Get, "get"}, {n.Head, "head"}, {n.List, "list"}, {n.Put, "put"}} {
		if kind.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", kind.n, kind.name))
		}
	}
	return strings.Join(parts, ", ")
}
