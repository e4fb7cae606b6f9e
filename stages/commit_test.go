package stages

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCommitsComeInBatches(t *testing.T) {
	x, _ := task(t, counted(3, 4096), 1, 1)
	var l ledger
	if err := Run(t.Context(), config(&l), List{x}); err != nil {
		t.Fatal(err)
	}
	if n := len(l.receipts); n != 3*4096 {
		t.Errorf("%d receipts, want %d", n, 3*4096)
	}
	last := len(l.sizes) - 1
	if slices.ContainsFunc(l.sizes[:last], func(n int) bool { return n < batch }) {
		t.Errorf("commits of %v receipts, want %d at least but for the last", l.sizes, batch)
	}
}

// TestCommitsComeInTime holds the last unit back until the others are committed, and
// holds that commit until the last unit is written. Neither stage waits for the other.
func TestCommitsComeInTime(t *testing.T) {
	noLeaks(t)
	s := counted(8, 8)
	x, w := task(t, s, 1, 8)
	committing, written := make(chan struct{}), make(chan struct{})
	wait := func(ctx context.Context, c <-chan struct{}) error {
		select {
		case <-c:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s.before = func(ctx context.Context, start []int) error {
		if start[0] == 7 {
			return wait(ctx, committing)
		}
		return nil
	}
	w.after = func(index []int) {
		if index[0] == 7 {
			close(written)
		}
	}
	l := ledger{during: func(n int) error {
		if n > 0 {
			return nil
		}
		close(committing)
		return wait(ctx, written)
	}}
	c := config(&l)
	c.Every = time.Millisecond
	if err := Run(ctx, c, List{x}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 5, 6, 7}, l.units(0)); diff != "" {
		t.Errorf("committed (-want +got):\n%s", diff)
	}
}

func TestCommitsNeverOverlap(t *testing.T) {
	s := counted(32, 1024)
	x, w := task(t, s, 1, 4)
	var l ledger
	l.during = func(int) error { // lasts as long as some hundred writes
		w.mu.Lock()
		defer w.mu.Unlock()
		return nil
	}
	c := config(&l)
	c.Every = time.Microsecond
	c.Write = 8
	if err := Run(t.Context(), c, List{x}); err != nil {
		t.Fatal(err)
	}
	if l.overlap {
		t.Error("two commits at the same time")
	}
	if len(l.receipts) != x.Grid.Len() {
		t.Errorf("%d receipts, want %d", len(l.receipts), x.Grid.Len())
	}
}

// TestFailedCommitStopsWriting: units that can no longer be recorded are not written.
func TestFailedCommitStopsWriting(t *testing.T) {
	noLeaks(t)
	x, w := task(t, counted(8, 8192), 1, 1)
	var written atomic.Int64
	w.after = func([]int) { written.Add(1) }
	failed := errors.New("failed")
	l := ledger{during: func(int) error { return failed }}
	c := config(&l)
	c.Every = time.Microsecond
	if err := Run(t.Context(), c, List{x}); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if n, all := int(written.Load()), x.Grid.Len(); n > all/2 {
		t.Errorf("%d of %d units were written", n, all)
	}
}
