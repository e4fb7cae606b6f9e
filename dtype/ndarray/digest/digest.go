// Package digest computes the digest of the values of an array.
//
// The digest depends on the values and on where they stand in the array, and on nothing
// else: not on chunks, byte order, codecs, or the order of the work. It is a sum, modulo
// 2^64, to which each element adds a part of its own. So the sums of any parts of an array
// add up to the sum of the whole, and an array may grow along any dimension. The digest
// finds accidents: a flipped bit, values that changed places, a lost sign. It is not made
// against an adversary, who can choose values with any digest.
//
// docs/digest.md has the definition, with a program in Python:
//
//   - An element of fixed size is its bytes, little-endian. An element of variable size is
//     the first 8 bytes of the SHA-256 of its bytes. An array without dimensions counts as
//     one of the shape [1].
//   - A row is the elements along the last dimension. Its bytes, with zeros behind them, are
//     little-endian words w of 32 bits. The sum of the row is Σ w[q]·A(q mod 1024)·B(q div 1024).
//   - The sum of the array is the sum of its rows, each times Π K(d, i) over the other
//     dimensions d of the row and its index i there.
//
// With mix, the function behind the random numbers of splitmix64:
//
//	A(j)    = mix(j) >> 32 | 1
//	B(b)    = mix(2^32 + b) | 1
//	K(d, i) = mix((d+2)·2^48 + i) | 1
package digest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Sum is the digest of an array, or of a part of one. Sums of parts are added.
type Sum uint64

// String returns the sum as 16 hexadecimal digits.
func (s Sum) String() string { return fmt.Sprintf("%016x", uint64(s)) }

// MarshalText implements [encoding.TextMarshaler].
func (s Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. It takes 16 hexadecimal digits.
func (s *Sum) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil || len(text) != 16 {
		return fmt.Errorf("%q is no digest of 16 hexadecimal digits", text)
	}
	*s = Sum(n)
	return nil
}

// Optional is a sum that is perhaps not known. As JSON it is a text, or absent with the
// option omitzero.
type Optional struct {
	Sum   Sum
	Known bool
	// Behind is the number of leading array → array codecs of the array's chain behind which
	// the elements were digested. It is 0 if they are the values of the array.
	Behind uint8
}

// IsZero reports whether the sum is not known.
func (o Optional) IsZero() bool { return !o.Known }

// MarshalText implements [encoding.TextMarshaler]. The text is that of the sum, after Behind
// and a colon if Behind is not 0.
func (o Optional) MarshalText() ([]byte, error) {
	if o.Behind == 0 {
		return o.Sum.MarshalText()
	}
	return fmt.Appendf(nil, "%d:%v", o.Behind, o.Sum), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (o *Optional) UnmarshalText(text []byte) error {
	o.Known, o.Behind = true, 0
	if behind, sum, ok := bytes.Cut(text, []byte{':'}); ok {
		n, err := strconv.ParseUint(string(behind), 10, 8)
		if err != nil || n == 0 {
			return fmt.Errorf("%q is no digest", text)
		}
		o.Behind, text = uint8(n), sum
	}
	return o.Sum.UnmarshalText(text)
}

// mix is the output function of splitmix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// blockWords is the number of words of a row that share a key B.
const blockWords = 1024

// wordKeys are the keys A.
var wordKeys = func() (keys [blockWords]uint32) {
	for j := range keys {
		keys[j] = uint32(mix(uint64(j))>>32) | 1
	}
	return keys
}()

func blockKey(b uint64) uint64 { return mix(1<<32+b) | 1 }

func indexKey(dimension, index int) uint64 { return mix(uint64(dimension+2)<<48+uint64(index)) | 1 }

// Of returns the sum of the elements of a, which stand in an array from index start on. It
// takes the bytes in memory as they are, so it is the sum of the definition only on a
// little-endian host. It reads a and keeps nothing of it.
func Of(a ndarray.Array, start []int) Sum {
	if a.Len() == 0 {
		return 0
	}
	n := len(a.Shape) - 1
	w := walk{size: ndarray.ItemSize(a.Type), a: a, start: start}
	if a.Heap != nil {
		return Sum(w.items())
	}
	if n < 0 {
		return Sum(row(a.Data[a.Offset:a.Offset+w.size], 0))
	}
	if a.Strides[n] != w.size && a.Shape[n] > 1 {
		w.row = make([]byte, a.Shape[n]*w.size)
	}
	return Sum(w.sum(0, a.Offset, 1))
}

// Within returns the sum of those elements of a that lie within the array. A chunk at the
// edge of an array may reach beyond it: chunk is the part of the chunk within the array, and
// start is where a begins in the chunk.
func Within(a ndarray.Array, start []int, chunk ndarray.Region) Sum {
	inside := ndarray.Region{Start: make([]int, len(start)), Shape: make([]int, len(start))}
	at := make([]int, len(start)) // where a begins in the array
	for k := range start {
		inside.Shape[k] = min(a.Shape[k], chunk.Shape[k]-start[k])
		if inside.Shape[k] <= 0 {
			return 0
		}
		at[k] = chunk.Start[k] + start[k]
	}
	return Of(a.Sub(inside), at)
}

// Constant returns the sum of a box of an array in which every element equals the only
// element of one. The time grows with the extents of the box, not with their product.
func Constant(one ndarray.Array, box ndarray.Region) Sum {
	element := one.Data[one.Offset : one.Offset+ndarray.ItemSize(one.Type)]
	if one.Heap != nil {
		for item := range one.Items() {
			hash := sha256.Sum256(item)
			element = hash[:8]
		}
	}
	start, shape := box.Start, box.Shape
	if len(shape) == 0 {
		start, shape = []int{0}, []int{1}
	}
	last := len(shape) - 1
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
	const blockBytes = 4 * blockWords
	size := uint64(len(element))
	begin, end := start*size, (start+n)*size
	// Every size-th block has the same bytes. pattern has those of size blocks.
	pattern := bytes.Repeat(element, blockBytes)
	part := func(from, to uint64) uint64 { // within one block
		at := from % uint64(len(pattern))
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
	inner := make([]uint64, min(size, behind-first)) // Σ w·A of the blocks
	for b := range inner {
		at := (first + uint64(b)) % size * blockBytes
		inner[b] = words(pattern[at:at+blockBytes], wordKeys[:])
	}
	for b := first; b < behind; b++ {
		sum += inner[(b-first)%size] * blockKey(b)
	}
	return sum
}

// walk visits the rows of an array.
type walk struct {
	a     ndarray.Array
	start []int
	size  int
	row   []byte // for rows whose elements do not lie side by side; nil: all do
}

// sum returns the sum of the elements at data offset at, which have the same indexes in the
// dimensions before k. key is the product of their keys.
func (w *walk) sum(k, at int, key uint64) (sum uint64) {
	n, stride := w.a.Shape[k], w.a.Strides[k]
	if k < len(w.a.Shape)-1 {
		for i := range n {
			sum += w.sum(k+1, at+i*stride, key*indexKey(k, w.start[k]+i))
		}
		return sum
	}
	data := w.row
	if data == nil {
		data = w.a.Data[at : at+n*w.size]
	} else {
		for i := range n {
			copy(data[i*w.size:(i+1)*w.size], w.a.Data[at+i*stride:])
		}
	}
	return key * row(data, uint64(w.start[k])*uint64(w.size))
}

// row returns the sum of a part of a row. off is the number of bytes of the row before it.
func row(data []byte, off uint64) (sum uint64) {
	q := off / 4
	if first := int(off % 4); first > 0 { // the rest of a word
		n := min(4-first, len(data))
		sum = uint64(word(data[:n])<<(8*first)) * uint64(wordKeys[q%blockWords]) * blockKey(q/blockWords)
		data = data[n:]
		q++
	}
	for len(data) >= 4 {
		keys := wordKeys[q%blockWords:]
		n := min(len(keys), len(data)/4)
		sum += words(data[:4*n], keys[:n]) * blockKey(q/blockWords)
		data = data[4*n:]
		q += uint64(n)
	}
	if len(data) > 0 {
		sum += uint64(word(data)) * uint64(wordKeys[q%blockWords]) * blockKey(q/blockWords)
	}
	return sum
}

// word reads a word of which there are less than four bytes.
func word(data []byte) (w uint32) {
	for i, b := range data {
		w |= uint32(b) << (8 * i)
	}
	return w
}

// words returns Σ w·key over words of data and their keys.
func words(data []byte, keys []uint32) uint64 {
	var a, b, c, d uint64
	for len(keys) >= 4 && len(data) >= 16 {
		a += uint64(binary.LittleEndian.Uint32(data)) * uint64(keys[0])
		b += uint64(binary.LittleEndian.Uint32(data[4:])) * uint64(keys[1])
		c += uint64(binary.LittleEndian.Uint32(data[8:])) * uint64(keys[2])
		d += uint64(binary.LittleEndian.Uint32(data[12:])) * uint64(keys[3])
		keys, data = keys[4:], data[16:]
	}
	for i, key := range keys {
		a += uint64(binary.LittleEndian.Uint32(data[4*i:])) * uint64(key)
	}
	return a + b + c + d
}

// items returns the sum of elements of variable size, which count as the first 8 bytes of
// their SHA-256.
func (w *walk) items() (sum uint64) {
	shape, start := w.a.Shape, w.start
	if len(shape) == 0 {
		shape, start = []int{1}, []int{0}
	}
	n := len(shape) - 1
	index := make([]int, len(shape))
	for item := range w.a.Items() {
		hash, key := sha256.Sum256(item), uint64(1)
		for k := range n {
			key *= indexKey(k, start[k]+index[k])
		}
		sum += key * row(hash[:8], 8*uint64(start[n]+index[n]))
		for k := n; k >= 0; k-- {
			if index[k]++; index[k] < shape[k] {
				break
			}
			index[k] = 0
		}
	}
	return sum
}
