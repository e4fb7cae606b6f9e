package store

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// ErrChanged is the cause of an error about an object that is no longer what it was
// when it was opened.
var ErrChanged = errors.New("the file has changed since it was opened")

// Pin has every later ReadRange of an object fail with an error that wraps
// ErrChanged where the answer says that it is of another version than Stat has told.
// That costs no request. Answers that say nothing of it, and local stores, are
// trusted.
func (s *Store) Pin(info Info) {
	s.pinned.Store(info.Key, info)
	s.Expect(info.Key)
}

// Expect says that an object is there: a server that does not find it, or finds another
// than is pinned, is asked again before it is believed.
func (s *Store) Expect(key string) {
	if !s.Local() {
		s.seen.Store(key, true)
	}
}

// pin is what an object is expected to be; its zero value may be anything.
func (s *Store) pin(key string) Info {
	info, _ := s.pinned.Load(key)
	was, _ := info.(Info)
	return was
}

// checkVersion fails where an answer tells of another object than this one. What either of
// them does not know is "" or the zero time.
func (i Info) checkVersion(version string, changed time.Time) error {
	switch {
	case i.Version != "" && version != "":
		if i.Version != version {
			return ErrChanged
		}
	case !i.ModTime.IsZero() && !changed.IsZero() && !i.ModTime.Equal(changed):
		return ErrChanged
	}
	return nil
}

// whole fails where what a server sends as the whole of this object, instead of a part,
// has another size, which is negative where it does not tell it.
func (i Info) checkSize(size int64) error {
	if i.Key == "" || size < 0 || size == i.Size {
		return nil
	}
	return &statusError{
		code: http.StatusOK,
		hint: fmt.Sprintf("%d bytes where the object has %d: what answered is a proxy perhaps, or the login page of a network", size, i.Size),
	}
}
