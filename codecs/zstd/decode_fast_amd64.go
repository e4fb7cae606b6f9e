//go:build !purego

package zstd

import "golang.org/x/sys/cpu"

// decodeFastKernel does what decodeFastPlain does, on processors with BMI2, all
// of which have SSSE3.
//
//go:noescape
func decodeFastKernel(d *sequenceDecoder)

func (d *sequenceDecoder) decodeFast() {
	if cpu.X86.HasBMI2 {
		decodeFastKernel(d)
	} else {
		d.decodeFastPlain()
	}
}

// repeat tells how to copy from an offset back that is shorter than what is
// copied.
type repeat struct {
	from     [16]uint8 // which of the bytes from there on each of the first sixteen is
	right    int       // how many bytes are right after these and the next sixteen as they are
	multiple int       // of the offset, that the bytes behind are from back
}

// repeats are those of offsets up to 31, and of larger ones.
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
