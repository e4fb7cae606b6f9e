//go:build linux && (amd64 || arm64)

package store

import (
	"os"
	"syscall"
)

// startWriteback makes the system begin to write n bytes of a file from off on to
// the disk, and does not wait for that: a flush that comes later has less to do.
// It promises nothing, and so what goes wrong with it is for the flush to report.
func startWriteback(f *os.File, off, n int64) {
	const write = 2 // SYNC_FILE_RANGE_WRITE
	_ = syscall.SyncFileRange(int(f.Fd()), off, n, write)
}
