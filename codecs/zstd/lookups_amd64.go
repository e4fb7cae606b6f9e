//go:build !purego

package zstd

import "github.com/zmigrate/zmigrate/internal/cpu"

// Kernels do the same as lookUpPlain, lookUpLongPlain and verifyPlain. Those that look up
// prefetch the earlier places, because loading these takes most of the time. All get a
// pointer to the content at the first position of the run.

// lookUpKernel256 does the same as lookUpPlain for at least eight positions, at steps of two or four bytes.
// It needs AVX2 and BMI2.
//
//go:noescape
func lookUpKernel256(hits *hit, table *uint32, at *byte, r *run) int

// lanes256 are the numbers of eight positions.
var lanes256 = [8]uint32{0, 1, 2, 3, 4, 5, 6, 7}

// gather256 lists, for each set of eight lanes, the lanes of the set in the order in which two interleaved
// registers have them: the first two of each half, then the last two.
var gather256 = func() (lists [256][8]uint8) {
	for set := range lists {
		k := 0
		for lane := range uint8(8) {
			if set>>lane&1 > 0 {
				lists[set][k&1|k&2<<1|k&4>>1] = lane
				k++
			}
		}
	}
	return lists
}()

// lookUpKernel512 does the same as lookUpPlain. It needs AVX-512.
//
//go:noescape
func lookUpKernel512(hits *hit, table *uint32, at *byte, r *run) int

//go:noescape
func lookUpLongKernel(hits *hit, count int, table *uint32, at *byte, r *run)

//go:noescape
func verifyKernel(hits *hit, count int, at *byte, r *run) int

// simd tells whether kernels that every amd64 processor can run may be used.
func simd() bool { return cpu.Used() >= cpu.Baseline }

func lookUp(hits *[runMost]hit, table []uint32, src []byte, r *run) int {
	switch {
	case cpu.Used() >= cpu.AVX512:
		return lookUpKernel512(&hits[0], &table[0], &src[r.at], r)
	case cpu.Used() >= cpu.AVX2 && r.count >= 8:
		return lookUpKernel256(&hits[0], &table[0], &src[r.at], r)
	}
	return lookUpPlain(hits, table, src, r)
}

func lookUpLong(hits []hit, table []uint32, src []byte, r *run) {
	switch {
	case len(hits) == 0:
	case !simd():
		lookUpLongPlain(hits, table, src, r)
	default:
		lookUpLongKernel(&hits[0], len(hits), &table[0], &src[r.at], r)
	}
}

func verify(hits []hit, src []byte, r *run) int {
	switch {
	case len(hits) == 0:
		return 0
	case !simd():
		return verifyPlain(hits, src, r)
	}
	return verifyKernel(&hits[0], len(hits), &src[r.at], r)
}
