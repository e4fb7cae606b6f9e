package store

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// ErrChanged reports an object that has changed since it was opened.
var ErrChanged = errors.New("the file has changed since it was opened")

// Pin makes every later ReadRange of an object fail with an error that wraps
// ErrChanged if the answer is of another version than info, which Stat has returned.
// That costs no request. Local stores, and answers that tell no version, are trusted.
func (s *Store) Pin(info Info) {
	s.pinned.Store(info.Key, info)
	s.Expect(info.Key)
}

// Expect says that an object exists. If the server does not find the object, or finds
// another version than the pinned one, the request is retried before the answer is
// believed.
func (s *Store) Expect(key string) {
	if !s.Local() {
		s.seen.Store(key, true)
	}
}

// pin returns the Info with which an object was pinned; the zero value if it was not.
func (s *Store) pin(key string) Info {
	info, _ := s.pinned.Load(key)
	was, _ := info.(Info)
	return was
}

// checkVersion fails if an answer is of another version than i. An unknown version is "",
// an unknown time the zero time; neither is compared.
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

// checkSize fails if the whole object that a server sends, instead of a part, has another
// size than i. The size is negative if the server does not tell it.
func (i Info) checkSize(size int64) error {
	if i.Key == "" || size < 0 || size == i.Size {
		return nil
	}
	return &statusError{
		code: http.StatusOK,
		hint: fmt.Sprintf("%d bytes, but the object has %d; the answer may come from a proxy, or from the login page of a network", size, i.Size),
	}
}
