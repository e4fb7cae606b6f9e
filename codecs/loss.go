package codecs

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/zmigrate/zmigrate/codecs/zfp"
	"github.com/zmigrate/zmigrate/dtype"
)

// Loss is one way in which a bound codec makes other values of those that it
// stores. It is known before any data is read.
type Loss struct {
	Name string // of the codec, that of the inner one of codecs within each other
	What string // becomes of values, such as "rounded to whole numbers"
	// AtMost is how far a value that comes back may be from the one that was
	// stored; 0 where What tells, or where no bound is known beforehand.
	AtMost float64
}

// String is What with the bound.
func (l Loss) String() string {
	if l.AtMost == 0 {
		return l.What
	}
	return l.What + ", at most " + strconv.FormatFloat(l.AtMost, 'g', 6, 64) + " away"
}

// Lossy is an optional ability of bound codecs whose definition says that they are.
type Lossy interface {
	// Losses lists what the codec loses of its data type with its configuration.
	// AtMost is in the numbers that it receives. Name is left empty, unless that
	// of a codec within is meant: the chain knows it.
	Losses() []Loss
}

// rescaling is an optional ability of bound array → array codecs that make other
// numbers of the same values.
type rescaling interface {
	// unit is how much of what the codec receives is 1 of what it makes, or 0
	// where that is not the same for all values.
	unit() float64
}

// Losses lists the losses of a chain in the order of its codecs, their bounds in
// the numbers of the chunk. A codec that is no [Lossy] has that of its definition.
func (c *Chain) Losses() []Loss {
	var list []Loss
	unit := 1.0
	for i, codec := range c.bound() {
		own, known := []Loss(nil), c.list[i].Lossy == ""
		if l, ok := codec.(Lossy); ok {
			own, known = l.Losses(), true
		}
		if !known {
			own = []Loss{{What: c.list[i].Lossy}}
		}
		for _, l := range own {
			if l.Name == "" {
				l.Name = c.specs[i].Name
			}
			if l.AtMost *= unit; math.IsInf(l.AtMost, 0) {
				l.AtMost = 0
			}
			list = append(list, l)
		}
		if s, ok := codec.(rescaling); ok {
			unit *= s.unit()
		}
	}
	return list
}

// Losses implements [Lossy] with those of the inner chain.
func (s *Shards) Losses() []Loss { return s.inner.Losses() }

// Losses implements [Lossy].
func (b *bitroundBound) Losses() []Loss {
	if mantissa, ok := mantissaOf(b.out.Type); ok {
		if b.keep >= mantissa {
			return nil
		}
		return []Loss{{What: fmt.Sprintf("rounded to %d bits of the mantissa: at most 2^-%d of each number away", b.keep, b.keep+1)}}
	}
	if b.keep >= 8*b.out.Type.Size() {
		return nil
	}
	return []Loss{{What: fmt.Sprintf("rounded to the %d highest bits that are set or behind one: at most 2^-%d of each number away", b.keep, b.keep)}}
}

// Losses implements [Lossy].
func (u unscaled) Losses() []Loss { return nil }

// Losses implements [Lossy]. A power of two as the scale, and no offset, change
// exponents alone.
func (b *scaleOffsetBound) Losses() []Loss {
	fraction, _ := math.Frexp(b.scale.float)
	if b.in.Kind() != dtype.Float || b.offset.float == 0 && math.Abs(fraction) == 0.5 {
		return nil
	}
	return []Loss{{What: fmt.Sprintf("computed in %s: up to 2 units in the last place of the larger of value and offset away", b.in.Name())}}
}

// unit implements rescaling.
func (b *scaleOffsetBound) unit() float64 {
	scale := b.scale.float
	if b.in.Kind() != dtype.Float {
		scale, _ = new(big.Float).SetInt(b.scale.whole).Float64()
	}
	return 1 / math.Abs(scale)
}

// Losses implements [Lossy].
func (b *castValueBound) Losses() []Loss {
	list := b.rule.losses(b.to, b.from)
	if len(b.encodeMap) > 0 && len(b.decodeMap) == 0 {
		list = append(list, Loss{What: "numbers that scalar_map names become others"})
	}
	return list
}

// losses are those of a cast. A number that is out of range is one unless the rule
// refuses it.
func (r castRule) losses(to, from castForm) []Loss {
	var list []Loss
	nearest := r.rounding == dtype.NearestEven || r.rounding == dtype.NearestAway
	floats, outside := from.kind == dtype.Float, false
	switch {
	case to.kind != dtype.Float && floats:
		outside = true
		away := 1.0
		if nearest {
			away = 0.5
		}
		list = append(list, Loss{What: fmt.Sprintf("rounded to whole numbers (%s)", r.rounding), AtMost: away})
	case to.kind != dtype.Float:
		outside = from.least() < to.least() || from.greatest() > to.greatest()
	case floats && !to.holdsFloats(from) || !floats && !holdsIntegers(to, from):
		outside = true
		digits := to.mantissa()
		if nearest {
			digits++
		}
		list = append(list, Loss{What: fmt.Sprintf("rounded to %s (%s): at most 2^-%d of each number away, but for those next to zero", to.typ.Name(), r.rounding, digits)})
	}
	switch {
	case outside && r.outOfRange == clampOutOfRange:
		list = append(list, Loss{What: fmt.Sprintf("numbers out of the range of %s become the nearest in it, or infinite, without a bound", to.typ.Name())})
	case outside && r.outOfRange == wrapOutOfRange:
		list = append(list, Loss{What: fmt.Sprintf("numbers out of the range of %s wrap around, without a bound", to.typ.Name())})
	}
	return list
}

// mantissa is how many bits of a float's mantissa are stored.
func (f castForm) mantissa() int {
	switch {
	case f.layout != nil:
		one, _ := f.layout.Round(1, dtype.NearestEven)
		two, _ := f.layout.Round(2, dtype.NearestEven) // one exponent further
		return bits.Len(uint(two-one)) - 1
	case f.typ.Size() == 4:
		return 23
	default:
		return 52
	}
}

// holdsFloats reports whether a float type has every number of another.
func (f castForm) holdsFloats(of castForm) bool {
	return dtype.Same(f.typ, of.typ) || f.layout == nil && (of.layout != nil || f.typ.Size() > of.typ.Size())
}

// Losses implements [Lossy].
func (b *castBound) Losses() []Loss { return b.losses }

// unit implements rescaling.
func (b *castBound) unit() float64 { return 1 / b.scale }

// astypeLosses are those of a cast as NumPy does it.
func astypeLosses(to, from dtype.Type) []Loss {
	t, ok := castFormOf(to)
	f, number := castFormOf(from)
	switch {
	case ok && number:
		rule := castRule{outOfRange: wrapOutOfRange}
		if f.kind == dtype.Float && t.kind != dtype.Float {
			rule = castRule{rounding: dtype.TowardsZero}
		} else if t.kind == dtype.Float {
			rule = castRule{outOfRange: clampOutOfRange}
		}
		return rule.losses(t, f)
	case to.Size() < from.Size():
		return []Loss{{What: fmt.Sprintf("rounded to %s", to.Name())}}
	default:
		return nil
	}
}

// Losses implements [Lossy].
func (b *deltaBound) Losses() []Loss {
	if !numberOf(b.out.Type).float() {
		return nil
	}
	return []Loss{{What: "summed up again in " + b.in.Name() + ": errors of rounding add up along a chunk, without a bound"}}
}

// unit implements rescaling.
func (b *deltaBound) unit() float64 { return 0 }

// Losses implements [Lossy].
func (b *packbitsBound) Losses() []Loss {
	packing, _ := packingOf(b.typ)
	if b.first == 0 && b.last == packing.Bits-1 {
		return nil
	}
	return []Loss{{What: fmt.Sprintf("bits other than %d to %d are left out, without a bound", b.first, b.last)}}
}

// Losses implements [Lossy].
func (b *zfpArrays[T]) Losses() []Loss {
	if b.lossless() {
		return nil
	}
	const largest = "the error depends on the largest value of each block"
	unlimited := b.params.MaxBits >= zfp.NoMaxBits && b.params.MaxPrec >= 8*b.form.stored.Size()
	switch {
	case b.mode == "fixed_rate":
		return []Loss{{What: fmt.Sprintf("cut to %g bits for each value: %s", b.rate, largest)}}
	case b.mode == "fixed_precision":
		return []Loss{{What: fmt.Sprintf("cut to %d bit planes: %s", b.precision, largest)}}
	case !b.form.float() && unlimited:
		return []Loss{{What: "the lowest bits of integers may change"}}
	case unlimited && b.params.MinExp > zfp.NoMinExp:
		away := math.Ldexp(1, b.params.MinExp)
		if b.mode == "fixed_accuracy" {
			away = b.tolerance
		}
		what := "rounded by blocks"
		if !b.verify {
			what += " (verify_bound: true proves the bound, which digits of very large values may miss)"
		}
		return []Loss{{What: what, AtMost: away}}
	default:
		return []Loss{{What: "cut by the limits of the mode: " + largest}}
	}
}
