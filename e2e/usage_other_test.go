//go:build !unix

package e2e

import (
	"os"
	"testing"
	"time"
)

func peakMemory(*os.ProcessState) int64 { return 0 }

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	t.Skip("how much processor time a process takes is known only on Unix")
	return 0
}
