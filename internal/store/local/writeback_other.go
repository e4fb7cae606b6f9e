//go:build !linux || !(amd64 || arm64)

package local

import "os"

// startWriteback does nothing: the system has no call for it.
func startWriteback(*os.File, int64, int64) {}

// dropCached does nothing: the system has no call for it.
func dropCached(*os.File) {}

// flushAll does nothing: the system has no call for it.
func flushAll(*os.File) {}
