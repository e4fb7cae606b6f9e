//go:build !linux

package edge

import "testing"

// Memory returns n bytes.
func Memory(_ testing.TB, n int) []byte { return make([]byte, n) }
