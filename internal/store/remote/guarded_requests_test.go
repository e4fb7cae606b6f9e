package remote

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// cutting is a guard that is lost after so many checks.
type cutting struct {
	driver.Guard
	left int
}

var errTakeover = errors.New("another run has taken the lock over")

func (c *cutting) Check() error {
	if c.left--; c.left < 0 {
		return errTakeover
	}
	return nil
}

// TestGuardedBody reads a body that asks the guard before each piece.
func TestGuardedBody(t *testing.T) {
	g := &cutting{left: 2}
	r, err := http.NewRequestWithContext(driver.WithGuard(t.Context(), g), http.MethodPut, "http://x", strings.NewReader("four"))
	if err != nil {
		t.Fatal(err)
	}
	if r, err = guardedRequest(r); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for piece := make([]byte, 2); err == nil; {
		var n int
		n, err = r.Body.Read(piece)
		got.Write(piece[:n])
	}
	if got.String() != "fo" || !errors.Is(err, errTakeover) {
		t.Errorf("%q, %v", got.String(), err)
	}
}
