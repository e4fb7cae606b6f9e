//go:build unix

package limits

import "syscall"

// Descriptors returns how many files and connections this process may have open at the
// same time (ulimit -n).
func Descriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return manyFiles
	}
	return int(min(uint64(limit.Cur), manyFiles))
}
