//go:build unix

package e2e

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// peakMemory returns the most memory that a process had, in bytes, as Linux counts it.
func peakMemory(p *os.ProcessState) int64 { return int64(p.SysUsage().(*syscall.Rusage).Maxrss) << 10 }

// processorTime returns the processor time that this process has taken.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
