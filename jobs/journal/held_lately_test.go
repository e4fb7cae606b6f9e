package journal

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
)

// TestHeldLately lets another run take the lock over just after a look of its owner. In a remote store
// that look counts for a moment, but not longer than the permission to write. In a local store the
// owner always looks.
func TestHeldLately(t *testing.T) {
	for _, test := range []struct{ url, place string }{
		{"mem://lately", "remote"},
		{filepath.Join(t.TempDir(), "lately"), "local"},
	} {
		c := newClock()
		st := open(t, test.url, store.Options{})
		opt, _ := options(c, "a")
		l := acquire(t, st, opt)
		looked := func() bool {
			t.Helper()
			before := st.Stats().Requests
			if err := (Locks{l}).HeldLately(t.Context()); err != nil {
				t.Error(err)
			}
			return st.Stats().Requests > before
		}
		local := st.Local()
		if looked() != local {
			t.Errorf("%s: whether it looks directly after the lock was taken: %v", test.place, !local)
		}
		c.advance(freshTime(opt.TTL) - 1)
		if looked() != local {
			t.Errorf("%s: whether it looks when the look is still fresh: %v", test.place, !local)
		}
		c.advance(1)
		if !looked() {
			t.Errorf("%s: an old look counts", test.place)
		}
		if looked() != local {
			t.Errorf("%s: whether it looks after its own look: %v", test.place, !local)
		}
		must(t, st.Create(t.Context(), markerKey(l.number+1), []byte("{}")))
		c.advance(freshTime(opt.TTL))
		if err := l.HeldLately(t.Context()); !errors.Is(err, ErrLost) {
			t.Errorf("%s: %v", test.place, err)
		}
		l.looked = c.now()
		l.until = c.now()
		if err := l.HeldLately(t.Context()); !errors.Is(err, ErrLost) {
			t.Errorf("%s: a look counts after the permission to write has ended: %v", test.place, err)
		}
		must(t, l.Release(t.Context(), false))
	}
}
