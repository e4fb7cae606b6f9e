package cf

import (
	"math"
	"unsafe"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Unpack fills dst, an array of the physical type, with the physical values of src, an
// array of the variable's type and of the same shape. The strides are arbitrary. A
// stored value is converted to the physical type, multiplied by scale_factor and added
// to add_offset; the result of each of the three steps is rounded. Missing data becomes
// the NaN that Zarr calls "NaN".
//
// src may be a view of dst's own memory that [Packing.Within] made.
func (p *Packing) Unpack(dst, src ndarray.Array) {
	src.Type = p.Stored
	p.unpack(dst, src)
}

// Within returns memory for the stored values of dst. It lies within the memory of dst
// and is uninitialised. Unpack can fill dst from it, because no stored type is wider
// than its physical type.
func (p *Packing) Within(dst ndarray.Array) ndarray.Array {
	if data, ok := dst.Contiguous(); ok {
		// The values at the end are unpacked last, so that none is overwritten before.
		size := p.Type.Size()
		if stored, err := ndarray.View(p.Type, dst.Shape, data[len(data)-dst.Len()*size:]); err == nil {
			return stored
		}
	}
	dst.Type = p.Type // each value is at the beginning of its element
	return dst
}

// real is a Go type of stored values.
type real interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// unpacker returns the function that Unpack calls.
func (p *Packing) unpacker() func(dst, src ndarray.Array) {
	if p.Physical == dtype.Float32 {
		switch p.Stored {
		case dtype.Int8:
			return unpackerOf[int8, float32, uint32](p)
		case dtype.Uint8:
			return unpackerOf[uint8, float32, uint32](p)
		case dtype.Int16:
			return unpackerOf[int16, float32, uint32](p)
		case dtype.Uint16:
			return unpackerOf[uint16, float32, uint32](p)
		default:
			return unpackerOf[float32, float32, uint32](p)
		}
	}
	switch p.Stored {
	case dtype.Int8:
		return unpackerOf[int8, float64, uint64](p)
	case dtype.Uint8:
		return unpackerOf[uint8, float64, uint64](p)
	case dtype.Int16:
		return unpackerOf[int16, float64, uint64](p)
	case dtype.Uint16:
		return unpackerOf[uint16, float64, uint64](p)
	case dtype.Int32:
		return unpackerOf[int32, float64, uint64](p)
	case dtype.Uint32:
		return unpackerOf[uint32, float64, uint64](p)
	case dtype.Int64:
		return unpackerOf[int64, float64, uint64](p)
	case dtype.Uint64:
		return unpackerOf[uint64, float64, uint64](p)
	case dtype.Float32:
		return unpackerOf[float32, float64, uint64](p)
	default:
		return unpackerOf[float64, float64, uint64](p)
	}
}

// pieceElements is how many elements are unpacked together: few enough to stay in the
// cache between the passes over them.
const pieceElements = 1024

// unpacking is the arithmetic for one pair of types; W is as wide as P.
type unpacking[S real, P float32 | float64, W uint32 | uint64] struct {
	scale, offset P
	sentinels     []S
	ranged        bool // only the values from low to high are valid
	low, high     S
	none          bool // no value is valid
	nan           W    // the bits of NaN
}

func unpackerOf[S real, P float32 | float64, W uint32 | uint64](p *Packing) func(dst, src ndarray.Array) {
	u := &unpacking[S, P, W]{nan: valueOf[W](p.nan()), none: p.valid.empty}
	u.scale, u.offset = parametersOf[P](p)
	for _, s := range p.sentinels {
		u.sentinels = append(u.sentinels, valueOf[S](s))
	}
	switch v := p.valid; {
	case !v.given || v.empty:
	case p.isInteger():
		u.low, u.high, u.ranged = valueOf[S](p.scalar(v.low)), valueOf[S](p.scalar(v.high)), p.outside() > 0
	case p.Stored == dtype.Float32: // the limits are exact, the values are not
		u.low, u.high, u.ranged = S(float32Above(v.lowF)), S(-float32Above(-v.topF)), true
	default:
		u.low, u.high, u.ranged = S(v.lowF), S(v.topF), true
	}
	return u.arrays
}

// float32Above returns the smallest float32 that is not less than x.
func float32Above(x float64) float32 {
	f := float32(x)
	if float64(f) < x {
		return math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}

// valueOf returns a scalar as a number.
func valueOf[S real](s dtype.Scalar) S {
	var v S
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)), s)
	return v
}

// arrays unpacks arrays with any strides: at once if both are contiguous, and otherwise box
// by box through buffers.
func (u *unpacking[S, P, W]) arrays(dst, src ndarray.Array) {
	to, toFits := ndarray.As[P](dst)
	from, fromFits := ndarray.As[S](src)
	if toFits && fromFits {
		u.line(to, from)
		return
	}
	var stored [pieceElements]S
	var physical [pieceElements]P
	for r := range ndarray.Pieces(src.Shape, pieceElements) {
		from, to := src.Sub(r), dst.Sub(r)
		n := from.Len()
		ndarray.Copy(over(from, bytesOf(stored[:n])), from)
		u.line(physical[:n], stored[:n])
		ndarray.Copy(to, over(to, bytesOf(physical[:n])))
	}
}

// over returns an array in C order over data, with the shape and type of a.
func over(a ndarray.Array, data []byte) ndarray.Array {
	return ndarray.Array{Type: a.Type, Data: data, Shape: a.Shape, Strides: ndarray.CStrides(a.Type.Size(), a.Shape)}
}

// bytesOf returns the memory of a slice that is not empty.
func bytesOf[T real](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}

// line unpacks elements without gaps. src may be the last bytes of dst: line copies
// each piece before it writes over it.
func (u *unpacking[S, P, W]) line(dst []P, src []S) {
	var copied [pieceElements]S
	for len(src) > 0 {
		n := copy(copied[:], src)
		src = src[n:]
		u.piece(dst[:n], copied[:n])
		dst = dst[n:]
	}
}

// piece unpacks src into dst, which has the same length, at least 1. NaN replaces
// missing data afterwards, as bits, so that no branch depends on where data is missing.
func (u *unpacking[S, P, W]) piece(dst []P, src []S) {
	bits, nan := unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(dst))), len(src)), u.nan
	if u.none {
		for i := range bits {
			bits[i] = nan
		}
		return
	}
	scale, offset := u.scale, u.offset
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = P(P(v)*scale) + offset
	}
	for _, s := range u.sentinels {
		for i, v := range src {
			x := bits[i]
			if v == s {
				x = nan
			}
			bits[i] = x
		}
	}
	if u.ranged {
		low, high := u.low, u.high
		for i, v := range src {
			x := bits[i]
			if v < low {
				x = nan
			}
			if v > high {
				x = nan
			}
			bits[i] = x
		}
	}
	if S(1)/2 != 0 { // floats: a NaN may have any bits, and infinities may give NaN
		for i, v := range dst {
			if v != v {
				bits[i] = nan
			}
		}
	}
}
