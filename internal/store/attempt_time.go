package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	// An attempt at a remote store may take attemptTime and the time for its
	// bytes at slowestRate bytes a second.
	attemptTime = time.Minute
	slowestRate = 128 << 10
)

// errStalled is why an attempt ends that takes longer.
var errStalled = fmt.Errorf("the server takes too long: %w", context.DeadlineExceeded)

// pace is the time that an attempt has. Where its bytes are not known from the
// beginning, they give it more as they come.
type pace struct {
	timer *time.Timer
	until time.Time
}

// paceKey is the key of a context's *pace.
type paceKey struct{}

// inTime calls f with a context that ends when an attempt on so many bytes has
// taken longer than patience and the time for these.
func inTime(ctx context.Context, patience time.Duration, size int, f func(context.Context) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	allowed := patience + onTheWay(size)
	p := &pace{until: time.Now().Add(allowed)}
	p.timer = time.AfterFunc(allowed, func() { end(errStalled) })
	defer p.timer.Stop()
	err := f(context.WithValue(ctx, paceKey{}, p))
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		return errStalled // clients have other words for it
	}
	return err
}

// onTheWay is how long so many bytes may take.
func onTheWay(size int) time.Duration {
	return time.Duration(size) * (time.Second / slowestRate)
}

// earning is the body of an answer whose bytes give the attempt of ctx more time.
func earning(ctx context.Context, body io.Reader) io.Reader {
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
