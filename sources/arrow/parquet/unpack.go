package parquet

import "encoding/binary"

// mostKernelWidth is the width of the widest numbers that the kernel unpacks: a group of eight has
// sixteen bytes.
const mostKernelWidth = 16

// packedWidth tells the kernel where the eight numbers of a group are.
type packedWidth struct {
	bytes  [8][4]uint8 // of each number: the bytes of the group that it begins in; 0x80: none
	shifts [8]uint32   // of each number: how many bits are in front of it in the first of these bytes
	mask   uint32
	width  int
}

var packedWidths = newPackedWidths()

func newPackedWidths() (list [mostKernelWidth + 1]packedWidth) {
	for width := range list {
		w := &list[width]
		w.mask, w.width = 1<<width-1, width
		for i := range w.bytes {
			bit := i * width
			w.shifts[i] = uint32(bit % 8)
			for k := range w.bytes[i] {
				if w.bytes[i][k] = uint8(bit/8 + k); bit/8+k >= mostKernelWidth {
					w.bytes[i][k] = 0x80
				}
			}
		}
	}
	return list
}

// unpackGroups unpacks groups of eight numbers of width bits from the front of data to list, with the
// kernel. It returns how many numbers it has unpacked: none behind the last sixteen bytes of data.
func unpackGroups(list []uint32, data []byte, width int) int {
	if width < 1 || width > mostKernelWidth || len(data) < mostKernelWidth || !simd() {
		return 0
	}
	groups := min(len(list)/8, (len(data)-mostKernelWidth)/width+1)
	if groups > 0 {
		unpackKernel(&list[0], &data[0], groups, &packedWidths[width])
	}
	return 8 * groups
}

// unpackGroup unpacks a group at the beginning of data, which has eight further bytes.
// From each word of 64 bits it takes as many numbers as the word certainly holds.
func unpackGroup(list *[8]uint32, data []byte, width uint) {
	mask := uint64(1)<<width - 1
	switch {
	case width <= 8:
		x := binary.LittleEndian.Uint64(data)
		for i := range list {
			list[i] = uint32(x & mask)
			x >>= width
		}
	case width <= 16:
		x, y := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[width/2:])>>(width%2*4)
		for i := range 4 {
			list[i], list[i+4] = uint32(x&mask), uint32(y&mask)
			x >>= width
			y >>= width
		}
	default:
		for i := range list {
			bit := uint(i) * width
			list[i] = uint32(binary.LittleEndian.Uint64(data[bit/8:]) >> (bit % 8) & mask)
		}
	}
}
