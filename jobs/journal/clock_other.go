//go:build !linux

package journal

import "time"

// uptime is [sinceStart] where the system has no clock that counts suspension and
// that nobody can set.
func uptime() time.Duration { return sinceStart() }
