package remote

import (
	"io"
	"net/http"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// guardedRequest asks the guard, and returns the request to send: reading its body fails
// as soon as the guard no longer allows changes. So a process that was stopped in the
// middle of a body does not finish the request when it wakes.
func guardedRequest(r *http.Request) (*http.Request, error) {
	g := driver.GuardOf(r.Context())
	if g == nil || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return r, nil
	}
	if err := g.Check(); err != nil {
		return nil, err
	}
	if r.Body == nil || r.Body == http.NoBody {
		return r, nil
	}
	out := r.WithContext(r.Context()) // a copy: a request belongs to its caller
	out.Body = &guardedBody{r.Body, g}
	return out, nil
}

// guardedBody asks the guard before each piece of a body.
type guardedBody struct {
	io.ReadCloser
	guard driver.Guard
}

func (b *guardedBody) Read(p []byte) (int, error) {
	if err := b.guard.Check(); err != nil {
		return 0, err
	}
	return b.ReadCloser.Read(p)
}
