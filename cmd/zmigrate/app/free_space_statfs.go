//go:build linux || darwin

package app

import (
	"math"
	"syscall"
)

// freeSpace returns how many bytes and how many files this user may still write to the file
// system of a folder. Some file systems have no bound of files.
func freeSpace(folder string) (free, files int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, 0, false
	}
	files = math.MaxInt64
	if s.Files > 0 {
		files = int64(min(s.Ffree, math.MaxInt64))
	}
	return int64(s.Bavail) * int64(s.Bsize), files, true
}
