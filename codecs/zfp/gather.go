package zfp

import "unsafe"

// words views elements as words of their size.
func words[W word, T Scalar](elements []T) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(elements))), len(elements))
}

// gather copies a block that lies wholly in the array. src begins at its first element.
func gather[W word](q *block[W], src []W, g *grid) {
	switch g.dims {
	case 1:
		copy4(q, 0, src)
	case 2:
		gatherPlane(q, 0, src, g.stride[1])
	case 3:
		for z := range 4 {
			gatherPlane(q, 16*z, src[z*g.stride[2]:], g.stride[1])
		}
	default:
		for w := range 4 {
			for z := range 4 {
				gatherPlane(q, 64*w+16*z, src[w*g.stride[3]+z*g.stride[2]:], g.stride[1])
			}
		}
	}
}

// gatherPlane copies 4 rows of 4 elements, one by one: calling copy for so few elements
// would take longer.
func gatherPlane[W word](q *block[W], at int, src []W, stride int) {
	copy4(q, at, src)
	copy4(q, at+4, src[stride:])
	copy4(q, at+8, src[2*stride:])
	copy4(q, at+12, src[3*stride:])
}

func copy4[W word](q *block[W], at int, src []W) {
	s := (*[4]W)(src)
	q[uint8(at)], q[uint8(at+1)], q[uint8(at+2)], q[uint8(at+3)] = s[0], s[1], s[2], s[3]
}

// gatherPartial copies the part of a block that lies in the array, and fills the rest
// axis by axis, as zfp does: see fill.
func gatherPartial[W word](q *block[W], src []W, g *grid, s *span) {
	nx := min(s.left, 4)
	for w := range s.valid[3] {
		for z := range s.valid[2] {
			at := 64*w + 16*z
			for y := range s.valid[1] {
				row := src[w*g.stride[3]+z*g.stride[2]+y*g.stride[1]:][:nx]
				for x, v := range row {
					q[uint8(at+4*y+x)] = v
				}
				fill(q, at+4*y, nx, 1)
			}
			if g.dims > 1 {
				for x := range 4 {
					fill(q, at+x, s.valid[1], 4)
				}
			}
		}
		if g.dims > 2 {
			for i := range 16 {
				fill(q, 64*w+i, s.valid[2], 16)
			}
		}
	}
	if g.dims > 3 {
		for i := range 64 {
			fill(q, i, s.valid[3], 64)
		}
	}
}

// fill completes a vector whose first n values are given: the second value repeats the
// first, the third the second, and the fourth the first.
func fill[W word](q *block[W], at, n, s int) {
	a, b, c, d := uint8(at), uint8(at+s), uint8(at+2*s), uint8(at+3*s)
	if n < 2 {
		q[b] = q[a]
	}
	if n < 3 {
		q[c] = q[b]
	}
	if n < 4 {
		q[d] = q[a]
	}
}

// scatter copies a block that lies wholly in the array to its place. dst begins at its
// first element.
func scatter[W word](dst []W, q *block[W], g *grid) {
	switch g.dims {
	case 1:
		put4(dst, q, 0)
	case 2:
		scatterPlane(dst, q, 0, g.stride[1])
	case 3:
		for z := range 4 {
			scatterPlane(dst[z*g.stride[2]:], q, 16*z, g.stride[1])
		}
	default:
		for w := range 4 {
			for z := range 4 {
				scatterPlane(dst[w*g.stride[3]+z*g.stride[2]:], q, 64*w+16*z, g.stride[1])
			}
		}
	}
}

// scatterPlane copies 4 rows of 4 elements.
func scatterPlane[W word](dst []W, q *block[W], at, stride int) {
	put4(dst, q, at)
	put4(dst[stride:], q, at+4)
	put4(dst[2*stride:], q, at+8)
	put4(dst[3*stride:], q, at+12)
}

func put4[W word](dst []W, q *block[W], at int) {
	d := (*[4]W)(dst)
	d[0], d[1], d[2], d[3] = q[uint8(at)], q[uint8(at+1)], q[uint8(at+2)], q[uint8(at+3)]
}

// scatterPartial copies the part of a block that lies in the array.
func scatterPartial[W word](dst []W, q *block[W], g *grid, s *span) {
	nx := min(s.left, 4)
	for w := range s.valid[3] {
		for z := range s.valid[2] {
			rows := dst[w*g.stride[3]+z*g.stride[2]:]
			for y := range s.valid[1] {
				row := rows[y*g.stride[1]:][:nx]
				if nx == 4 {
					put4(row, q, 64*w+16*z+4*y)
					continue
				}
				for x := range row {
					row[x] = q[uint8(64*w+16*z+4*y+x)]
				}
			}
		}
	}
}
