package stages

import (
	"context"
	"errors"
	"time"
)

// errCommit stops the workers after a commit failed; Run reports the commit's
// own error.
var errCommit = errors.New("commit failed")

// batch is the number of receipts that is committed at the latest.
const batch = 4096

// collect gathers receipts and has them committed, one batch at a time, while
// it goes on to listen. It ends when the writers have.
func (p *pipeline) collect(ctx context.Context) error {
	every := p.Every
	if every <= 0 {
		every = 5 * time.Second
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	var waiting []Receipt
	var result error
	var running chan error // of the commit under way; nil: none
	due := false
	commit := func() {
		receipts := waiting
		waiting, due = nil, false
		running = make(chan error, 1)
		go func(done chan<- error) { done <- p.Commit(ctx, receipts) }(running)
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
