package limits

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// far is a place behind a network.
var far = location.Location{Scheme: "https", Host: "h", Path: "p"}

var errReset = error(syscall.ECONNRESET)

// TestDoGivesUp: an operation whose caller gives up makes no further attempt, wherever it
// waits.
func TestDoGivesUp(t *testing.T) {
	stop := errors.New("the caller gives up")
	for name, c := range map[string]struct {
		ended    bool // before the operation begins
		prepare  func(l *Limits)
		result   error // of an attempt
		attempts int
		want     error
	}{
		"before it begins":        {true, func(*Limits) {}, nil, 0, context.Canceled},
		"in the queue":            {true, func(l *Limits) { l.window, l.active = 1, 1 }, nil, 0, context.Canceled},
		"while the server rests":  {false, func(l *Limits) { l.rest = l.now().Add(time.Hour) }, nil, 0, stop},
		"between two attempts":    {false, func(*Limits) {}, errReset, 1, stop},
		"after an attempt failed": {false, func(*Limits) {}, errReset, 1, errReset},
	} {
		budget := New(0)
		c.prepare(budget)
		r, _ := impatient(budget)
		r.Sleep = func(context.Context, time.Duration) error { return stop }
		ctx, cancel := context.WithCancel(t.Context())
		if c.ended {
			cancel()
		}
		attempts := 0
		err := r.Do(ctx, "read", "k", 0, func(context.Context) error {
			attempts++
			if errors.Is(c.want, errReset) {
				cancel()
			}
			return c.result
		})
		cancel()
		var named *fs.PathError
		if attempts != c.attempts || !errors.Is(err, c.want) || !errors.As(err, &named) || Passing(err) {
			t.Errorf("%s: %d attempts, %v", name, attempts, err)
		}
	}
}

// TestCanceledByAnother: an attempt that ends because another request was canceled is repeated.
func TestCanceledByAnother(t *testing.T) {
	r, _ := impatient(New(0))
	attempts := 0
	err := r.Do(t.Context(), "stat", "k", 0, func(context.Context) error {
		if attempts++; attempts > 1 {
			return nil
		}
		return driver.ConnectionError{Cause: context.Canceled}
	})
	if attempts != 2 || err != nil {
		t.Errorf("%d attempts, %v", attempts, err)
	}
}

// TestLongestRest: a server is left alone for as long as is allowed, and not for longer.
func TestLongestRest(t *testing.T) {
	for rest, want := range map[time.Duration]int{longestRest: 2, longestRest + 1: 1} {
		r, _ := impatient(New(0))
		attempts := 0
		err := r.Do(t.Context(), "read", "k", 0, func(context.Context) error {
			if attempts++; attempts > 1 {
				return nil
			}
			return &driver.StatusError{Code: http.StatusTooManyRequests, Pause: rest}
		})
		if attempts != want || (err == nil) != (want > 1) || r.Limits.Traffic().Throttled != 1 {
			t.Errorf("a rest of %v: %d attempts, %v, %+v", rest, attempts, err, r.Limits.Traffic())
		}
	}
	l := New(0)
	now := time.Now()
	l.now = func() time.Time { return now }
	l.throttle(time.Minute)
	l.throttle(time.Second)
	if !l.rest.Equal(now.Add(time.Minute)) {
		t.Errorf("the server rests until %v, not %v", l.rest, now.Add(time.Minute))
	}
}

// TestAnswersCount: a server that refuses a request for good has answered. One that breaks
// the connection, or is too busy, has not.
func TestAnswersCount(t *testing.T) {
	for err, want := range map[error]int64{nil: 1, fs.ErrNotExist: 1, errReset: 0, &driver.StatusError{Code: http.StatusServiceUnavailable}: 0} {
		r, _ := impatient(New(0))
		r.Attempts = 1
		_ = r.Do(t.Context(), "read", "k", 0, func(context.Context) error { return err })
		if got := r.Limits.answers.Load(); got != want {
			t.Errorf("%v: %d answers", err, got)
		}
	}
}

// TestNoConnection: a server that never answers is tried for a certain time, or as often as
// the options say.
func TestNoConnection(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for _, retries := range []int{1, 100} {
		r, pauses := impatient(New(0))
		r.At, r.Attempts = far, 1+retries
		attempts := 0
		err := r.Do(t.Context(), "read", "k", 0, func(context.Context) error { attempts++; return refused })
		if Passing(err) || !strings.Contains(err.Error(), "has ever answered") || attempts != 1+len(*pauses) {
			t.Errorf("%d attempts: %v", attempts, err)
		}
		total := time.Duration(0)
		for _, p := range *pauses {
			total += p
		}
		if retries == 1 && attempts != 2 || retries == 100 && (total != longestConnect || (*pauses)[len(*pauses)-1] == 0) {
			t.Errorf("%d retries: %d attempts with the pauses %v", retries, attempts, *pauses)
		}
	}
	r, _ := impatient(New(0))
	r.At = far
	err := r.Do(t.Context(), "read", "k", 0, func(context.Context) error { return &net.OpError{Op: "read", Err: errReset} })
	if !Passing(err) {
		t.Errorf("a server that was reached: %v", err)
	}
}

// TestRetriesAreLogged: the log counts all attempts of an operation, whatever failed.
func TestRetriesAreLogged(t *testing.T) {
	var said bytes.Buffer
	r, _ := impatient(New(0))
	r.At, r.Log = far, slog.New(slog.NewTextHandler(&said, nil))
	attempts := 0
	err := r.Do(t.Context(), "read", "k", 0, func(context.Context) error {
		attempts++
		switch attempts {
		case 1:
			return errReset
		case 2:
			r.Limits.accept() // another operation succeeds
			return errReset
		case 3:
			return &driver.StatusError{Code: http.StatusPreconditionFailed}
		case 4:
			return errReset
		}
		return nil
	})
	if err != nil || attempts != 5 {
		t.Errorf("%d attempts, %v", attempts, err)
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("the log: %s", said.String())
	}
	for i, want := range []string{"attempt=1 ", "attempt=2 ", "attempt=3 ", "attempt=4 "} {
		if !strings.Contains(lines[i], want) || !strings.Contains(lines[i], "https://h/p/k") {
			t.Errorf("line %d of the log: %s", i, lines[i])
		}
	}
}

// TestDoubts: an answer that contradicts what is known is doubted, if it comes through a
// network.
func TestDoubts(t *testing.T) {
	missing := &driver.StatusError{Code: http.StatusNotFound}
	near := location.Location{Scheme: "mem", Host: "n"}
	for _, c := range []struct {
		at       location.Location
		op, key  string
		err      error
		attempts int
	}{
		{far, "read", "seen", fs.ErrNotExist, 3}, {far, "read", "k", fs.ErrNotExist, 1}, {near, "read", "seen", fs.ErrNotExist, 1},
		{location.Location{Path: "/x"}, "read", "seen", fs.ErrNotExist, 1}, {far, "delete", "seen", fs.ErrNotExist, 1},
		{far, "list", "k", missing, 3}, {far, "put", "k", missing, 3}, {far, "list", "k", &driver.StatusError{Code: http.StatusForbidden}, 1},
		{far, "put", "k", &driver.StatusError{Code: http.StatusNotFound, Name: driver.NoBucket}, 1}, {far, "put", "k", fs.ErrExist, 1},
	} {
		r, _ := impatient(New(0))
		r.At = c.at
		r.Seen.Store("seen", true)
		attempts := 0
		err := r.Do(t.Context(), c.op, c.key, 0, func(context.Context) error { attempts++; return c.err })
		if attempts != c.attempts || !errors.Is(err, c.err) || Passing(err) {
			t.Errorf("%s, %s %s: %d attempts, %v", c.at, c.op, c.key, attempts, err)
		}
	}
}

// TestPauses: a pause is shortened by up to a half.
func TestPauses(t *testing.T) {
	least, most := time.Hour, time.Duration(0)
	for range 1000 {
		var f failures
		p := f.next()
		least, most = min(least, p), max(most, p)
	}
	if least < firstPause/2 || least > firstPause*6/10 || most >= firstPause || most < firstPause*9/10 {
		t.Errorf("the first pause is between %v and %v", least, most)
	}
}

// TestOnlyNetworksStall: only an attempt at a place behind a network has a bounded time.
func TestOnlyNetworksStall(t *testing.T) {
	for place, want := range map[string]bool{"https": true, "mem": false, "": false} {
		r, _ := impatient(New(0))
		r.At = location.Location{Scheme: place, Host: "h", Path: "p"}
		err := r.Do(t.Context(), "read", "k", 0, func(ctx context.Context) error {
			if bounded := ctx.Value(paceKey{}) != nil; bounded != want {
				t.Errorf("%q: bounded: %t", place, bounded)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestEarning: bytes that arrive extend the time of an attempt.
func TestEarning(t *testing.T) {
	rung := make(chan struct{})
	began := time.Now().Add(-time.Hour)
	p := &pace{until: began, timer: time.AfterFunc(time.Hour, func() { close(rung) })}
	body := Earning(context.WithValue(t.Context(), paceKey{}, p), strings.NewReader("some text"))
	if n, err := body.Read(make([]byte, 4)); n != 4 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if want := began.Add(onTheWay(4)); !p.until.Equal(want) {
		t.Errorf("until %v, want %v", p.until, want)
	}
	<-rung // because that time is over
}

// TestWindow: a window grows only when it is full, and lets the next operation in.
func TestWindow(t *testing.T) {
	l := New(0)
	l.window, l.active = 2, 1
	l.accept()
	if l.window != 2 {
		t.Errorf("a window that is not full: %v", l.window)
	}
	l.window = 1
	turn := make(chan struct{})
	l.queue = append(l.queue, turn)
	l.accept()
	if l.window != 2 || l.active != 2 || len(l.queue) != 0 {
		t.Errorf("a window that was full: %v, %d operations and %d waiting", l.window, l.active, len(l.queue))
	}
}

// TestTraffic adds up counts.
func TestTraffic(t *testing.T) {
	if got := (Traffic{1, 2, 3}).Plus(Traffic{10, 20, 30}); got != (Traffic{11, 22, 33}) {
		t.Errorf("%+v", got)
	}
}

// TestBurst: the requests of a tenth of a second may come at once, and always one.
func TestBurst(t *testing.T) {
	for perSecond, want := range map[float64]int{0.5: 1, 1: 1, 19: 1, 20: 2, 100: 10, 1e9: 1e6} {
		if got := New(perSecond).rate.Burst(); got != want {
			t.Errorf("%v requests a second: %d at once", perSecond, got)
		}
	}
}
