package standard

import (
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

type real interface{ integer | float }

// cast returns the kernel that converts elements as NumPy's astype does. Floats are
// rounded half to even for float types, and towards zero for integer types. Integers
// that are too large lose their upper bits. A bool is whether a number is not zero. A
// NaN of float16 becomes the plain NaN. A float far out of an integer's range has no
// result, because NumPy's result depends on the machine: see [integerRange].
//
// There is no kernel (nil) between complex numbers and other numbers.
func cast(to, from number) elements.Kernel {
	if to.complex() || from.complex() {
		return castComplex(to, from)
	}
	switch from {
	case boolNumber, uint8Number:
		return castInteger[uint8](to)
	case int8Number:
		return castInteger[int8](to)
	case int16Number:
		return castInteger[int16](to)
	case int32Number:
		return castInteger[int32](to)
	case int64Number:
		return castInteger[int64](to)
	case uint16Number:
		return castInteger[uint16](to)
	case uint32Number:
		return castInteger[uint32](to)
	case uint64Number:
		return castInteger[uint64](to)
	case float16Number:
		return castHalf(to)
	case float32Number:
		return castFloat[float32](to)
	default:
		return castFloat[float64](to)
	}
}

func castComplex(to, from number) elements.Kernel {
	part := func(n number) number { return n - complex64Number + float32Number }
	if !to.complex() || !from.complex() {
		return nil
	}
	parts := cast(part(to), part(from))
	return func(dst, src ndarray.Array) int {
		return parts(partsOf(dst, part(to)), partsOf(src, part(from)))
	}
}

// partsOf returns a line of complex numbers as a line of twice as many floats.
func partsOf(a ndarray.Array, part number) ndarray.Array {
	if part == float32Number {
		return elements.Line(dtype.Float32, a.Data)
	}
	return elements.Line(dtype.Float64, a.Data)
}

func castInteger[S integer](to number) elements.Kernel {
	switch to {
	case boolNumber:
		return toBool[S]
	case int8Number:
		return convert[int8, S]
	case int16Number:
		return convert[int16, S]
	case int32Number:
		return convert[int32, S]
	case int64Number:
		return convert[int64, S]
	case uint8Number:
		return convert[uint8, S]
	case uint16Number:
		return convert[uint16, S]
	case uint32Number:
		return convert[uint32, S]
	case uint64Number:
		return convert[uint64, S]
	case float16Number:
		return through(dtype.Float32, convert[float32, S], roundToHalf)
	case float32Number:
		return convert[float32, S]
	default:
		return convert[float64, S]
	}
}

func castFloat[S float](to number) elements.Kernel {
	switch to {
	case boolNumber:
		return toBool[S]
	case int8Number:
		return truncate[int8, S](to)
	case int16Number:
		return truncate[int16, S](to)
	case int32Number:
		return truncate[int32, S](to)
	case int64Number:
		return truncate[int64, S](to)
	case uint8Number:
		return truncate[uint8, S](to)
	case uint16Number:
		return truncate[uint16, S](to)
	case uint32Number:
		return truncate[uint32, S](to)
	case uint64Number:
		return truncate[uint64, S](to)
	case float16Number:
		return toHalf
	case float32Number:
		return convert[float32, S]
	default:
		return convert[float64, S]
	}
}

func castHalf(to number) elements.Kernel {
	switch to {
	case float16Number:
		return func(dst, src ndarray.Array) int {
			copy(dst.Data, src.Data)
			return -1
		}
	case float32Number:
		return halfToFloat32
	default:
		return through(dtype.Float32, halfToFloat32, castFloat[float32](to))
	}
}

// convert is Go's conversion. The type D has the number, or takes the lower bits of an
// integer, or rounds half to even to a float.
func convert[D, S real](dst, src ndarray.Array) int {
	to, _ := ndarray.As[D](dst)
	from, _ := ndarray.As[S](src)
	to = to[:len(from)]
	for i, v := range from {
		to[i] = D(v)
	}
	return -1
}

func toBool[S real](dst, src ndarray.Array) int {
	to, _ := ndarray.As[uint8](dst)
	from, _ := ndarray.As[S](src)
	for i, v := range from {
		to[i] = 0
		if v != 0 {
			to[i] = 1
		}
	}
	return -1
}

// integerRange bounds the floats, rounded towards zero, for which NumPy gives the same
// result on every machine. For integers of up to 32 bits, the result is the lower bits
// of an int32 or a uint32; for integers of 64 bits, it is an int64 or a uint64.
func integerRange(to number) (above, below float64) {
	const beneathInt64 = -1<<63 - 1<<11 // the next float64 below -1<<63
	switch to {
	case uint32Number:
		return -1<<31 - 1, 1 << 32
	case int64Number:
		return beneathInt64, 1 << 63
	case uint64Number:
		return beneathInt64, 1 << 64
	default:
		return -1<<31 - 1, 1 << 31
	}
}

// truncate returns the kernel from floats to integers.
func truncate[D integer, S float](to number) elements.Kernel {
	above, below := integerRange(to)
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[D](dst)
		from, _ := ndarray.As[S](src)
		to = to[:len(from)]
		for i, v := range from {
			x := float64(v)
			switch {
			case x > above && x < 1<<63 && x < below:
				to[i] = D(int64(x))
			case x >= 1<<63 && x < below:
				to[i] = D(uint64(x))
			default: // also for NaN
				return i
			}
		}
		return -1
	}
}

func halfToFloat32(dst, src ndarray.Array) int {
	to, _ := ndarray.As[float32](dst)
	dtype.Float16Layout.ToFloat32(to, src.Data)
	return -1
}

// roundToHalf converts float32 to float16. A number that is too large becomes infinite.
func roundToHalf(dst, src ndarray.Array) int {
	from, _ := ndarray.As[float32](src)
	dtype.Float16Layout.FromFloat32(dst.Data, from, dtype.NearestEven)
	return -1
}

// toHalf converts float32 or float64 to float16, rounding once.
func toHalf(dst, src ndarray.Array) int {
	if from, ok := ndarray.As[float64](src); ok {
		dtype.Float16Layout.FromFloat64(dst.Data, from, dtype.NearestEven)
		return -1
	}
	return roundToHalf(dst, src)
}

// through returns a kernel that runs first, which makes elements of type middle, and
// then second, block by block. first must have a result for every element.
func through(middle dtype.Type, first, second elements.Kernel) elements.Kernel {
	const block = 1024 // elements in a block
	return func(dst, src ndarray.Array) int {
		n := src.Len()
		between, from, to := middle.Size(), src.Type.Size(), dst.Type.Size()
		scratch := make([]byte, between*min(n, block))
		for at := 0; at < n; at += block {
			end := min(n, at+block)
			part := elements.Line(middle, scratch[:between*(end-at)])
			first(part, elements.Line(src.Type, src.Data[at*from:end*from]))
			if bad := second(elements.Line(dst.Type, dst.Data[at*to:end*to]), part); bad >= 0 {
				return at + bad
			}
		}
		return -1
	}
}
