package standard

import (
	"math"

	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/codecs/zfp"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// zfpForm is how elements of a data type are promoted to zfp's numbers and demoted
// again. The codec's text defines this for integers of less than 32 bits. (It prints
// the lower bound of signed integers without its sign; −2^(N−1) is meant.) About uint32
// and uint64 it says only that they are accepted. As in zarrs, values up to the largest
// signed integer stand for themselves. A number that a lossy mode makes negative comes
// back as 0.
type zfpForm struct {
	number zfp.Type
	stored dtype.Type // a data type of the same numbers
	// promote and demote convert. They are nil if the elements are zfp's numbers.
	// Promotion can fail only for unsigned integers of 32 and 64 bits.
	promote, demote elements.Kernel
	unsigned        bool // of 32 or 64 bits
	within          bool // every element is within the range of lossy modes
}

func zfpFormOf(t dtype.Type) (zfpForm, bool) {
	if _, ok := t.(dtype.Temporal); ok {
		return zfpForm{number: zfp.Int64, stored: dtype.Int64}, true
	}
	n, ok := t.(dtype.Numeric)
	if !ok {
		return zfpForm{}, false
	}
	bits := 8 * n.Size()
	if p, ok := t.(dtype.Packed); ok {
		bits = p.Packing().Bits
	}
	switch n.Kind() {
	case dtype.Int:
		return zfpSigned(n.Size(), bits)
	case dtype.Uint:
		return zfpUnsigned(n.Size(), bits)
	case dtype.Float:
		if narrow, ok := t.(dtype.Narrow); ok {
			return zfpNarrowFloat(narrow.Layout())
		}
		if n.Size() == 4 {
			return zfpForm{number: zfp.Float32, stored: dtype.Float32}, true
		}
		return zfpForm{number: zfp.Float64, stored: dtype.Float64}, n.Size() == 8
	default:
		return zfpForm{}, false
	}
}

func zfpSigned(size, bits int) (zfpForm, bool) {
	switch {
	case size == 1:
		return zfpNarrowInteger[int8](bits, 0), true
	case size == 2:
		return zfpNarrowInteger[int16](bits, 0), true
	case size == 4 && bits == 32:
		return zfpForm{number: zfp.Int32, stored: dtype.Int32}, true
	case size == 8 && bits == 64:
		return zfpForm{number: zfp.Int64, stored: dtype.Int64}, true
	default:
		return zfpForm{}, false
	}
}

func zfpUnsigned(size, bits int) (zfpForm, bool) {
	switch {
	case size == 1:
		return zfpNarrowInteger[uint8](bits, 1<<(bits-1)), true
	case size == 2:
		return zfpNarrowInteger[uint16](bits, 1<<(bits-1)), true
	case size == 4 && bits == 32:
		return zfpForm{
			number: zfp.Int32, stored: dtype.Int32, unsigned: true,
			promote: zfpToSigned[int32, uint32](math.MaxInt32), demote: zfpToUnsigned[uint32, int32],
		}, true
	case size == 8 && bits == 64:
		return zfpForm{
			number: zfp.Int64, stored: dtype.Int64, unsigned: true,
			promote: zfpToSigned[int64, uint64](math.MaxInt64), demote: zfpToUnsigned[uint64, int64],
		}, true
	default:
		return zfpForm{}, false
	}
}

// float reports whether the numbers are floats. zfp bounds the error of floats only.
func (f zfpForm) float() bool { return f.number == zfp.Float32 || f.number == zfp.Float64 }

// most returns the largest integer.
func (f zfpForm) most() int {
	if f.number == zfp.Int32 {
		return math.MaxInt32
	}
	return math.MaxInt64
}

// limits returns a text about the values that lossy modes accept.
func (f zfpForm) limits() string {
	switch f.number {
	case zfp.Int32:
		return "integers below 2^30 in magnitude"
	case zfp.Int64:
		return "integers below 2^62 in magnitude"
	default:
		return "finite numbers"
	}
}

func zfpToSigned[D int32 | int64, S uint32 | uint64](most S) elements.Kernel {
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[D](dst)
		from, _ := ndarray.As[S](src)
		for i, v := range from {
			if v > most {
				return i
			}
			to[i] = D(v)
		}
		return -1
	}
}

func zfpToUnsigned[D uint32 | uint64, S int32 | int64](dst, src ndarray.Array) int {
	to, _ := ndarray.As[D](dst)
	from, _ := ndarray.As[S](src)
	for i, v := range from {
		to[i] = D(max(v, 0))
	}
	return -1
}

// zfpNarrowInteger puts the bits of integers into the upper bits of an int32, below its
// sign, as libzfp's zfp_promote functions do. offset is the middle of an unsigned
// range, and zero for signed integers.
func zfpNarrowInteger[N int8 | int16 | uint8 | uint16](bits int, offset int32) zfpForm {
	shift := uint(31 - bits)
	low, high := -int32(1)<<(bits-1)+offset, int32(1)<<(bits-1)-1+offset
	return zfpForm{
		number: zfp.Int32, stored: dtype.Int32, within: true,
		promote: func(dst, src ndarray.Array) int {
			to, _ := ndarray.As[int32](dst)
			from, _ := ndarray.As[N](src)
			for i, v := range from {
				to[i] = (int32(v) - offset) << shift
			}
			return -1
		},
		demote: func(dst, src ndarray.Array) int {
			to, _ := ndarray.As[N](dst)
			from, _ := ndarray.As[int32](src)
			for i, v := range from {
				to[i] = N(min(max(v>>shift+offset, low), high))
			}
			return -1
		},
	}
}

// zfpNarrowFloat converts to float32 and back, rounding half to even. NaNs keep their
// sign and payload, so that mode reversible loses nothing.
func zfpNarrowFloat(l *dtype.FloatLayout) (zfpForm, bool) {
	var mantissa uint // number of bits
	switch l {
	case dtype.Float16Layout:
		mantissa = 10
	case dtype.BFloat16Layout:
		mantissa = 7
	default:
		return zfpForm{}, false
	}
	shift, payload := 23-mantissa, uint16(1)<<mantissa-1
	infinity, _ := l.Infinity(false)
	return zfpForm{
		number: zfp.Float32, stored: dtype.Float32,
		promote: func(dst, src ndarray.Array) int {
			to, _ := ndarray.As[float32](dst)
			from, _ := ndarray.As[uint16](src)
			l.ToFloat32(to, src.Data)
			for i, v := range from {
				if v&^(1<<15) > infinity {
					to[i] = math.Float32frombits(uint32(v>>15)<<31 | 0xff<<23 | uint32(v&payload)<<shift)
				}
			}
			return -1
		},
		demote: func(dst, src ndarray.Array) int {
			to, _ := ndarray.As[uint16](dst)
			from, _ := ndarray.As[float32](src)
			l.FromFloat32(dst.Data, from, dtype.NearestEven)
			for i, v := range from {
				if v == v {
					continue
				}
				pattern := math.Float32bits(v)
				kept := uint16(pattern>>shift) & payload
				if kept == 0 {
					kept = payload &^ (payload >> 1) // quiet
				}
				to[i] = uint16(pattern>>31)<<15 | infinity | kept
			}
			return -1
		},
	}, true
}
