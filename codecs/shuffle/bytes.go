package shuffle

import "encoding/binary"

// EncodeBytes shuffles the bytes of the elements of size bytes in src into
// dst. Bytes after the last whole element are copied.
//
// dst has the length of src and does not overlap it; size is at least 1.
func EncodeBytes(dst, src []byte, size int) {
	checkArguments(dst, src, size)
	n := len(src) / size
	var done int // number of elements done
	switch {
	case size == 1 || n <= 1:
		copy(dst, src)
		return
	case size == 2:
		done = encodeBytes2(dst[:2*n], src)
	case size == 4:
		done = encodeBytes4(dst[:4*n], src)
	default:
		done = encodeColumns(dst[:size*n], src[:size*n], size)
	}
	for j := range size {
		plane := dst[j*n : (j+1)*n]
		for i := done; i < n; i++ {
			plane[i] = src[i*size+j]
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// DecodeBytes undoes [EncodeBytes], with the same demands on its arguments.
func DecodeBytes(dst, src []byte, size int) {
	checkArguments(dst, src, size)
	n := len(src) / size
	if n <= 1 {
		copy(dst, src)
		return
	}
	decodeBytes(dst[:n*size], src, size, n)
	copy(dst[n*size:], src[n*size:])
}

// DecodeSome is DecodeBytes for the elements that fill dst, beginning with element
// number first. All of these must be whole elements of src.
func DecodeSome(dst, src []byte, size, first int) {
	if size < 1 || len(dst)%size != 0 || first < 0 || first > len(src)/size-len(dst)/size {
		panic("shuffle: want a size of at least 1, and dst for whole elements that src has")
	}
	if len(dst) > 0 {
		decodeBytes(dst, src[first:], size, len(src)/size)
	}
}

// decodeBytes fills dst with elements. Their bytes are in planes, at the beginning of
// each; the planes are stride bytes apart.
func decodeBytes(dst, src []byte, size, stride int) {
	n := len(dst) / size
	var done int // number of elements done
	switch size {
	case 1:
		done = copy(dst, src)
	case 2:
		done = decodeBytes2(dst, src, stride)
	case 4:
		done = decodeBytes4(dst, src, stride)
	default:
		done = decodeColumns(dst, src, size, stride)
	}
	for j := range size {
		plane := src[j*stride:][:n]
		for i := done; i < n; i++ {
			dst[i*size+j] = plane[i]
		}
	}
}

// checkArguments panics if a caller breaks the contract.
func checkArguments(dst, src []byte, size int) {
	if size < 1 || len(dst) != len(src) {
		panic("shuffle: want a size of at least 1, and dst as long as src")
	}
}

// The functions below return the number of elements that they have done: all but a few
// at the end.

// encodeBytes2 takes eight elements in two words a step.
func encodeBytes2(dst, src []byte) int {
	n := len(dst) / 2
	p0, p1 := dst[:n], dst[n:]
	i := 0
	if n >= 16 && simd() {
		i = n &^ 15
		encode2(&dst[0], &src[0], n, i)
	}
	for ; i+8 <= n; i += 8 {
		s := src[2*i:][:16]
		a, b := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[8:])
		a, b = exchange(a, b, 32, halves)
		a, b = exchange(a, b, 16, quarters)
		a, b = exchange(a, b, 8, eighths)
		binary.LittleEndian.PutUint64(p0[i:], a)
		binary.LittleEndian.PutUint64(p1[i:], b)
	}
	return i
}

func decodeBytes2(dst, src []byte, stride int) int {
	n := len(dst) / 2
	p0, p1 := src[:n], src[stride:][:n]
	i := 0
	if n >= 16 && simd() {
		i = n &^ 15
		decode2(&dst[0], &src[0], stride, i)
	}
	for ; i+8 <= n; i += 8 {
		a, b := binary.LittleEndian.Uint64(p0[i:]), binary.LittleEndian.Uint64(p1[i:])
		a, b = exchange(a, b, 8, eighths)
		a, b = exchange(a, b, 16, quarters)
		a, b = exchange(a, b, 32, halves)
		d := dst[2*i:][:16]
		binary.LittleEndian.PutUint64(d, a)
		binary.LittleEndian.PutUint64(d[8:], b)
	}
	return i
}

// encodeBytes4 takes eight elements in four words a step.
func encodeBytes4(dst, src []byte) int {
	n := len(dst) / 4
	p0, p1, p2, p3 := dst[:n], dst[n:][:n], dst[2*n:][:n], dst[3*n:][:n]
	i := 0
	if n >= 16 && simd() {
		i = n &^ 15
		encode4(&dst[0], &src[0], n, i)
	}
	for ; i+8 <= n; i += 8 {
		s := src[4*i:][:32]
		a, b := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[8:])
		c, d := binary.LittleEndian.Uint64(s[16:]), binary.LittleEndian.Uint64(s[24:])
		a, c = exchange(a, c, 32, halves) // elements 0 4, 1 5
		b, d = exchange(b, d, 32, halves) // elements 2 6, 3 7
		a, b = exchange(a, b, 16, quarters)
		c, d = exchange(c, d, 16, quarters)
		a, c = exchange(a, c, 8, eighths)
		b, d = exchange(b, d, 8, eighths)
		binary.LittleEndian.PutUint64(p0[i:], a)
		binary.LittleEndian.PutUint64(p1[i:], c)
		binary.LittleEndian.PutUint64(p2[i:], b)
		binary.LittleEndian.PutUint64(p3[i:], d)
	}
	return i
}

func decodeBytes4(dst, src []byte, stride int) int {
	n := len(dst) / 4
	p0, p1, p2, p3 := src[:n], src[stride:][:n], src[2*stride:][:n], src[3*stride:][:n]
	i := 0
	if n >= 16 && simd() {
		i = n &^ 15
		decode4(&dst[0], &src[0], stride, i)
	}
	for ; i+8 <= n; i += 8 {
		a, c := binary.LittleEndian.Uint64(p0[i:]), binary.LittleEndian.Uint64(p1[i:])
		b, d := binary.LittleEndian.Uint64(p2[i:]), binary.LittleEndian.Uint64(p3[i:])
		a, c = exchange(a, c, 8, eighths)
		b, d = exchange(b, d, 8, eighths)
		a, b = exchange(a, b, 16, quarters)
		c, d = exchange(c, d, 16, quarters)
		a, c = exchange(a, c, 32, halves)
		b, d = exchange(b, d, 32, halves)
		s := dst[4*i:][:32]
		binary.LittleEndian.PutUint64(s, a)
		binary.LittleEndian.PutUint64(s[8:], b)
		binary.LittleEndian.PutUint64(s[16:], c)
		binary.LittleEndian.PutUint64(s[24:], d)
	}
	return i
}

// column returns the first of the eight bytes of an element that the step for byte j
// handles. For elements of more than eight bytes, the last steps overlap.
func column(j, size int) int {
	if j+8 > size && size > 8 {
		return size - 8
	}
	return j
}

// encodeColumns handles eight bytes of eight elements in a step. Of elements with less
// than eight bytes, it reads some bytes of the next element as well.
func encodeColumns(dst, src []byte, size int) int {
	n := len(src) / size
	// Number of elements for which reads of eight bytes stay within src.
	limit := n
	if size < 8 {
		limit = (len(src)-8)/size + 1
	}
	limit &^= 7
	for j := 0; j < size; j += 8 {
		j := column(j, size)
		planes := dst[j*n:]
		count := min(size, 8)
		i := 0
		if size >= 8 && n >= 16 && simd() {
			i = n &^ 15
			encode8(&planes[0], &src[j], n, i, size)
		}
		for ; i < limit; i += 8 {
			s := src[i*size+j:]
			a0, a1 := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[size:])
			a2, a3 := binary.LittleEndian.Uint64(s[2*size:]), binary.LittleEndian.Uint64(s[3*size:])
			a4, a5 := binary.LittleEndian.Uint64(s[4*size:]), binary.LittleEndian.Uint64(s[5*size:])
			a6, a7 := binary.LittleEndian.Uint64(s[6*size:]), binary.LittleEndian.Uint64(s[7*size:])
			a0, a1, a2, a3, a4, a5, a6, a7 = transposeBytes(a0, a1, a2, a3, a4, a5, a6, a7)
			d := planes[i:]
			binary.LittleEndian.PutUint64(d, a0)
			binary.LittleEndian.PutUint64(d[n:], a1)
			binary.LittleEndian.PutUint64(d[2*n:], a2)
			if count == 8 {
				binary.LittleEndian.PutUint64(d[3*n:], a3)
				binary.LittleEndian.PutUint64(d[4*n:], a4)
				binary.LittleEndian.PutUint64(d[5*n:], a5)
				binary.LittleEndian.PutUint64(d[6*n:], a6)
				binary.LittleEndian.PutUint64(d[7*n:], a7)
				continue
			}
			rest := [...]uint64{a3, a4, a5, a6}
			for k := range count - 3 {
				binary.LittleEndian.PutUint64(d[(3+k)*n:], rest[k])
			}
		}
	}
	return limit
}

// decodeColumns is the inverse of encodeColumns. It writes eight bytes even if an
// element has fewer. The next element then overwrites the surplus, so elements are
// written in their order.
func decodeColumns(dst, src []byte, size, stride int) int {
	n := len(dst) / size
	limit := n
	if size < 8 {
		limit = (len(dst)-8)/size + 1
	}
	limit &^= 7
	for j := 0; j < size; j += 8 {
		j := column(j, size)
		planes := src[j*stride:]
		count := min(size, 8)
		i := 0
		if size >= 8 && n >= 16 && simd() {
			i = n &^ 15
			decode8(&dst[j], &planes[0], stride, i, size)
		}
		for ; i < limit; i += 8 {
			s := planes[i:]
			a0, a1, a2 := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[stride:]), binary.LittleEndian.Uint64(s[2*stride:])
			var a3, a4, a5, a6, a7 uint64
			if count == 8 {
				a3, a4 = binary.LittleEndian.Uint64(s[3*stride:]), binary.LittleEndian.Uint64(s[4*stride:])
				a5, a6 = binary.LittleEndian.Uint64(s[5*stride:]), binary.LittleEndian.Uint64(s[6*stride:])
				a7 = binary.LittleEndian.Uint64(s[7*stride:])
			} else {
				var more [4]uint64
				for k := range count - 3 {
					more[k] = binary.LittleEndian.Uint64(s[(3+k)*stride:])
				}
				a3, a4, a5, a6 = more[0], more[1], more[2], more[3]
			}
			a0, a1, a2, a3, a4, a5, a6, a7 = transposeBytes(a0, a1, a2, a3, a4, a5, a6, a7)
			d := dst[i*size+j:]
			binary.LittleEndian.PutUint64(d, a0)
			binary.LittleEndian.PutUint64(d[size:], a1)
			binary.LittleEndian.PutUint64(d[2*size:], a2)
			binary.LittleEndian.PutUint64(d[3*size:], a3)
			binary.LittleEndian.PutUint64(d[4*size:], a4)
			binary.LittleEndian.PutUint64(d[5*size:], a5)
			binary.LittleEndian.PutUint64(d[6*size:], a6)
			binary.LittleEndian.PutUint64(d[7*size:], a7)
		}
	}
	return limit
}
