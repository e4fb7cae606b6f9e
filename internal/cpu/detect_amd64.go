//go:build !purego

package cpu

import "golang.org/x/sys/cpu"

const (
	baseline = "sse2"
	last     = AVX512
)

// hasLZCNT tells whether the processor has LZCNT, of which golang.org/x/sys/cpu knows nothing.
func hasLZCNT() bool

// highest returns the highest level that the processor and the system have.
func highest() Level {
	switch x := &cpu.X86; {
	case !x.HasAVX2 || !x.HasBMI1 || !x.HasBMI2 || !x.HasPCLMULQDQ || !x.HasPOPCNT || !hasLZCNT():
		return Baseline
	case !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512CD || !x.HasAVX512DQ || !x.HasAVX512GFNI || !x.HasAVX512VBMI ||
		!x.HasAVX512VBMI2 || !x.HasAVX512VL:
		return AVX2
	}
	return AVX512
}
