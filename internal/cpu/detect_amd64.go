//go:build !purego

package cpu

import "golang.org/x/sys/cpu"

const (
	baseline = "sse2"
	last     = AVX512
)

// cpuid returns what the instruction CPUID says about the processor. golang.org/x/sys/cpu tells
// neither whether it has LZCNT nor who made it.
func cpuid(leaf uint32) (a, b, c, d uint32)

// hasLZCNT tells whether the processor has LZCNT.
func hasLZCNT() bool {
	const leaf = 0x80000001
	if most, _, _, _ := cpuid(0x80000000); most < leaf {
		return false
	}
	_, _, c, _ := cpuid(leaf)
	return c>>5&1 != 0
}

// hasFastPEXT tells whether PEXT and PDEP take a few cycles.
func hasFastPEXT() bool {
	_, b, c, d := cpuid(0)
	signature, _, _, _ := cpuid(1)
	return fastPEXT([3]uint32{b, d, c}, signature)
}

// fastPEXT tells it for the name of a maker, four letters in a word, and the signature of a
// processor. AMD's processors before Zen 3, which is family 0x19, take hundreds of cycles. Hygon's
// are like Zen.
//
// Sources: AMD64 Architecture Programmer's Manual, volume 3, appendix E, functions 0 and 1; A. Fog,
// Instruction tables, PDEP and PEXT of Zen 2 and Zen 3.
func fastPEXT(maker [3]uint32, signature uint32) bool {
	family := signature >> 8 & 0xf
	if family == 0xf {
		family += signature >> 20 & 0xff
	}
	switch maker {
	case [3]uint32{0x68747541, 0x69746e65, 0x444d4163}: // AuthenticAMD
		return family >= 0x19
	case [3]uint32{0x6f677948, 0x6e65476e, 0x656e6975}: // HygonGenuine
		return false
	}
	return true
}

// highest returns the highest level that the processor and the system have.
func highest() Level {
	switch x := &cpu.X86; {
	case !x.HasAVX2 || !x.HasBMI1 || !x.HasBMI2 || !x.HasPCLMULQDQ || !x.HasPOPCNT || !hasLZCNT():
		return Baseline
	case !hasFastPEXT():
		return AVX2
	case !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512CD || !x.HasAVX512DQ || !x.HasAVX512GFNI || !x.HasAVX512VBMI ||
		!x.HasAVX512VBMI2 || !x.HasAVX512VL:
		return PEXT
	}
	return AVX512
}
