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
//     little-endian words of 32 bits. Each is rotated to the left by one bit, to w. The sum
//     of the row is Σ w[q]·A(q mod 1024)·B(q div 1024).
//   - The sum of the array is the sum of its rows, each times Π K(d, i) over the other
//     dimensions d of the row and its index i there.
//
// With mix, the function behind the random numbers of splitmix64:
//
//	A(j)    = mix(j) >> 32 | 1
//	B(b)    = mix(2^32 + b) | 1
//	K(d, i) = mix((d+2)·2^48 + i) | 1
//
// All keys are odd, so a change of one word always changes the sum. Words are rotated
// because the highest bit of a word, which is the sign of many numbers, moves only the upper
// half of the sum otherwise: a box of zeros that all lost their sign would move less than
// that, because sums of an even number of keys are even.
package digest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"strconv"

	"github.com/zmigrate/zmigrate/dtype"
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

const (
	// A block is the words of a row that share a key B.
	blockWords = 1024
	blockBytes = 4 * blockWords
	// overread is how many words behind its last one a kernel may read of wordKeys.
	overread = 8
)

// wordKeys are the keys A, and zeros behind them.
var wordKeys = func() (keys [blockWords + overread]uint32) {
	for j := range blockWords {
		keys[j] = uint32(mix(uint64(j))>>32) | 1
	}
	return keys
}()

func blockKey(b uint64) uint64 { return mix(1<<32+b) | 1 }

func indexKey(dimension, index int) uint64 { return mix(uint64(dimension+2)<<48+uint64(index)) | 1 }

// Of returns the sum of the elements of a, which stand in an array from index start on. It
// reads a and keeps nothing of it.
func Of(a ndarray.Array, start []int) Sum {
	switch {
	case a.Len() == 0:
		return 0
	case a.Heap != nil:
		return ofItems(a, start)
	}
	size := ndarray.ItemSize(a.Type)
	last := len(a.Shape) - 1
	_, ordered := a.Type.(dtype.Ordered)
	if last >= 0 && a.Shape[last] > 1 && a.Strides[last] != size || ordered && dtype.Native != dtype.Little {
		return ofCopies(a, start)
	}
	return ofRows(a, start)
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

// copyBytes is how much of an array is copied at once.
const copyBytes = 256 << 10

// ofCopies is Of for elements that do not lie side by side, or that are not little-endian.
// It copies the array in pieces.
func ofCopies(a ndarray.Array, start []int) (sum Sum) {
	shape, size := a.Shape, ndarray.ItemSize(a.Type)
	at := make([]int, len(shape))
	var buffer []byte
	for piece := range ndarray.Pieces(shape, max(copyBytes/size, 1)) {
		n, _ := ndarray.Bytes(a.Type, piece.Shape)
		if buffer == nil {
			buffer = make([]byte, n) // no later piece is larger
		}
		dense, _ := ndarray.View(a.Type, piece.Shape, buffer[:n])
		ndarray.Copy(dense, a.Sub(piece))
		if t, ordered := a.Type.(dtype.Ordered); ordered && dtype.Native != dtype.Little {
			ndarray.Swap(dense, t)
		}
		for k, i := range piece.Start {
			at[k] = start[k] + i
		}
		sum += ofRows(dense, at)
	}
	return sum
}

// ofItems is Of for elements of variable size, which count as the first 8 bytes of their
// SHA-256.
func ofItems(a ndarray.Array, start []int) (sum Sum) {
	hashes := make([]byte, 0, min(8*a.Len(), copyBytes))
	next := 0 // number of the first element of hashes
	flush := func() {
		sum += ofRun(a.Shape, start, next, hashes)
		next += len(hashes) / 8
		hashes = hashes[:0]
	}
	var recent itemHashes
	seed := maphash.MakeSeed()
	for item := range a.Items() {
		if len(hashes) == cap(hashes) {
			flush()
		}
		r := &recent[maphash.Bytes(seed, item)%uint64(len(recent))]
		if r.item == nil || !bytes.Equal(r.item, item) {
			r.item, r.hash = item, sha256.Sum256(item)
		}
		hashes = append(hashes, r.hash[:8]...)
	}
	flush()
	return sum
}

// itemHashes are hashes of elements that were met. Elements often repeat, and comparing
// takes less time than a hash.
type itemHashes [64]struct {
	item []byte
	hash [sha256.Size]byte
}

// ofRun returns the sum of elements of 8 bytes that follow each other in the C order of a
// region, from the one with number first on. shape is that of the region, and start is
// where it begins in the array.
func ofRun(shape, start []int, first int, data []byte) (sum Sum) {
	if len(shape) == 0 {
		return Sum(row(data, 0))
	}
	last := len(shape) - 1
	for len(data) > 0 {
		number, key := first, uint64(1)
		i := number % shape[last]
		number /= shape[last]
		for k := last - 1; k >= 0; k-- {
			key *= indexKey(k, start[k]+number%shape[k])
			number /= shape[k]
		}
		n := min(shape[last]-i, len(data)/8)
		sum += Sum(key * row(data[:8*n], 8*uint64(start[last]+i)))
		data = data[8*n:]
		first += n
	}
	return sum
}
