package store

// Pin remembers the version of an object. info is what Stat has returned. If the answer
// to a later ReadRange is of another version, ReadRange fails with an error that wraps
// ErrChanged. That costs no request. Local stores, and answers that tell no version, are
// trusted.
func (s *Store) Pin(info Info) {
	s.pinned.Store(info.Key, info)
	s.Expect(info.Key)
}

// Expect says that an object exists. If the server does not find the object, or finds
// another version than the pinned one, the request is retried before the answer is
// believed.
func (s *Store) Expect(key string) {
	if !s.Local() {
		s.requests.Seen.Store(key, true)
	}
}

// pin returns the Info with which an object was pinned; the zero value if it was not.
func (s *Store) pin(key string) Info {
	info, _ := s.pinned.Load(key)
	was, _ := info.(Info)
	return was
}
