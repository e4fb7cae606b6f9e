// Package packing converts between floats of 32 bits and integers of 16 bits that stand for them,
// quickly: the integer is (float − offset) × scale, rounded half to even, and the float is integer ÷
// scale + offset. Each operation rounds to a float of 32 bits. The codecs scale_offset and cast_value
// of Zarr mean this arithmetic.
//
// On amd64 with AVX2, kernels do the work, sixteen elements at a time. Their idea: each lane does
// what the loop in Go does, in the same order, so that the results have the same bits. To pack, the
// kernel compares all lanes with the bounds first. If one of sixteen elements is out of bounds or
// NaN, it stops in front of them, and leaves them to the caller. To unpack, it computes all lanes,
// and then replaces those whose integer is the key.
package packing

// Packer has the terms for packing.
type Packer struct {
	Offset, Scale float32
	Low, High     float32 // floats between them, after scaling, are rounded to an integer of 16 bits
}

// Pack packs elements from the front of from into to, which is as long or longer. It returns how
// many it has packed: all in front of the first sixteen, counted in sixteens, of which one is
// not between Low and High after scaling, and in front of the last elements that are fewer than
// sixteen. Without kernels it packs none.
func Pack(to []int16, from []float32, p *Packer) int {
	n := len(from) &^ 15
	if n == 0 || !simd() {
		return 0
	}
	_ = to[n-1]
	return pack(&to[0], &from[0], n, p)
}

// Unpacker has the terms for unpacking.
type Unpacker struct {
	Offset, Scale float32
	Key           int32   // the integer that stands for Value; one that no int16 has: there is no such integer
	Value         float32 // with all of its bits, if it is NaN
}

// NoKey is a Key that no integer has.
const NoKey = 1 << 20

// Unpack unpacks elements from the front of from into to, which is as long or longer. It returns
// how many it has unpacked: all but the last elements that are fewer than sixteen. Without kernels
// it unpacks none.
func Unpack(to []float32, from []int16, u *Unpacker) int {
	n := len(from) &^ 15
	if n == 0 || !simd() {
		return 0
	}
	_ = to[n-1]
	unpack(&to[0], &from[0], n, u)
	return n
}
