package app

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// liveHeap is what the last garbage collection found in use, in bytes.
func liveHeap() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return max(int64(live[0].Value.Uint64()), 1)
}

// boundGarbage bounds the garbage: the collector runs when there are most bytes of garbage,
// or as much garbage as live data if that is less. The collector itself knows only a
// percentage of the live data, so each collection sets the percentage for the next one.
// done ends that.
func boundGarbage(most int64) (done func()) {
	var mu sync.Mutex
	ended := false
	adjust := func() bool {
		mu.Lock()
		defer mu.Unlock()
		if !ended {
			debug.SetGCPercent(int(min(100, max(leastGarbage, 100*most/liveHeap()))))
		}
		return !ended
	}
	usual := debug.SetGCPercent(100)
	adjust()
	afterCollection(adjust)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		debug.SetGCPercent(usual)
	}
}

// leastGarbage is the percentage of garbage that is always allowed. With less, the
// collector of a very large plan would run all the time.
const leastGarbage = 15

// afterCollection calls f soon after each garbage collection, until f returns false.
func afterCollection(f func() bool) {
	type garbage struct{ _ *int } // a pointer, so that no other object shares its memory
	runtime.SetFinalizer(&garbage{}, func(*garbage) {
		if f() {
			afterCollection(f)
		}
	})
}
