package limits

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	// An attempt at a remote store may take AttemptTime, plus the time for its
	// bytes at slowestRate bytes a second.
	AttemptTime = time.Minute
	slowestRate = 128 << 10
)

// errStalled is the error of an attempt that takes longer.
var errStalled = fmt.Errorf("the server takes too long: %w", context.DeadlineExceeded)

// pace is the time that an attempt may take. Where the number of bytes is not known at
// the beginning, bytes that arrive extend the time.
type pace struct {
	timer *time.Timer
	until time.Time
}

// paceKey is the key of a context's *pace.
type paceKey struct{}

// inTime calls f with a context that ends when f has taken longer than patience and the
// time for size bytes.
func inTime(ctx context.Context, patience time.Duration, size int, f func(context.Context) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	allowed := patience + onTheWay(size)
	p := &pace{until: time.Now().Add(allowed)}
	p.timer = time.AfterFunc(allowed, func() { end(errStalled) })
	defer p.timer.Stop()
	err := f(context.WithValue(ctx, paceKey{}, p))
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		return errStalled // clients report it in different ways
	}
	return err
}

// onTheWay returns how long a number of bytes may take.
func onTheWay(size int) time.Duration {
	return time.Duration(size) * (time.Second / slowestRate)
}

// Earning returns a body whose bytes extend the time of ctx's attempt.
func Earning(ctx context.Context, body io.Reader) io.Reader {
	if p, ok := ctx.Value(paceKey{}).(*pace); ok {
		return earner{body, p}
	}
	return body
}

type earner struct {
	io.Reader
	pace *pace
}

func (e earner) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	e.pace.until = e.pace.until.Add(onTheWay(n))
	e.pace.timer.Reset(time.Until(e.pace.until))
	return n, err
}
