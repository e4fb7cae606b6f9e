//go:build (!amd64 && !arm64) || purego

package shuffle

// The functions in Go do all the work.
func simd() bool { return false }

// Kernels names the extensions of the processor that the kernels of this package use. It
// returns "" if functions in Go do all the work.
func Kernels() string { return "" }

func encode2(_, _ *byte, _, _ int)    {}
func decode2(_, _ *byte, _, _ int)    {}
func encode4(_, _ *byte, _, _ int)    {}
func decode4(_, _ *byte, _, _ int)    {}
func encode8(_, _ *byte, _, _, _ int) {}
func decode8(_, _ *byte, _, _, _ int) {}
func encodeBits(_, _ *byte, _, _ int) {}
func decodeBits(_, _ *byte, _, _ int) {}
