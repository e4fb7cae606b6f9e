//go:build !linux

package app

func withoutCore() {}

// addressSpace tells of no limit: only Linux is asked.
func addressSpace() (room int64, ok bool) { return 0, false }
