package digest

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// batch is the number of rows that are worked on together.
const batch = 256

// rows collects rows of an array, and adds up their sums.
type rows struct {
	data   []byte
	off    uint64 // bytes of each row that stand before the part of the row in data
	length int    // bytes of that part
	shape  []int  // without the last dimension
	start  []int
	stride []int

	n   int
	at  [batch]int    // where the rows begin in data
	key [batch]uint64 // products of the keys of their indexes
	sum uint64
}

// ofRows is Of for rows whose elements lie side by side.
func ofRows(a ndarray.Array, start []int) Sum {
	r := rows{data: a.Data, length: ndarray.ItemSize(a.Type)}
	if last := len(a.Shape) - 1; last >= 0 {
		r.off = uint64(start[last]) * uint64(r.length)
		r.length *= a.Shape[last]
		r.shape, r.start, r.stride = a.Shape[:last], start, a.Strides
	}
	end := a.Offset + r.length
	for k, n := range r.shape {
		end += (n - 1) * r.stride[k]
	}
	_ = a.Data[a.Offset:end] // the kernels do not check
	r.add(0, a.Offset, 1)
	r.flush()
	return Sum(r.sum)
}

// add adds the rows that have the same indexes in the dimensions before k. The first of
// them begins at byte at, and key is the product of the keys of these indexes.
func (r *rows) add(k, at int, key uint64) {
	for k < len(r.shape) && r.shape[k] == 1 {
		key *= indexKey(k, r.start[k])
		k++
	}
	inner := k + 1
	for inner < len(r.shape) && r.shape[inner] == 1 {
		key *= indexKey(inner, r.start[inner])
		inner++
	}
	switch {
	case k == len(r.shape):
		r.at[r.n], r.key[r.n] = at, key
		if r.n++; r.n == batch {
			r.flush()
		}
	case inner == len(r.shape):
		first, stride := r.start[k], r.stride[k]
		for i := 0; i < r.shape[k]; {
			n := min(batch-r.n, r.shape[k]-i)
			ats, keys := r.at[r.n:r.n+n], r.key[r.n:r.n+n]
			for j := range ats {
				ats[j], keys[j] = at, key*indexKey(k, first+i+j)
				at += stride
			}
			i += n
			if r.n += n; r.n == batch {
				r.flush()
			}
		}
	default:
		for i := range r.shape[k] {
			r.add(inner, at+i*r.stride[k], key*indexKey(k, r.start[k]+i))
		}
	}
}

// flush adds the sums of the rows that were collected.
func (r *rows) flush() {
	if r.n == 0 {
		return
	}
	r.sum += sumRows(r.data, r.at[:r.n], r.key[:r.n], r.off, r.length)
	r.n = 0
}

// row returns the sum of a part of a row. off is the number of bytes of the row before it.
func row(data []byte, off uint64) uint64 {
	return sumRows(data, []int{0}, []uint64{1}, off, len(data))
}

// narrow is the least number of words for which sumWords is faster than sumColumn.
const narrow = 6

// sumRows returns the sums of parts of rows, each times its key. A part has length bytes of
// data from at on, and off bytes stand before it in its row.
func sumRows(data []byte, at []int, key []uint64, off uint64, length int) (sum uint64) {
	c, q := 0, off/4 // bytes that are done, and the number of the word
	if first := int(off % 4); first > 0 {
		c = min(4-first, length)
		sum = sumColumn(data, at, key, 0, c, 8*first) * uint64(wordKeys[q%blockWords]) * blockKey(q/blockWords)
		q++
	}
	for length-c >= 4 {
		keys := wordKeys[q%blockWords:]
		n := min(len(keys)-overread, (length-c)/4)
		var part uint64
		if n < narrow {
			for j := range n {
				part += sumColumn(data, at, key, c+4*j, 4, 0) * uint64(keys[j])
			}
		} else {
			part = sumWords(data, at, key, c, keys[:n:n+overread])
		}
		sum += part * blockKey(q/blockWords)
		c += 4 * n
		q += uint64(n)
	}
	if c < length {
		sum += sumColumn(data, at, key, c, length-c, 0) * uint64(wordKeys[q%blockWords]) * blockKey(q/blockWords)
	}
	return sum
}

// sumColumn returns the sum of one word of each row, times the key of the row. Up to 4 of
// the word's bytes are in data, c bytes behind the beginning of the row. The lowest of them
// is worth 1<<low.
func sumColumn(data []byte, at []int, key []uint64, c, bytes, low int) (sum uint64) {
	p, turn := unsafe.Pointer(&data[c]), low+1
	key = key[:len(at)]
	switch bytes {
	case 1:
		for i, from := range at {
			w := *(*byte)(unsafe.Add(p, from))
			sum += key[i] * uint64(bits.RotateLeft32(uint32(w), turn))
		}
	case 2:
		for i, from := range at {
			w := (*[2]byte)(unsafe.Add(p, from))
			sum += key[i] * uint64(bits.RotateLeft32(uint32(binary.LittleEndian.Uint16(w[:])), turn))
		}
	case 3:
		for i, from := range at {
			w := (*[3]byte)(unsafe.Add(p, from))
			sum += key[i] * uint64(bits.RotateLeft32(uint32(binary.LittleEndian.Uint16(w[:]))|uint32(w[2])<<16, turn))
		}
	case 4:
		for i, from := range at {
			w := (*[4]byte)(unsafe.Add(p, from))
			sum += key[i] * turned(w[:])
		}
	}
	return sum
}

// sumWordsPlain returns the sums Σ turned(w)·key over words w of each row, each times the key of the
// row. The words begin c bytes behind the beginning of the row.
func sumWordsPlain(data []byte, at []int, key []uint64, c int, keys []uint32) (sum uint64) {
	for i, from := range at {
		sum += key[i] * words(data[from+c:][:4*len(keys)], keys)
	}
	return sum
}

// turned returns the first word of data, rotated to the left by one bit.
func turned(data []byte) uint64 {
	return uint64(bits.RotateLeft32(binary.LittleEndian.Uint32(data), 1))
}

// words returns Σ turned(w)·key over words w of data and their keys.
func words(data []byte, keys []uint32) uint64 {
	var a, b, c, d uint64
	for len(keys) >= 8 && len(data) >= 32 {
		a += turned(data) * uint64(keys[0])
		b += turned(data[4:]) * uint64(keys[1])
		c += turned(data[8:]) * uint64(keys[2])
		d += turned(data[12:]) * uint64(keys[3])
		a += turned(data[16:]) * uint64(keys[4])
		b += turned(data[20:]) * uint64(keys[5])
		c += turned(data[24:]) * uint64(keys[6])
		d += turned(data[28:]) * uint64(keys[7])
		keys, data = keys[8:], data[32:]
	}
	for i, key := range keys {
		a += turned(data[4*i:]) * uint64(key)
	}
	return a + b + c + d
}
