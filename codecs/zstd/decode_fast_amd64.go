//go:build !purego

package zstd

import "github.com/zmigrate/zmigrate/internal/cpu"

// decodeFastKernel does the same as decodeFastPlain, with BMI2 and SSSE3.
//
//go:noescape
func decodeFastKernel(d *sequenceDecoder)

func (d *sequenceDecoder) decodeFast() {
	if d.plain || cpu.Used() < cpu.AVX2 {
		d.decodeFastPlain()
	} else {
		decodeFastKernel(d)
	}
}

// repeat tells how to copy when the offset is shorter than the copy.
type repeat struct {
	from     [16]uint8 // source of each of the first sixteen bytes, counted from the offset
	right    int       // number of correct bytes, if the next sixteen bytes are copied unchanged
	multiple int       // multiple of the offset from which later bytes are copied
}

// repeats has an entry for each offset up to 31, and one for larger offsets.
var repeats = newRepeats()

func newRepeats() (list [33]repeat) {
	for offset := 1; offset < len(list); offset++ {
		r := &list[offset]
		for i := range r.from {
			r.from[i] = uint8(i % offset)
		}
		r.right, r.multiple = 16, (offset+15)/offset*offset
	}
	list[32].right = 32
	return list
}

// Kernels names the extensions of the processor that the kernels of this package use. It
// returns "" if functions in Go do all the work.
func Kernels() string {
	switch level := cpu.Used(); {
	case level >= cpu.AVX512:
		return "AVX-512"
	case level >= cpu.AVX2:
		return "AVX2"
	case level >= cpu.Baseline:
		return "SSE2"
	}
	return ""
}
