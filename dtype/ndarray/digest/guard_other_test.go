//go:build !linux

package digest

import "testing"

// guarded returns memory of n bytes.
func guarded(_ *testing.T, n int) []byte { return make([]byte, n) }
