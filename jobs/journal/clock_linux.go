package journal

import (
	"time"

	"golang.org/x/sys/unix"
)

// uptime is the time since the machine was started, the time in which it was
// suspended included (CLOCK_BOOTTIME). Nobody can set it.
func uptime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return sinceStart()
	}
	return time.Duration(now.Nano())
}
