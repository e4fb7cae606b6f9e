package local

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime returns when a file was last changed in any way. No program can set that
// time.
func changeTime(st fs.FileInfo) time.Time {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return time.Unix(sys.Ctim.Unix())
	}
	return time.Time{}
}
