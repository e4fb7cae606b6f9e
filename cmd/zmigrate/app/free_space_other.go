//go:build !linux && !darwin

package app

// freeSpace is not known on this system.
func freeSpace(string) (free, files int64, known bool) { return 0, 0, false }
