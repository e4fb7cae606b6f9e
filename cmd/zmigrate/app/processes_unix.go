//go:build unix

package app

import (
	"os"
	"os/exec"
	"syscall"
)

// askSignals are the signals that ask a run what it does.
func askSignals() []os.Signal { return []os.Signal{syscall.SIGUSR1} }

// withChildren makes a command that takes too long end with all processes that it has
// started. A Ctrl-C on the terminal does not reach these processes.
func withChildren(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
