//go:build !linux

package app

func withoutCore() {}

// addressSpace is what only Linux is asked for.
func addressSpace() (room int64, ok bool) { return 0, false }
