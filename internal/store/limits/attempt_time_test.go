package limits

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestInTime: an attempt that takes too long has an error of its own, whatever the client
// says, and one that ends in time has that of the client.
func TestInTime(t *testing.T) {
	other := errors.New("broken")
	waits := func(result error) func(context.Context) error {
		return func(ctx context.Context) error {
			<-ctx.Done()
			return result
		}
	}
	for name, c := range map[string]struct {
		patience time.Duration
		f        func(context.Context) error
		want     error
	}{
		"stalled":              {time.Millisecond, waits(other), errStalled},
		"done at the last":     {time.Millisecond, waits(nil), nil},
		"in time":              {time.Hour, func(context.Context) error { return nil }, nil},
		"broken while in time": {time.Hour, func(context.Context) error { return other }, other},
	} {
		if err := inTime(t.Context(), c.patience, 0, c.f); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// TestNoTurn: an operation that is given up while it waits for its turn does not begin.
func TestNoTurn(t *testing.T) {
	l := New(1e-9) // the second request would wait for years
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = l.request(t.Context(), nil)
	if err := l.request(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
