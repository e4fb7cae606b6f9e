package journal

import "time"

// processStart is when this process began, by the wall clock and by a monotonic one.
var processStart = time.Now()

// sinceStart is the time since this process began: by the monotonic clock, which may
// stand still while the machine sleeps, or by the wall clock, which somebody may set,
// whichever has gone further. An owner that counts too much time proves itself once
// too often; one that counted too little could write after another has taken over.
func sinceStart() time.Duration {
	now := time.Now()
	return max(now.Sub(processStart), now.Round(0).Sub(processStart.Round(0)))
}
