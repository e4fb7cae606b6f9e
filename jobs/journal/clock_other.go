//go:build !linux

package journal

import "time"

// uptime returns [sinceStart]: the system has no clock that counts suspension and cannot
// be set.
func uptime() time.Duration { return sinceStart() }
