package jobfile

import (
	"slices"

	"github.com/zmigrate/zmigrate/internal/store"
)

// unnamed marks a number of workers that the job does not name. The default makes up
// for the latency of requests, which is far higher over a network than on a disk.
const unnamed = -1

// setDefaults sets the numbers of workers that the job does not name.
func (w *Workers) setDefaults(farSource, farTarget bool) {
	w.Read = orDefault(w.Read, farSource, 8, 64)
	w.Write = orDefault(w.Write, farTarget, 16, 64)
}

func orDefault(n int, far bool, near, distant int) int {
	switch {
	case n != unnamed:
		return n
	case far:
		return distant
	default:
		return near
	}
}

// Far reports whether the target is behind a network.
func (t *Target) Far() bool { return store.Far(t.URL) }

// Far reports whether any part of the source is behind a network.
func (s *Source) Far() bool {
	return slices.ContainsFunc(s.AllLocations(), func(l Location) bool { return store.Far(l.URL) })
}
