//go:build linux && (amd64 || arm64)

package local

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// startWriteback makes the system begin to write n bytes of a file, from off on, to
// the disk. It does not wait: a later flush has less to do. Errors are ignored, because
// the flush reports them.
func startWriteback(f *os.File, off, n int64) {
	const write = 2 // SYNC_FILE_RANGE_WRITE
	_ = syscall.SyncFileRange(int(f.Fd()), off, n, write)
}

// flushAll flushes the whole file system that a file is in. Old systems do not report
// errors of that call. So the caller also flushes each file, which then takes next to no
// time.
func flushAll(f *os.File) { _ = unix.Syncfs(int(f.Fd())) }
