//go:build linux && (amd64 || arm64)

package store

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// startWriteback makes the system begin to write n bytes of a file from off on to
// the disk, and does not wait for that: a flush that comes later has less to do.
// It promises nothing, and so what goes wrong with it is for the flush to report.
func startWriteback(f *os.File, off, n int64) {
	const write = 2 // SYNC_FILE_RANGE_WRITE
	_ = syscall.SyncFileRange(int(f.Fd()), off, n, write)
}

// flushAll flushes the file system that a file is in, in one go. Old systems do
// not tell what goes wrong with that, so it promises nothing: a flush of each file
// that matters follows, which then has next to nothing left to do.
func flushAll(f *os.File) { _ = unix.Syncfs(int(f.Fd())) }
