package zarr

import (
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Sizes of chunks, in bytes of elements. AutoChunks stays within autoBytes. Chunks of a
// source are good as they are if they have from leastBytes to MostAutoBytes.
const (
	leastBytes    = 1 << 20
	autoBytes     = 4 << 20
	MostAutoBytes = 8 << 20
)

// AutoChunks chooses the chunk shape of an array whose elements have size bytes. A chunk
// has between 1 and 8 MiB, or less if the array has less. AutoChunks begins with the whole
// array and halves the longest side until the chunk is small enough. So chunks are about
// equally long in all directions, and of nearly equal size. If shards is not nil, it is
// the shape of shards, and the chunks divide it.
func AutoChunks(shape, shards []int, size int) []int {
	if shards != nil {
		chunk := AutoChunks(shards, nil, size)
		for i, n := range shards {
			chunk[i] = DivisorNear(n, chunk[i])
		}
		return chunk
	}
	return AutoChunksWith(shape, nil, nil, size)
}

// AutoChunksWith is AutoChunks under two conditions. given has the extents that are
// settled, and 0 for those to choose; nil settles none. units is the shape of the chunks
// in which the array is stored now; nil: there are none. The chosen extents are multiples
// of those of units. If units has between 1 and 8 MiB, it is the result. If it has more,
// it is divided.
func AutoChunksWith(shape, given, units []int, size int) []int {
	chunk, unit, free := make([]int, len(shape)), make([]int, len(shape)), make([]bool, len(shape))
	for i, n := range shape {
		chunk[i], unit[i], free[i] = max(n, 1), 1, given == nil || given[i] == 0
		if units != nil {
			unit[i] = max(min(units[i], chunk[i]), 1)
		}
		if !free[i] {
			chunk[i], unit[i] = given[i], given[i]
		}
	}
	if units != nil {
		switch n, ok := ndarray.Elements(append([]int{size}, unit...)); {
		case !ok || n > MostAutoBytes:
			copy(chunk, unit)
			for i := range unit {
				unit[i] = 1
			}
		case n >= leastBytes:
			return unit
		}
	}
	for {
		if n, ok := ndarray.Elements(append([]int{size}, chunk...)); ok && n <= autoBytes {
			return chunk
		}
		longest := -1
		for i, n := range chunk {
			if free[i] && n > unit[i] && (longest < 0 || n > chunk[longest]) {
				longest = i
			}
		}
		if longest < 0 {
			return chunk
		}
		u := unit[longest]
		n := (chunk[longest] + u - 1) / u
		chunk[longest] = (n + 1) / 2 * u
	}
}

// ItemBytes returns the size of an element, in bytes, by which chunks are chosen. An
// element of variable size counts with the bytes that it takes in memory. average is how
// many bytes such elements have on average; 0: the source does not tell.
func ItemBytes(t dtype.Type, average int) int {
	size := ndarray.ItemSize(t)
	if t.Size() == 0 {
		size += min(average, autoBytes)
	}
	return size
}

// DivisorNear returns the largest divisor of n that is at most wanted, which is from 1 to
// n. If that divisor is less than half of wanted, it returns the smallest divisor above
// wanted.
func DivisorNear(n, wanted int) int {
	below := wanted
	for n%below != 0 {
		below--
	}
	above := wanted
	for n%above != 0 {
		above++
	}
	if 2*below < wanted {
		return above
	}
	return below
}
