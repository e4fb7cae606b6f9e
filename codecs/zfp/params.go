package zfp

import (
	"errors"
	"fmt"
	"math"
)

var (
	// ErrParams is wrapped by every error about an argument: parameters out of range, a
	// shape that zfp cannot have, a slice of the wrong length.
	ErrParams = errors.New("zfp: invalid argument")
	// ErrCorrupt is wrapped by every error about a stream: it ends before its last
	// block does, or lacks an expected header.
	ErrCorrupt = errors.New("zfp: corrupt stream")
	// ErrNotFinite means that an array has infinity or NaN: see [Options].
	ErrNotFinite = errors.New("zfp: a number is not finite")
)

// A Type is a type of elements, numbered as in zfp's headers.
type Type uint8

// The types of elements in zfp.
const (
	Int32 Type = 1 + iota
	Int64
	Float32
	Float64
)

// Scalar is the constraint of functions that take elements. Elements have the host's
// byte order.
type Scalar interface {
	int32 | int64 | float32 | float64
}

// String returns the name of the type in Go.
func (t Type) String() string {
	switch t {
	case Int32:
		return "int32"
	case Int64:
		return "int64"
	case Float32:
		return "float32"
	case Float64:
		return "float64"
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// bits returns the number of bits of an element, which is also the number of bit planes
// of a block.
func (t Type) bits() int {
	if t == Int32 || t == Float32 {
		return 32
	}
	return 64
}

func (t Type) isFloat() bool { return t == Float32 || t == Float64 }

// exponentBits returns the number of bits of a block's common exponent.
func (t Type) exponentBits() int {
	switch t {
	case Float32:
		return 8
	case Float64:
		return 11
	}
	return 0
}

// typeOf returns the Type of a type parameter.
func typeOf[T Scalar]() Type {
	var zero T
	switch any(zero).(type) {
	case int32:
		return Int32
	case int64:
		return Int64
	case float32:
		return Float32
	}
	return Float64
}

// Values of [Params] that set no limit.
const (
	NoMinBits = 1     // the shortest block: one bit
	NoMaxBits = 16658 // more than the bits of the longest block, 4-D float64
	NoMaxPrec = 64    // all bit planes
	NoMinExp  = -1074 // the exponent of the smallest float64
)

// maxMinBits bounds the size to which a block is padded. Headers cannot hold more.
const maxMinBits = 1 << 15

// Params are zfp's four parameters of compression, which limit each block. They express
// every mode: [Reversible], [FixedAccuracy], [FixedPrecision] and [FixedRate] return
// them, and a literal is zfp's expert mode. A stream does not contain them, so a reader
// needs the parameters of the writer. The zero Params are invalid.
type Params struct {
	// MinBits is the size in bits up to which a block is padded, at most 32768.
	MinBits int
	// MaxBits is the size in bits at which a block is cut. If the block's header alone
	// exceeds it, it limits nothing: libzfp's count of the remaining bits wraps around
	// then, and such streams exist. In the lossy modes a block's header has up to 9
	// bits for float32 and 12 for float64.
	MaxBits int
	// MaxPrec is the greatest number of bit planes that are kept, 1 to 64.
	MaxPrec int
	// MinExp is the exponent of the lowest bit plane that is kept in blocks of floats.
	// If it is below NoMinExp, all types use the lossless algorithm.
	MinExp int
}

// Reversible returns the parameters of lossless compression: every bit of every element
// comes back, including NaNs, infinities and negative zeros.
func Reversible() Params {
	return Params{NoMinBits, NoMaxBits, NoMaxPrec, NoMinExp - 1}
}

// FixedPrecision returns the parameters that keep the given number of bit planes of
// each block. This bounds the error relative to the block's largest value. As in
// libzfp, 0 and numbers above 64 keep all planes. A negative number is refused with
// ErrParams.
func FixedPrecision(planes int) (Params, error) {
	if planes < 0 {
		return Params{}, fmt.Errorf("%w: precision %d is negative", ErrParams, planes)
	}
	if planes == 0 {
		planes = NoMaxPrec
	}
	return Params{NoMinBits, NoMaxBits, min(planes, NoMaxPrec), NoMinExp}, nil
}

// FixedAccuracy returns the parameters that keep the absolute error of each float
// within the tolerance, as far as the elements have the digits for it; see the
// package's limits. The tolerance is rounded down to a power of two. A tolerance of 0
// keeps all bit planes, which is nearly lossless. Integers ignore the tolerance: all
// their planes are kept. A tolerance that is negative, infinite or NaN is refused with
// ErrParams.
func FixedAccuracy(tolerance float64) (Params, error) {
	if !(tolerance >= 0) || math.IsInf(tolerance, 0) {
		return Params{}, fmt.Errorf("%w: tolerance %v is not a number of at least 0", ErrParams, tolerance)
	}
	p := Params{NoMinBits, NoMaxBits, NoMaxPrec, NoMinExp}
	if tolerance > 0 {
		_, exp := math.Frexp(tolerance)
		p.MinExp = exp - 1
	}
	return p, nil
}

// FixedRate returns the parameters that give every block of an array of dims dimensions
// the same size: rate bits for each of its 4^dims values, rounded to whole bits of a
// block, half a bit up. A block of floats has at least the bits of its header: 9 for
// float32, 12 for float64. FixedRate refuses with ErrParams a rate that is not a
// positive number, a rate that gives a block no bit or more than 32768 bits, an unknown
// type, and dims outside of 1 to 4.
func FixedRate(rate float64, t Type, dims int) (Params, error) {
	if t < Int32 || t > Float64 {
		return Params{}, fmt.Errorf("%w: %v is none of zfp's types", ErrParams, t)
	}
	if dims < 1 || dims > 4 {
		return Params{}, fmt.Errorf("%w: %d dimensions, zfp has 1 to 4", ErrParams, dims)
	}
	if !(rate > 0) {
		return Params{}, fmt.Errorf("%w: rate %v is not a positive number", ErrParams, rate)
	}
	values := 1 << (2 * dims)
	size := math.Floor(float64(float64(values)*rate) + 0.5)
	if size > maxMinBits {
		return Params{}, fmt.Errorf("%w: rate %v gives a block of %d values %g bits, more than %d",
			ErrParams, rate, values, size, maxMinBits)
	}
	bits := int(size)
	if t.isFloat() {
		bits = max(bits, 1+t.exponentBits())
	}
	if bits == 0 {
		return Params{}, fmt.Errorf("%w: rate %v leaves no bit for a block of %d values", ErrParams, rate, values)
	}
	return Params{bits, bits, NoMaxPrec, NoMinExp}, nil
}

// reversible reports whether blocks use the lossless algorithm.
func (p Params) reversible() bool { return p.MinExp < NoMinExp }

// Validate returns an error that wraps ErrParams if the parameters are not valid for
// elements of type t. In addition to libzfp, it refuses padding in the lossless mode of
// floats: libzfp does not pad blocks of zeros there, but reads them as if it did.
func (p Params) Validate(t Type) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrParams}, args...)...)
	}
	switch {
	case t < Int32 || t > Float64:
		return fail("%v is none of zfp's types", t)
	case p.MinBits < 0 || p.MinBits > maxMinBits:
		return fail("minbits %d is not within 0 and %d", p.MinBits, maxMinBits)
	case p.MaxBits < 1 || p.MaxBits > math.MaxUint32:
		return fail("maxbits %d is not within 1 and %d", p.MaxBits, uint32(math.MaxUint32))
	case p.MinBits > p.MaxBits:
		return fail("minbits %d is above maxbits %d", p.MinBits, p.MaxBits)
	case p.MaxPrec < 1 || p.MaxPrec > NoMaxPrec:
		return fail("maxprec %d is not within 1 and %d", p.MaxPrec, NoMaxPrec)
	case p.MinExp < math.MinInt32 || p.MinExp > math.MaxInt32:
		return fail("minexp %d does not fit 32 bits", p.MinExp)
	case p.reversible() && t.isFloat() && p.MinBits > NoMinBits:
		return fail("minbits %d above 1 with minexp %d, the lossless mode, in %v", p.MinBits, p.MinExp, t)
	}
	return nil
}

// headerBits returns the most bits before the bit planes of a block.
func (p Params) headerBits(t Type) int {
	bits := 0
	if t.isFloat() {
		bits = 1 + t.exponentBits()
	}
	if p.reversible() {
		if t.isFloat() {
			bits++
		}
		bits += precBits(t)
	}
	return bits
}

// precBits returns the bits of the number of planes in a block of the lossless mode.
func precBits(t Type) int {
	if t.bits() == 32 {
		return 5
	}
	return 6
}

// planes returns the number of bit planes that are kept of a block of floats.
func (p Params) planes(emax, dims int) int {
	return min(p.MaxPrec, max(0, emax-p.MinExp+2*(dims+1)))
}

// maxBlockBits returns the size of the largest block that can be written.
func (p Params) maxBlockBits(t Type, dims int) int {
	values := 1 << (2 * dims)
	bits := p.headerBits(t) + values - 1 + values*min(p.MaxPrec, t.bits())
	if p.MaxBits >= p.headerBits(t) {
		bits = min(bits, p.MaxBits)
	}
	return max(p.MinBits, bits)
}

// BlockBits returns the size in bits of every block of elements of type t, and whether
// all blocks have the same size. They have in fixed rate, and whenever MinBits equals a
// MaxBits that limits blocks.
func (p Params) BlockBits(t Type) (bits int, fixed bool) {
	if p.MinBits != p.MaxBits || p.MaxBits < p.headerBits(t) || p.Validate(t) != nil {
		return 0, false
	}
	return p.MaxBits, true
}
