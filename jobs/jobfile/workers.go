package jobfile

import (
	"slices"

	"github.com/zmigrate/zmigrate/internal/store"
)

// unnamed stands for the workers of a stage that a job does not name: enough to
// make up for the time that requests take, which behind a network is a multiple
// of what it is on a disk.
const unnamed = -1

// name gives the workers that a job does not name a number.
func (w *Workers) name(farSource, farTarget bool) {
	w.Read = either(w.Read, farSource, 8, 64)
	w.Write = either(w.Write, farTarget, 16, 64)
}

func either(n int, far bool, near, distant int) int {
	switch {
	case n != unnamed:
		return n
	case far:
		return distant
	default:
		return near
	}
}

// Far tells whether the target is behind a network.
func (t *Target) Far() bool { return store.Far(t.URL) }

// Far tells whether any part of the source is behind a network.
func (s *Source) Far() bool {
	far := func(l Location) bool { return store.Far(l.URL) }
	return slices.ContainsFunc(s.Locations, far) ||
		slices.ContainsFunc(s.Arrays, func(a RawArray) bool { return slices.ContainsFunc(a.Locations, far) })
}
