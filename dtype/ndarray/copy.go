package ndarray

import (
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
)

// Copy copies the elements of src to dst, which has the same shape and element size and
// does not overlap src. A run that is contiguous on both sides is moved at once. Where
// the two sides differ in the order of their dimensions, Copy goes in square blocks, so
// that it uses the whole of the cache lines that it touches on both sides.
func Copy(dst, src Array) {
	list, length := plan(dst, src)
	if dst.Heap != nil {
		copyItems(dst, src, 0, dst.Offset, src.Offset)
		return
	}
	c := copier{dst: dst.Data, src: src.Data, length: length}
	if length == 0 {
		return
	}
	if n := len(list); n > 0 && length <= largestUnit {
		c.plane = planeOf(length)
		list = pairFastest(list)
	}
	c.walk(list, dst.Offset, src.Offset)
}

// CopySwapped is Copy with the byte order of every element reversed. t is the type of
// both arrays.
func CopySwapped(dst, src Array, t dtype.Ordered) {
	list, length := plan(dst, src)
	if length == 0 {
		return
	}
	if len(list) > 0 && length <= largestUnit {
		// Two fast passes beat one that swaps a few bytes at a time.
		Copy(dst, src)
		Swap(dst, t)
		return
	}
	c := copier{dst: dst.Data, src: src.Data, length: length, swap: t}
	c.walk(list, dst.Offset, src.Offset)
}

// plan returns the dimensions that a copy has to walk, and the length in bytes of the
// runs within these dimensions, which have no gaps on either side. A run has at least
// one element; the length is 0 if there is nothing to copy.
func plan(dst, src Array) (list []axis, length int) {
	size := ItemSize(dst.Type)
	if !sameShape(dst, src) {
		panic(fmt.Sprintf("ndarray: copy of %v %s to %v %s", src.Shape, src.Type.Name(), dst.Shape, dst.Type.Name()))
	}
	if slices.Contains(src.Shape, 0) {
		return nil, 0
	}
	list = axes(dst, src)
	if n := len(list); n > 0 && list[n-1].dst == size && list[n-1].src == size {
		return list[:n-1], size * list[n-1].n
	}
	return list, size
}

// copier walks the outer dimensions of a copy. The inner part is a run of length bytes;
// if plane is set, it is a plane of units of that length.
type copier struct {
	dst, src []byte
	length   int
	swap     dtype.Ordered // nil: runs are copied as they are
	plane    func(dst, src []byte, rows, columns axis)
}

func (c *copier) walk(list []axis, d, s int) {
	switch {
	case len(list) == 0:
		c.run(d, s)
	case len(list) == 2 && c.plane != nil:
		c.plane(c.dst[d:], c.src[s:], list[0], list[1])
	default:
		for range list[0].n {
			if len(list) == 1 {
				c.run(d, s)
			} else {
				c.walk(list[1:], d, s)
			}
			d, s = d+list[0].dst, s+list[0].src
		}
	}
}

func (c *copier) run(d, s int) {
	if c.swap != nil {
		c.swap.SwapInto(c.dst[d:d+c.length], c.src[s:s+c.length])
		return
	}
	copy(c.dst[d:d+c.length], c.src[s:s+c.length])
}
