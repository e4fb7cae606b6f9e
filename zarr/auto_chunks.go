package zarr

import (
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// autoBytes is the size, in bytes of elements, that AutoChunks stays within.
const autoBytes = 4 << 20

// AutoChunks chooses the chunk shape of an array whose elements have size
// bytes: between one and eight MiB where the array has that much. Beginning
// with the whole array, the longest side is halved until the chunk is small
// enough, so that chunks come out alike in all directions and of nearly equal
// size. Within shards, whose shape may be nil for none, they divide the shard.
func AutoChunks(shape, shards []int, size int) []int {
	if shards != nil {
		chunk := AutoChunks(shards, nil, size)
		for i, n := range shards {
			chunk[i] = DivisorNear(n, chunk[i])
		}
		return chunk
	}
	return AutoChunksWith(shape, make([]int, len(shape)), size)
}

// AutoChunksWith is AutoChunks for chunks of which some extents are given. The others are
// 0, and only these are chosen.
func AutoChunksWith(shape, given []int, size int) []int {
	chunk := make([]int, len(shape))
	for i, n := range shape {
		chunk[i] = max(n, 1)
		if given[i] > 0 {
			chunk[i] = given[i]
		}
	}
	for {
		if n, ok := ndarray.Elements(append([]int{size}, chunk...)); ok && n <= autoBytes {
			return chunk
		}
		longest := -1
		for i, n := range chunk {
			if given[i] == 0 && n > 1 && (longest < 0 || n > chunk[longest]) {
				longest = i
			}
		}
		if longest < 0 {
			return chunk
		}
		chunk[longest] = (chunk[longest] + 1) / 2
	}
}

// ItemBytes is the size of an element by which chunks are chosen. An element of
// variable size counts with what it takes in memory; average is how many bytes such
// elements have on average, 0 if the source does not tell.
func ItemBytes(t dtype.Type, average int) int {
	size := ndarray.ItemSize(t)
	if t.Size() == 0 {
		size += min(average, autoBytes)
	}
	return size
}

// DivisorNear returns the largest divisor of n that is at most wanted or, where
// that is less than half of it, the smallest one above.
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
