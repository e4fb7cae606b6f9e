package journal

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// Owner describes the process that holds a lock.
type Owner struct {
	ID      string `json:"id"` // of the process: the same for all locks that one process takes
	Host    string `json:"host"`
	Command string `json:"command"`
	Run     string `json:"run,omitempty"`  // the run that the process does, see [NewRun]
	Live    string `json:"live,omitempty"` // address of a socket of the machine at which the process tells what it does
	PID     int    `json:"pid"`
	// Boot and PIDNamespace tell whether a PID means the same to two processes.
	// They are empty if the system does not know them.
	Boot         string    `json:"boot,omitempty"`
	PIDNamespace string    `json:"pid_namespace,omitempty"`
	Started      time.Time `json:"started"`
}

// NewRun returns an identifier of a run: twelve letters and digits, 60 random bits. So
// nobody has to hand out numbers, and logs of many machines can be searched for a run.
func NewRun() string { return strings.ToLower(rand.Text()[:12]) }

// ThisProcess describes the running process as an owner. If the system tells
// when a process began, all calls in one process return the same ID.
func ThisProcess(command string) Owner {
	o := Owner{Command: command, PID: os.Getpid()}
	o.Host, _ = os.Hostname() // only informative
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err == nil {
		o.Boot = strings.TrimSpace(string(boot))
	}
	if ns, err := os.Readlink("/proc/self/ns/pid"); err == nil {
		o.PIDNamespace = ns
	}
	if _, start := processState(o.PID); start != "" && o.sameMachine(o) {
		o.ID = fmt.Sprintf("%s/%s/%d/%s", o.Boot, o.PIDNamespace, o.PID, start)
	} else {
		o.ID = rand.Text()
	}
	return o
}

// processState returns the state of a process, a letter, and when it began, in clock
// ticks since the start of the machine (fields 3 and 22 of /proc/PID/stat); "" if
// unknown.
func processState(pid int) (state, start string) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", ""
	}
	// The second field is a name in brackets, which may hold blanks.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return "", ""
	}
	return string(fields[0]), string(fields[19])
}

// runText is the run of an owner for messages. Owners of earlier versions of this program
// name none.
func (o Owner) runText() string {
	if o.Run == "" {
		return ""
	}
	return "run " + o.Run + ", "
}

// sameMachine tells whether a PID means the same to both owners.
func (o Owner) sameMachine(other Owner) bool {
	return o.Boot != "" && o.PIDNamespace != "" &&
		o.Host == other.Host && o.Boot == other.Boot && o.PIDNamespace == other.PIDNamespace
}

// Gone tells whether the process self knows that the owner's process has ended. If the
// owner has self's PID and is not self, it has ended.
func (o Owner) Gone(self Owner) bool {
	if !o.sameMachine(self) || o.PID <= 0 {
		return false
	}
	if o.PID == self.PID {
		return o.ID != self.ID
	}
	p, err := os.FindProcess(o.PID)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	if errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH) {
		return true
	}
	// A zombie has ended. A process that began at another time is another process.
	state, start := processState(o.PID)
	return state == "Z" || state == "X" || start != "" && strings.Contains(o.ID, "/") && !strings.HasSuffix(o.ID, "/"+start)
}
