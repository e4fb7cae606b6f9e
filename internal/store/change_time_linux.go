package store

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime is when a file was last changed in any way, which no program can set.
func changeTime(st fs.FileInfo) time.Time {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return time.Unix(sys.Ctim.Unix())
	}
	return time.Time{}
}
