package compare

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Values compares elements of one data type as values. It is immutable and safe for
// concurrent use.
type Values struct {
	size   int
	floats []floats // in each element; nil: elements are the same value only if their bytes are equal
}

// floats are n numbers of one format in an element, one after the other.
type floats struct {
	offset, n int
	word      int // bytes of each
	kernel    kernel
}

// kernel gives every zero and every NaN one form. It does so for n floats that begin at
// offset, then for n floats that begin stride bytes later, and so on to the end of data.
type kernel func(data []byte, offset, stride, n int)

// ValuesOf returns the comparison of elements of a type.
func ValuesOf(t dtype.Type) Values {
	v := Values{size: t.Size()}
	v.add(t, 0)
	return v
}

// add finds the floats of a type, the first byte of which is at an offset.
func (v *Values) add(t dtype.Type, offset int) {
	if r, ok := t.(dtype.Record); ok {
		for _, f := range r.Fields() {
			v.add(f.Type, offset+f.Offset)
		}
		return
	}
	n, ok := t.(dtype.Numeric)
	if !ok || n.Kind() != dtype.Float && n.Kind() != dtype.Complex {
		return
	}
	f := floats{offset: offset, n: 1, word: t.Size()}
	if n.Kind() == dtype.Complex {
		f.n, f.word = 2, t.Size()/2
	}
	if f.kernel = kernelOf(n, f.word); f.kernel != nil {
		v.floats = append(v.floats, f)
	}
}

// kernelOf returns the kernel for floats of so many bytes, nil for formats that are
// not known here.
func kernelOf(t dtype.Numeric, word int) kernel {
	narrow, ok := t.(dtype.Narrow)
	switch {
	case ok && word == 1:
		return oneForms(narrow.Layout())
	case ok && word == 2: // as in IEEE 754, with another number of bits
		infinity, _ := narrow.Layout().Infinity(false)
		nan, _ := narrow.Layout().NaN()
		return oneForm(infinity, nan)
	case word == 4:
		return oneForm(math.Float32bits(float32(math.Inf(1))), 0x7fc00000)
	case word == 8:
		return oneForm(math.Float64bits(math.Inf(1)), 0x7ff8000000000000)
	default:
		return nil
	}
}

// oneForm is the kernel for a format of IEEE 754.
func oneForm[W uint16 | uint32 | uint64](infinity, nan W) kernel {
	size, limit := int(unsafe.Sizeof(nan)), infinity<<1
	return func(data []byte, offset, stride, n int) {
		for at := offset; at+n*size <= len(data); at += stride {
			run := data[at : at+n*size]
			for k := 0; k+size <= len(run); k += size {
				// Without its sign a zero is 0, which wraps around, and a NaN is above
				// infinity: one comparison finds both.
				magnitude := load[W](run[k:]) << 1
				if magnitude-1 < limit {
					continue
				}
				if magnitude != 0 {
					magnitude = nan
				}
				store(run[k:], magnitude)
			}
		}
	}
}

func load[W uint16 | uint32 | uint64](p []byte) W {
	switch unsafe.Sizeof(W(0)) {
	case 2:
		return W(binary.NativeEndian.Uint16(p))
	case 4:
		return W(binary.NativeEndian.Uint32(p))
	default:
		return W(binary.NativeEndian.Uint64(p))
	}
}

func store[W uint16 | uint32 | uint64](p []byte, w W) {
	switch unsafe.Sizeof(W(0)) {
	case 2:
		binary.NativeEndian.PutUint16(p, uint16(w))
	case 4:
		binary.NativeEndian.PutUint32(p, uint32(w))
	default:
		binary.NativeEndian.PutUint64(p, uint64(w))
	}
}

// oneForms is the kernel for floats of at most a byte.
func oneForms(layout *dtype.FloatLayout) kernel {
	var table [256]byte
	for i := range table {
		table[i] = byte(i)
		switch x := layout.Float64(uint16(i)); {
		case x == 0:
			table[i] = 0
		case x != x:
			nan, _ := layout.NaN()
			table[i] = byte(nan)
		}
	}
	return func(data []byte, offset, stride, n int) {
		for at := offset; at+n <= len(data); at += stride {
			for i, b := range data[at : at+n] {
				data[at+i] = table[b]
			}
		}
	}
}

// oneForm brings elements, one after the other in data, into the form that all elements
// with the same value share.
func (v *Values) oneForm(data []byte) {
	if len(data) == 0 {
		return
	}
	for _, f := range v.floats {
		if f.n*f.word == v.size {
			f.kernel(data, 0, len(data), len(data)/f.word)
		} else {
			f.kernel(data, f.offset, v.size, f.n)
		}
	}
}

// Same reports whether two elements are one value.
func (v *Values) Same(x, y []byte) bool {
	return bytes.Equal(x, y) || v.floats != nil && v.Key(x) == v.Key(y)
}

// Key returns a text for an element. Two elements have the same text if they are the same
// value, and different texts otherwise.
func (v *Values) Key(item []byte) string {
	if v.floats == nil {
		return string(item)
	}
	key := slices.Clone(item)
	v.oneForm(key)
	return string(key)
}

// pieceBytes is how many bytes of arrays are brought into one form at a time.
const pieceBytes = 1 << 15

// Mismatch is an element whose value is not the same in two arrays.
type Mismatch struct {
	Index []int
	X, Y  string // the elements of the two arrays, for a message
}

// First returns the first element in C order in which two arrays of one type and shape have
// different values. It returns nil if all values are the same.
func First(a, b ndarray.Array) *Mismatch {
	if x, ok := a.Contiguous(); ok {
		if y, ok := b.Contiguous(); ok && bytes.Equal(x, y) {
			return nil
		}
	}
	if a.Heap != nil {
		return firstItem(a, b)
	}
	v := ValuesOf(a.Type)
	most := max(1, min(pieceBytes/v.size, a.Len()))
	memory := make([]byte, 2*most*v.size)
	for r := range ndarray.Pieces(a.Shape, most) {
		x, y := copied(a.Sub(r), memory[:most*v.size]), copied(b.Sub(r), memory[most*v.size:])
		v.oneForm(x)
		v.oneForm(y)
		if bytes.Equal(x, y) {
			continue
		}
		at := 0
		for x[at] == y[at] {
			at++
		}
		return mismatchAt(a, b, r, at/v.size)
	}
	return nil
}

// copied copies the elements of an array, one after the other, to memory, and returns the
// part that they fill. memory has room for them.
func copied(a ndarray.Array, memory []byte) []byte {
	dst := ndarray.Array{Type: a.Type, Data: memory, Shape: a.Shape, Strides: ndarray.CStrides(a.Type.Size(), a.Shape)}
	ndarray.Copy(dst, a)
	return memory[:a.Len()*a.Type.Size()]
}

// mismatchAt describes the element with a number, counted in C order, in a region of two
// arrays.
func mismatchAt(a, b ndarray.Array, r ndarray.Region, number int) *Mismatch {
	one := ndarray.Region{Start: IndexIn(r, number), Shape: slices.Repeat([]int{1}, len(r.Shape))}
	shown := func(a ndarray.Array) string { return Show(a.Type, copied(a.Sub(one), make([]byte, a.Type.Size()))) }
	return &Mismatch{one.Start, shown(a), shown(b)}
}

// IndexIn returns the index of the element with a number, counted in C order, in a
// region.
func IndexIn(r ndarray.Region, number int) []int {
	index := slices.Clone(r.Start)
	for k, n := range slices.Backward(r.Shape) {
		index[k] += number % n
		number /= n
	}
	return index
}

// firstItem is First for elements of variable size.
func firstItem(a, b ndarray.Array) *Mismatch {
	next, stop := iter.Pull(b.Items())
	defer stop()
	number := 0
	for x := range a.Items() {
		if y, _ := next(); !bytes.Equal(x, y) {
			whole := ndarray.Region{Start: make([]int, len(a.Shape)), Shape: a.Shape}
			return &Mismatch{IndexIn(whole, number), Show(a.Type, x), Show(b.Type, y)}
		}
		number++
	}
	return nil
}

// Digest returns a digest of the values of an array. Two arrays of one type and shape have
// the same digest if they have the same values, and different ones otherwise.
func Digest(a ndarray.Array) (sum [sha256.Size]byte) {
	v := ValuesOf(a.Type)
	if data, ok := a.Contiguous(); ok && v.floats == nil {
		return sha256.Sum256(data)
	}
	h := sha256.New()
	if a.Heap != nil {
		var length [8]byte
		for item := range a.Items() {
			binary.LittleEndian.PutUint64(length[:], uint64(len(item)))
			h.Write(length[:])
			h.Write(item)
		}
		h.Sum(sum[:0])
		return sum
	}
	most := max(1, min(pieceBytes/v.size, a.Len()))
	memory := make([]byte, most*v.size)
	for r := range ndarray.Pieces(a.Shape, most) {
		piece := copied(a.Sub(r), memory)
		v.oneForm(piece)
		h.Write(piece)
	}
	h.Sum(sum[:0])
	return sum
}

// Show writes an element for a message.
func Show(t dtype.Type, item []byte) string {
	return clip(string(t.FormatScalar(dtype.V3, slices.Clone(dtype.Scalar(item)))), mostShown)
}

// mostShown is how many bytes of a text from a file a message shows.
const mostShown = 80

// clip shortens a text from a file for a message.
func clip(text string, most int) string {
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
