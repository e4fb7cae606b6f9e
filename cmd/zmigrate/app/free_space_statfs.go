//go:build linux || darwin

package app

import "syscall"

// freeSpace returns how many bytes this user may still write to the file system of a folder.
func freeSpace(folder string) (free int64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
