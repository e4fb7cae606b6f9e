//go:build !linux

package app

func withoutCore() {}

// addressSpace reports no limit: the limit is known only on Linux.
func addressSpace() (room int64, ok bool) { return 0, false }
