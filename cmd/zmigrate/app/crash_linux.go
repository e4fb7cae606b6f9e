package app

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"syscall"
)

// withoutCore makes the process leave no core file.
func withoutCore() {
	var core syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CORE, &core) == nil {
		core.Cur = 0
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &core) // a core does no harm
	}
}

// addressSpace returns how many bytes of address space the process may still take. ok is
// false if there is no limit.
func addressSpace() (room int64, ok bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur > math.MaxInt64 {
		return 0, false
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	pages, _, _ := bytes.Cut(text, []byte(" "))
	taken, err := strconv.ParseInt(string(pages), 10, 64)
	if err != nil {
		return 0, false
	}
	return int64(limit.Cur) - taken*int64(os.Getpagesize()), true
}
