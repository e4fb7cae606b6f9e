package journal

import "time"

// processStart is when this process began, by the wall clock and by the monotonic clock.
var processStart = time.Now()

// sinceStart returns the time since this process began, by the clock that has gone
// further. The monotonic clock may stand still while the machine is suspended. The wall
// clock may be set. An owner that counts too much time proves itself once too often,
// which does no harm. An owner that counts too little could write after another run has
// taken the lock over.
func sinceStart() time.Duration {
	now := time.Now()
	return max(now.Sub(processStart), now.Round(0).Sub(processStart.Round(0)))
}
