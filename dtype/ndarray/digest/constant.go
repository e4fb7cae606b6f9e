package digest

import (
	"bytes"
	"crypto/sha256"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Constant returns the sum of a box of an array in which every element equals the only
// element of one. The time grows with the extents of the box, not with their product.
func Constant(one ndarray.Array, box ndarray.Region) Sum {
	element := bytes.Clone(one.Data[one.Offset : one.Offset+ndarray.ItemSize(one.Type)])
	if one.Heap != nil {
		for item := range one.Items() {
			hash := sha256.Sum256(item)
			element = hash[:8]
		}
	} else if t, ordered := one.Type.(dtype.Ordered); ordered && dtype.Native != dtype.Little {
		t.SwapInto(element, element)
	}
	start, shape := box.Start, box.Shape
	if len(shape) == 0 {
		start, shape = []int{0}, []int{1}
	}
	last := len(shape) - 1
	if shape[last] <= 0 {
		return 0
	}
	sum := constantRow(element, uint64(start[last]), uint64(shape[last]))
	for d := range last {
		keys := uint64(0)
		for i := range shape[d] {
			keys += indexKey(d, start[d]+i)
		}
		sum *= keys
	}
	return Sum(sum)
}

// constantRow returns the sum of n equal elements of a row, the first of which has the
// index start.
func constantRow(element []byte, start, n uint64) (sum uint64) {
	size := uint64(len(element))
	begin, end := start*size, (start+n)*size
	// Any part of a block is in pattern, from a byte of its first element on.
	pattern := bytes.Repeat(element, int((min(end-begin, blockBytes)+size-1)/size)+1)
	part := func(from, to uint64) uint64 {
		at := from % size
		return row(pattern[at:at+to-from], from)
	}
	first, behind := (begin+blockBytes-1)/blockBytes, end/blockBytes // whole blocks
	if first >= behind {
		if edge := first * blockBytes; edge < end && edge > begin {
			return part(begin, edge) + part(edge, end)
		}
		return part(begin, end)
	}
	sum = part(begin, first*blockBytes) + part(behind*blockBytes, end)
	period := size // the number of blocks after which their bytes are the same again
	for period%2 == 0 && size/period < blockBytes {
		period /= 2
	}
	inner := make([]uint64, min(period, behind-first)) // Σ w·A of the blocks
	for i := range inner {
		at := (first + uint64(i)) * blockBytes % size
		inner[i] = words(pattern[at:at+blockBytes], wordKeys[:blockWords])
	}
	for b := first; b < behind; b++ {
		sum += inner[(b-first)%period] * blockKey(b)
	}
	return sum
}
