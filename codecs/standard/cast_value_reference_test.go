package standard_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
)

// castModel is a type of real numbers as its specification describes it. Its arithmetic
// is slow and does not use the bits of the format.
type castModel struct {
	typ           dtype.Numeric
	least, most   *big.Rat // of the finite numbers
	mantissa      int      // bits of a float's mantissa
	exponent      int      // of the smallest normal number
	infinity, nan bool
	unsigned      bool // such a type has no zero either
	noMinusZero   bool
}

func integerModel(t dtype.Numeric, bits int) castModel {
	one := big.NewInt(1)
	m := castModel{typ: t, least: new(big.Rat), most: new(big.Rat)}
	if t.Kind() == dtype.Int {
		bits--
		m.least.SetInt(new(big.Int).Neg(new(big.Int).Lsh(one, uint(bits))))
	}
	m.most.SetInt(new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one))
	return m
}

func floatModel(t dtype.Numeric, mantissa, exponent int, most float64, has string) castModel {
	m := castModel{typ: t, mantissa: mantissa, exponent: exponent, most: new(big.Rat).SetFloat64(most)}
	m.least = new(big.Rat).Neg(m.most)
	m.infinity, m.nan = strings.Contains(has, "infinity"), strings.Contains(has, "NaN")
	m.noMinusZero = m.nan && !m.infinity
	return m
}

func castModels() []castModel {
	const ieee = "infinity, NaN"
	scale := floatModel(dtype.Float8E8M0FNU, 0, -127, 0x1p127, "NaN")
	scale.unsigned, scale.least = true, new(big.Rat).SetFloat64(0x1p-127)
	return []castModel{
		integerModel(dtype.Int2, 2), integerModel(dtype.Int4, 4), integerModel(dtype.Int8, 8),
		integerModel(dtype.Int16, 16), integerModel(dtype.Int32, 32), integerModel(dtype.Int64, 64),
		integerModel(dtype.Uint2, 2), integerModel(dtype.Uint4, 4), integerModel(dtype.Uint8, 8),
		integerModel(dtype.Uint16, 16), integerModel(dtype.Uint32, 32), integerModel(dtype.Uint64, 64),
		floatModel(dtype.Float4E2M1FN, 1, 0, 6, ""),
		floatModel(dtype.Float6E2M3FN, 3, 0, 7.5, ""),
		floatModel(dtype.Float6E3M2FN, 2, -2, 28, ""),
		floatModel(dtype.Float8E3M4, 4, -2, 15.5, ieee),
		floatModel(dtype.Float8E4M3, 3, -6, 240, ieee),
		floatModel(dtype.Float8E4M3B11FNUZ, 3, -10, 30, "NaN"),
		floatModel(dtype.Float8E4M3FNUZ, 3, -7, 240, "NaN"),
		floatModel(dtype.Float8E5M2, 2, -14, 57344, ieee),
		floatModel(dtype.Float8E5M2FNUZ, 2, -15, 57344, "NaN"),
		scale,
		floatModel(dtype.BFloat16, 7, -126, 0x1.fep127, ieee),
		floatModel(dtype.Float16, 10, -14, 65504, ieee),
		floatModel(dtype.Float32, 23, -126, math.MaxFloat32, ieee),
		floatModel(dtype.Float64, 52, -1022, math.MaxFloat64, ieee),
	}
}

func (m castModel) float() bool { return m.typ.Kind() == dtype.Float }

// castNumber is a number, infinity or NaN.
type castNumber struct {
	finite   *big.Rat // nil for NaN and infinity
	nan      bool
	negative bool // also for zero and infinity
}

func (a castNumber) same(b castNumber) bool {
	if a.nan || b.nan {
		return a.nan == b.nan
	}
	if (a.finite == nil) != (b.finite == nil) || a.negative != b.negative {
		return false
	}
	return a.finite == nil || a.finite.Cmp(b.finite) == 0
}

// matches reports whether b is the same key as a.
func (a castNumber) matches(b castNumber) bool {
	if a.finite != nil && b.finite != nil {
		return a.finite.Cmp(b.finite) == 0
	}
	return a.same(b)
}

func (a castNumber) String() string {
	switch {
	case a.nan:
		return "NaN"
	case a.finite == nil && a.negative:
		return "-Infinity"
	case a.finite == nil:
		return "Infinity"
	case a.finite.Sign() == 0 && a.negative:
		return "-0"
	default:
		f, _ := a.finite.Float64()
		return a.finite.RatString() + " = " + string(dtype.AppendFloat(nil, f))
	}
}

// value returns the number of an element, from its spelling in metadata.
func (m castModel) value(s dtype.Scalar) castNumber {
	text := string(m.typ.FormatScalar(dtype.V3, s))
	switch text {
	case `"Infinity"`:
		return castNumber{}
	case `"-Infinity"`:
		return castNumber{negative: true}
	}
	if text[0] == '"' {
		return castNumber{nan: true}
	}
	if m.float() { // the shortest decimals of floats are not their exact values
		return castNumber{finite: new(big.Rat).SetFloat64(m.float64(s)), negative: text[0] == '-'}
	}
	r, _ := new(big.Rat).SetString(text)
	return castNumber{finite: r, negative: text[0] == '-'}
}

func (m castModel) float64(s dtype.Scalar) float64 {
	switch narrow, _ := m.typ.(dtype.Narrow); {
	case len(s) == 8:
		return math.Float64frombits(binary.NativeEndian.Uint64(s))
	case len(s) == 4:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(s)))
	case len(s) == 2:
		return narrow.Layout().Float64(binary.NativeEndian.Uint16(s))
	default:
		return narrow.Layout().Float64(uint16(s[0]))
	}
}

// roundRat rounds to an integer.
func roundRat(x *big.Rat, mode dtype.Rounding) *big.Int {
	floor, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	if rest.Sign() == 0 {
		return floor
	}
	up := false
	switch mode {
	case dtype.TowardsZero:
		up = x.Sign() < 0
	case dtype.TowardsPositive:
		up = true
	case dtype.TowardsNegative:
	default:
		switch rest.Lsh(rest, 1).Cmp(x.Denom()) {
		case 1:
			up = true
		case 0:
			if mode == dtype.NearestAway {
				up = x.Sign() > 0
			} else {
				up = floor.Bit(0) == 1
			}
		}
	}
	if up {
		floor.Add(floor, big.NewInt(1))
	}
	return floor
}

func powerOfTwo(n int) *big.Rat {
	r := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(n, -n))))
	if n < 0 {
		r.Inv(r)
	}
	return r
}

// round rounds a finite number as if exponents had no upper bound.
func (m castModel) round(x *big.Rat, mode dtype.Rounding) *big.Rat {
	if !m.float() {
		return new(big.Rat).SetInt(roundRat(x, mode))
	}
	if x.Sign() == 0 {
		return x
	}
	magnitude := new(big.Rat).Abs(x)
	exponent := x.Num().BitLen() - x.Denom().BitLen()
	if magnitude.Cmp(powerOfTwo(exponent)) < 0 {
		exponent--
	}
	if exponent < m.exponent && !m.unsigned {
		exponent = m.exponent
	}
	unit := powerOfTwo(exponent - m.mantissa)
	n := roundRat(new(big.Rat).Quo(x, unit), mode)
	return unit.Mul(unit, new(big.Rat).SetInt(n))
}

// cast is the cast_value codec for one number, without the scalar map.
func (m castModel) cast(x castNumber, mode dtype.Rounding, outOfRange string) (castNumber, bool) {
	switch {
	case x.nan:
		return x, m.nan
	case x.finite == nil:
		return x, m.infinity
	}
	y := m.round(x.finite, mode)
	result := func(r *big.Rat) castNumber {
		zero := r.Sign() == 0 && m.float() && !m.noMinusZero
		return castNumber{finite: r, negative: r.Sign() < 0 || zero && x.negative}
	}
	above, below := y.Cmp(m.most) > 0, y.Cmp(m.least) < 0
	switch {
	case !above && !below:
		return result(y), true
	case outOfRange == "wrap" && !m.float():
		modulus := new(big.Int).Sub(m.most.Num(), m.least.Num())
		modulus.Add(modulus, big.NewInt(1))
		n := new(big.Int).Sub(y.Num(), m.least.Num())
		n.Mod(n, modulus)
		return result(new(big.Rat).SetInt(n.Add(n, m.least.Num()))), true
	case outOfRange != "clamp":
		return castNumber{}, false
	case m.infinity:
		return castNumber{negative: below}, true
	case above:
		return result(m.most), true
	default:
		return result(m.least), true
	}
}

// elements draws values of the type: random bits, random numbers near those of the
// other type, and the corner cases of both types.
func (m castModel) elements(r *rand.Rand, other castModel) []dtype.Scalar {
	var list []dtype.Scalar
	for range 12 {
		s := make(dtype.Scalar, m.typ.Size())
		for i := range s {
			s[i] = byte(r.Uint32())
		}
		list = append(list, m.canonical(s))
	}
	addRat := func(x *big.Rat, negative bool) {
		if v, ok := m.cast(castNumber{finite: x, negative: negative}, dtype.Rounding(r.IntN(5)), "clamp"); ok {
			list = append(list, m.scalar(v))
		}
	}
	add := func(x float64) { addRat(new(big.Rat).SetFloat64(x), math.Signbit(x)) }
	for _, c := range []castModel{m, other} {
		for _, edge := range []*big.Rat{c.least, c.most} {
			x, _ := edge.Float64()
			step := max(math.Abs(x)*0x1p-11, 0.5)
			for _, y := range []float64{x, x + 0.5, x - 0.5, x + step, x - step, x + 1, x - 1, 2 * x, math.Nextafter(x, 0), math.Nextafter(x, 2*x)} {
				if !math.IsInf(y, 0) {
					add(y)
				}
			}
		}
	}
	for range 8 {
		// Half way between two numbers of the other type, or beside that.
		tie := big.NewInt(r.Int64N(4 << other.mantissa))
		tie.Lsh(tie, uint(r.IntN(64-min(other.mantissa, 52))))
		tie.Add(tie, big.NewInt(r.Int64N(3)-1))
		addRat(new(big.Rat).SetInt(tie), tie.Sign() < 0)
		add(math.Ldexp(r.NormFloat64(), r.IntN(12)))
		add(float64(r.IntN(64)) / 4)
		add(math.Ldexp(1+float64(r.IntN(64))/64, other.exponent-r.IntN(other.mantissa+3)))
	}
	if m.float() {
		for _, text := range []string{`"NaN"`, `"Infinity"`, `"-Infinity"`, `-0.0`, `0`} {
			if s, err := m.typ.ParseScalar(dtype.V3, json.RawMessage(text)); err == nil {
				list = append(list, s)
			}
		}
	}
	return list
}

// scalar returns the element with a value.
func (m castModel) scalar(v castNumber) dtype.Scalar {
	text := "\"NaN\""
	switch {
	case v.nan:
	case v.finite == nil && v.negative:
		text = `"-Infinity"`
	case v.finite == nil:
		text = `"Infinity"`
	case !m.float():
		text = v.finite.Num().String()
	default:
		f, _ := v.finite.Float64()
		if v.negative && f == 0 {
			f = math.Copysign(0, -1)
		}
		text = string(dtype.AppendFloat(nil, f))
	}
	s, err := m.typ.ParseScalar(dtype.V3, json.RawMessage(text))
	if err != nil {
		panic(err)
	}
	return s
}

// canonical clears unused bits, as they are in memory.
func (m castModel) canonical(s dtype.Scalar) dtype.Scalar {
	p := m.typ.(dtype.Packed).Packing()
	if p.Bits >= 8 {
		return s
	}
	shift := 8 - p.Bits
	if s[0] <<= shift; p.Signed {
		s[0] = byte(int8(s[0]) >> shift)
	} else {
		s[0] >>= shift
	}
	return s
}
