package blosc2

import "encoding/binary"

// maxRank is the most dimensions of an array.
const maxRank = 16

// array is the content of the metalayer of arrays.
type array struct{ shape, chunk, block []int }

// parseArray parses the metalayer, which is in msgpack: a list of the version, the number of
// dimensions, the shape (of 64-bit integers), the shapes of chunks and blocks (of 32-bit
// integers), and further members.
func parseArray(data []byte) (*array, error) {
	if len(data) < 3 || data[0]&0xf0 != 0x90 || data[0]&15 < 5 || data[2] > maxRank {
		return nil, corrupt("the metalayer of an array")
	}
	rank := int(data[2])
	data = data[3:]
	a := &array{}
	for _, list := range []struct {
		to    *[]int
		token byte
		width int
	}{{&a.shape, 0xd3, 8}, {&a.chunk, 0xd2, 4}, {&a.block, 0xd2, 4}} {
		if len(data) < 1+rank*(1+list.width) || data[0] != 0x90|byte(rank&15) {
			return nil, corrupt("the metalayer of an array ends early")
		}
		data = data[1:]
		for range rank {
			if data[0] != list.token {
				return nil, corrupt("the metalayer of an array")
			}
			n := int64(int32(binary.BigEndian.Uint32(data[1:])))
			if list.width == 8 {
				n = int64(binary.BigEndian.Uint64(data[1:]))
			}
			if n < 0 || n > 1<<40 {
				return nil, corrupt("an extent of %d", n)
			}
			*list.to = append(*list.to, int(n))
			data = data[1+list.width:]
		}
	}
	return a, nil
}

// elements returns the number of elements of a shape, or -1 if there are more than most.
func elements(shape []int, most int) int {
	n := 1
	for _, extent := range shape {
		if extent > 0 && n > most/extent {
			return -1
		}
		n *= extent
	}
	return n
}

// counts returns how many boxes of a shape fill up another shape, along each dimension.
func counts(whole, box []int) []int {
	list := make([]int, len(whole))
	for k := range whole {
		list[k] = (whole[k] + box[k] - 1) / box[k]
	}
	return list
}

// indices turns a number in C order into indices.
func indices(n int, shape []int) []int {
	list := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		list[k], n = n%shape[k], n/shape[k]
	}
	return list
}

// place copies a block to its place in the array dst, of elements of size bytes. begin has the
// indices of its first element in the array; limit is behind the last element of its chunk.
// The rest of the block fills it up.
func (a *array) place(dst, block []byte, begin, limit []int, size int) {
	rank := len(a.shape)
	if rank == 0 {
		copy(dst, block)
		return
	}
	n := make([]int, rank)
	for k := range n {
		if n[k] = min(a.block[k], min(limit[k], a.shape[k])-begin[k]); n[k] <= 0 {
			return
		}
	}
	rows := 1
	for _, extent := range n[:rank-1] {
		rows *= extent
	}
	for row := range rows {
		from, to := 0, 0
		for k, i := range indices(row, n[:rank-1]) {
			from, to = (from+i)*a.block[k+1], (to+begin[k]+i)*a.shape[k+1]
		}
		to += begin[rank-1]
		copy(dst[to*size:][:n[rank-1]*size], block[from*size:])
	}
}
