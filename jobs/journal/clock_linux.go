package journal

import (
	"time"

	"golang.org/x/sys/unix"
)

// uptime returns the time since the machine was started, suspension included
// (CLOCK_BOOTTIME). This clock cannot be set.
func uptime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return sinceStart()
	}
	return time.Duration(now.Nano())
}
