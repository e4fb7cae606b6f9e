package ndarray

import (
	"unsafe"

	"github.com/zmigrate/zmigrate/dtype"
)

// A permuted copy moves planes: in a plane, rows lie close together in src and columns
// in dst. Planes are cut into tiles of tile × tile units. A tile is small enough that
// its cache lines on both sides stay in the cache, even when the distance between them
// is a power of two, which makes them compete for the same few places.
const tile = 8

// largestUnit is the longest run, in bytes, that is moved as a unit of a plane. A
// longer run is worth a call of its own.
const largestUnit = 32

// planeOf returns the loop over a plane of units of the given length.
func planeOf(length int) func(dst, src []byte, rows, columns axis) {
	switch length {
	case 1:
		return movePlane[[1]byte]
	case 2:
		return movePlane[[2]byte]
	case 4:
		return movePlane4
	case 8:
		return movePlane[[8]byte]
	case 16:
		return movePlane[[16]byte]
	case 32:
		return movePlane[[32]byte]
	default:
		return func(dst, src []byte, rows, columns axis) {
			for i := range rows.n {
				for j := range columns.n {
					copy(dst[i*rows.dst+j*columns.dst:][:length], src[i*rows.src+j*columns.src:])
				}
			}
		}
	}
}

// ends returns the memory of a plane of units of size bytes on both sides. It checks
// once that the last bytes are within the memory; strides are never negative.
func ends(dst, src []byte, rows, columns axis, size int) (to, from unsafe.Pointer) {
	_ = dst[(rows.n-1)*rows.dst+(columns.n-1)*columns.dst+size-1]
	_ = src[(rows.n-1)*rows.src+(columns.n-1)*columns.src+size-1]
	return unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
}

// movePlane moves units as values of type W, which is an array of bytes and so needs no
// alignment.
func movePlane[W any](dst, src []byte, rows, columns axis) {
	to, from := ends(dst, src, rows, columns, int(unsafe.Sizeof(*new(W))))
	for j := 0; j < columns.n; j += tile {
		wide := min(tile, columns.n-j)
		for i := range rows.n {
			d, s := i*rows.dst+j*columns.dst, i*rows.src+j*columns.src
			for range wide {
				*(*W)(unsafe.Add(to, d)) = *(*W)(unsafe.Add(from, s))
				d, s = d+columns.dst, s+columns.src
			}
		}
	}
}

// movePlane4 is movePlane for units of four bytes. Where neighbours touch on both
// sides, it transposes squares of two by two units within two words of eight bytes. On
// a little-endian machine the first unit is the low half of a word.
func movePlane4(dst, src []byte, rows, columns axis) {
	const size = 4
	if rows.src != size || columns.dst != size || dtype.Native != dtype.Little {
		movePlane[[size]byte](dst, src, rows, columns)
		return
	}
	to, from := ends(dst, src, rows, columns, size)
	evenRows, evenColumns := rows.n&^1, columns.n&^(tile-1)
	for j := 0; j < evenColumns; j += tile {
		for i := 0; i < evenRows; i += 2 {
			turn4(unsafe.Add(to, i*rows.dst+j*size), unsafe.Add(from, i*size+j*columns.src), rows.dst, columns.src)
		}
	}
	if evenColumns < columns.n {
		rest := columns
		rest.n -= evenColumns
		movePlane[[size]byte](dst[evenColumns*size:], src[evenColumns*columns.src:], rows, rest)
	}
	if evenRows < rows.n && evenColumns > 0 {
		last := axis{1, rows.dst, rows.src}
		columns.n = evenColumns
		movePlane[[size]byte](dst[evenRows*rows.dst:], src[evenRows*size:], last, columns)
	}
}

// turn4 moves two rows of tile units of four bytes each. row is the distance of the
// rows in dst, and column the distance of the columns in src.
func turn4(to, from unsafe.Pointer, row, column int) {
	const first = 0xffffffff
	below := unsafe.Add(to, row)
	a, b := *(*uint64)(from), *(*uint64)(unsafe.Add(from, column))
	c, d := *(*uint64)(unsafe.Add(from, 2*column)), *(*uint64)(unsafe.Add(from, 3*column))
	*(*uint64)(to), *(*uint64)(unsafe.Add(to, 8)) = a&first|b<<32, c&first|d<<32
	*(*uint64)(below), *(*uint64)(unsafe.Add(below, 8)) = a>>32|b&^first, c>>32|d&^first
	from = unsafe.Add(from, 4*column)
	a, b = *(*uint64)(from), *(*uint64)(unsafe.Add(from, column))
	c, d = *(*uint64)(unsafe.Add(from, 2*column)), *(*uint64)(unsafe.Add(from, 3*column))
	*(*uint64)(unsafe.Add(to, 16)), *(*uint64)(unsafe.Add(to, 24)) = a&first|b<<32, c&first|d<<32
	*(*uint64)(unsafe.Add(below, 16)), *(*uint64)(unsafe.Add(below, 24)) = a>>32|b&^first, c>>32|d&^first
}
