//go:build !windows

package local

// patiently calls f. Systems other than Windows rename and remove files that are open.
func patiently(f func() error) error { return f() }
