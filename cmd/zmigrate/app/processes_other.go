//go:build !unix

package app

import (
	"os"
	"os/exec"
)

// askSignals returns nothing, because this system has no signal for that.
func askSignals() []os.Signal { return nil }

// withChildren does nothing: only the command itself is ended.
func withChildren(*exec.Cmd) {}
