package stages

import (
	"context"
	"time"

	"github.com/zmigrate/zmigrate/sinks"
)

// batch is the number of receipts after which a commit begins, even before its time.
const batch = 4096

// collect gathers receipts and commits them, one batch at a time. It receives receipts
// also during a commit. It ends when all writers have ended.
func (p *pipeline) collect(ctx context.Context) error {
	every := p.Every
	if every <= 0 {
		every = 5 * time.Second
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	var waiting []sinks.Receipt
	var result error
	var running chan error // of the commit under way; nil: none
	due := false
	commit := func() {
		receipts := waiting
		waiting, due = nil, false
		running = make(chan error, 1)
		go func(done chan<- error) {
			defer p.Monitor.worked("commit", time.Now())
			done <- p.Commit(ctx, receipts)
		}(running)
	}
	ended := func(err error) {
		running = nil
		if err != nil && result == nil {
			result = err
			p.failed.Store(true)
		}
	}
	for {
		if running == nil && result == nil && len(waiting) > 0 && (due || len(waiting) >= batch) {
			commit()
		}
		select {
		case r, ok := <-p.receipts:
			if ok {
				waiting = append(waiting, r)
				continue
			}
			if running != nil {
				ended(<-running)
			}
			if result == nil && len(waiting) > 0 {
				commit()
				ended(<-running)
			}
			return result
		case <-tick.C:
			due = true
		case err := <-running:
			ended(err)
		}
	}
}
