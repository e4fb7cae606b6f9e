//go:build !amd64 || purego

package shuffle

// The functions in Go do all the work.
const simd = false

func encode2(_, _ *byte, _, _ int)    {}
func decode2(_, _ *byte, _, _ int)    {}
func encode4(_, _ *byte, _, _ int)    {}
func decode4(_, _ *byte, _, _ int)    {}
func encode8(_, _ *byte, _, _, _ int) {}
func decode8(_, _ *byte, _, _, _ int) {}
func encodeBits(_, _ *byte, _, _ int) {}
func decodeBits(_, _ *byte, _, _ int) {}
