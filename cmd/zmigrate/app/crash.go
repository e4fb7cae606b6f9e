package app

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
)

// crashAsSignal makes the process end with SIGABRT, which a shell shows as 134, when the
// runtime of Go gives up: out of memory, or a panic that is not recovered. Otherwise the
// runtime would exit with 2, which means that the job is invalid. The process leaves no
// core unless GOTRACEBACK asks for one.
func crashAsSignal() {
	if os.Getenv("GOTRACEBACK") != "crash" {
		withoutCore()
	}
	debug.SetTraceback("crash")
}

const (
	// besideHeap is the address space that a run needs beside run.memory and overhead:
	// the heap grows in arenas of 64 MiB and has gaps, and each thread has a stack.
	besideHeap = 192 << 20
	// leastMemory is the least run.memory.
	leastMemory = 16 << 20
)

// withinAddressSpace makes the garbage collector work harder before a limit of the
// address space is reached.
func withinAddressSpace() {
	if room, ok := addressSpace(); ok {
		debug.SetMemoryLimit(max(room-besideHeap, leastMemory+overhead))
	}
}

// fit lowers a job's memory to the room in the address space of this process. It refuses
// the job if there is too little room for any run.
func (a *app) fit(j *jobs.Job) error {
	room, ok := addressSpace()
	if !ok {
		return nil
	}
	most := (room - overhead - besideHeap) >> 20 << 20
	switch {
	case j.Run.Memory <= most:
		return nil
	case most < leastMemory:
		return fmt.Errorf("the address space of this process is limited (ulimit -v), and %s of it are left: a run needs %s at least, with run.memory of %s; raise the limit",
			words.Size(max(room, 0)), words.Size(leastMemory+overhead+besideHeap), words.Size(leastMemory))
	}
	a.log.Warn("the run uses less memory than run.memory, because the address space is limited (ulimit -v)", "run.memory", words.Size(j.Run.Memory), "used", words.Size(most))
	j.Run.Memory = most
	return nil
}
