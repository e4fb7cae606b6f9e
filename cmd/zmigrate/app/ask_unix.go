//go:build unix

package app

import (
	"os"
	"syscall"
)

// askSignals are the signals that ask a run what it does.
func askSignals() []os.Signal { return []os.Signal{syscall.SIGUSR1} }
