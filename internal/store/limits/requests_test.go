package limits

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// impatient returns the requests of a store, which records pauses instead of waiting.
func impatient(budget *Limits) (*Requests, *[]time.Duration) {
	pauses := new([]time.Duration)
	return &Requests{
		At: location.Location{Scheme: "mem", Host: "name"}, Limits: budget, Attempts: 4, Patience: time.Minute,
		Log: slog.New(slog.DiscardHandler),
		Sleep: func(_ context.Context, d time.Duration) error {
			*pauses = append(*pauses, d)
			return nil
		},
	}, pauses
}

// TestRetryAfter leaves a server alone for as long as it asks, with all stores.
func TestRetryAfter(t *testing.T) {
	now := time.Now()
	budget := New(0)
	budget.now = func() time.Time { return now }
	for _, c := range []struct {
		name string
		rest time.Duration
		want bool // the operation waits
	}{
		{"seconds", 7 * time.Second, true},
		{"hours", 7 * time.Hour, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			fault := error(&driver.StatusError{Code: http.StatusServiceUnavailable, Pause: c.rest})
			one, pauses := impatient(budget)
			other, others := impatient(budget)
			put := func(r *Requests) error {
				return r.Do(t.Context(), "put", "k", 0, func(context.Context) error {
					err := fault
					fault = nil
					return err
				})
			}
			err := put(one)
			if !c.want {
				if !Passing(err) || len(*pauses) > 0 {
					t.Errorf("error %v, pauses %v", err, *pauses)
				}
				return
			}
			if err != nil || len(*pauses) != 2 || (*pauses)[1] != c.rest {
				t.Errorf("pauses %v, error %v", *pauses, err)
			}
			if err := put(other); err != nil || len(*others) != 1 || (*others)[0] != c.rest {
				t.Errorf("another store: pauses %v, error %v", *others, err)
			}
			now = now.Add(c.rest)
			if err := put(other); err != nil || len(*others) != 1 {
				t.Errorf("later: pauses %v, error %v", *others, err)
			}
			if diff := cmp.Diff(Traffic{Requests: 4, Retries: 1, Throttled: 1}, budget.Traffic()); diff != "" {
				t.Errorf("traffic (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSleep ends with its time, or with its context.
func TestSleep(t *testing.T) {
	if err := Sleep(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// recalling is a Guard that takes some permissions back at once.
type recalling struct{ recalls int }

func (g *recalling) Enter(ctx context.Context) (context.Context, context.CancelFunc, error) {
	allowed, leave := context.WithCancel(ctx)
	if g.recalls > 0 {
		g.recalls--
		leave()
	}
	return allowed, leave, nil
}

func (*recalling) Check() error                { return nil }
func (*recalling) Prove(context.Context) error { return nil }

// TestRecalledPermissions: an attempt that ends because its permission was taken back does
// not count.
func TestRecalledPermissions(t *testing.T) {
	r, pauses := impatient(New(0))
	r.Attempts, r.Guard = 1, &recalling{recalls: 5}
	attempts := 0
	err := r.Do(t.Context(), "put", "k", 1, func(ctx context.Context) error {
		attempts++
		return ctx.Err()
	})
	if err != nil || attempts != 6 || len(*pauses) != 0 {
		t.Errorf("%d attempts with the pauses %v: %v", attempts, *pauses, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	err = r.Do(ended, "put", "k", 1, func(ctx context.Context) error {
		cancel()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that gives up: %v", err)
	}
}
