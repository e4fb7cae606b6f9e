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

// dropCached drops a file from the memory in which the system keeps what it has read or
// written, so that the next read comes from the disk. What is not flushed stays. Errors are
// ignored: some file systems have nothing but memory.
func dropCached(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }

// flushAll flushes the whole file system that a file is in. Old systems do not report
// errors of that call. So the caller also flushes each file, which then takes next to no
// time.
func flushAll(f *os.File) { _ = unix.Syncfs(int(f.Fd())) }
