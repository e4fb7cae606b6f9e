package cf

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"

	"github.com/zmigrate/zmigrate/dtype"
)

// last returns the number of the largest integer of the stored type.
func (p *Packing) last() uint64 { return math.MaxUint64 >> (64 - 8*p.Stored.Size()) }

// signed reports whether the stored type is a signed integer.
func (p *Packing) signed() bool {
	t, _, ok := counterpart(p.Stored)
	return ok && p.Stored == t
}

// least returns the smallest value of the stored integer type.
func (p *Packing) least() int64 {
	if p.signed() {
		return math.MinInt64 >> (64 - 8*p.Stored.Size())
	}
	return 0
}

// float returns the stored integer with number k, rounded to a float64 if float64 does
// not hold it.
func (p *Packing) float(k uint64) float64 {
	if p.signed() {
		return float64(int64(k) + p.least())
	}
	return float64(k)
}

// exact returns the stored integer with number k.
func (p *Packing) exact(k uint64) *big.Int {
	n := new(big.Int).SetUint64(k)
	return n.Add(n, big.NewInt(p.least()))
}

// scalar returns the stored integer with number k as it lies in memory.
func (p *Packing) scalar(k uint64) dtype.Scalar {
	s, err := p.Stored.ParseScalar(dtype.V3, json.RawMessage(p.exact(k).String()))
	if err != nil {
		panic(err) // k is at most last
	}
	return s
}

// count returns the number of a stored integer.
func (p *Packing) count(s dtype.Scalar) uint64 {
	var v uint64
	switch len(s) {
	case 1:
		v = uint64(s[0])
	case 2:
		v = uint64(binary.NativeEndian.Uint16(s))
	case 4:
		v = uint64(binary.NativeEndian.Uint32(s))
	default:
		v = binary.NativeEndian.Uint64(s)
	}
	return (v - uint64(p.least())) & p.last()
}

// readValid reads the attributes of the valid range.
func (p *Packing) readValid() {
	p.valid = interval{high: p.lastInteger(), lowF: math.Inf(-1), topF: math.Inf(1)}
	if p.attributes.Get(validRange) != nil {
		if list, ok := numbers(p.attributes.Get(validRange), p.typeOf(validRange)); !ok || len(list) != 2 {
			p.ignore(validRange, "want two numbers")
		} else {
			p.limit(validRange, list[0], false)
			p.limit(validRange, list[1], true)
		}
	}
	for _, name := range []string{validMin, validMax} {
		text := p.attributes.Get(name)
		if text == nil {
			continue
		}
		list, ok := numbers(text, p.typeOf(name))
		switch {
		case len(p.valid.limits) == 2 && p.attributes.Get(validRange) != nil:
			p.ignore(name, "valid_range gives both limits already")
		case !ok || len(list) != 1:
			p.ignore(name, "want one number")
		default:
			p.limit(name, list[0], name == validMax)
		}
	}
	v := &p.valid
	v.empty = v.empty || v.low > v.high || v.lowF > v.topF
	if v.empty {
		p.find(OutsideRange, "", "no stored value is within the valid range")
		return
	}
	for _, s := range p.sentinels {
		if v.given && p.isInteger() && p.count(s) >= v.low && p.count(s) <= v.high {
			p.find(ValidSentinel, "", "%s stands for missing data and is within the valid range", p.Stored.FormatScalar(dtype.V3, s))
		}
	}
}

func (p *Packing) lastInteger() uint64 {
	if p.isInteger() {
		return p.last()
	}
	return 0
}

// limit narrows the valid range to the values that an attribute allows.
func (p *Packing) limit(name string, n number, upper bool) {
	if math.IsNaN(n.float) {
		p.ignore(name, "no value can be compared with NaN")
		return
	}
	v := &p.valid
	v.given = true
	l := limit{upper: upper, value: n.float}
	switch {
	case !p.isInteger() && upper:
		v.topF = min(v.topF, n.float)
	case !p.isInteger():
		v.lowF = max(v.lowF, n.float)
	case n.typ != integer && n.typ == p.widest():
		l.physical = true
		p.limitPhysical(n.float, upper)
	default:
		l.value = p.limitStored(n, upper)
	}
	v.limits = append(v.limits, l)
}

// limitStored narrows the range of integers to the values on one side of n, and returns
// n as a stored value.
func (p *Packing) limitStored(n number, upper bool) float64 {
	v := &p.valid
	if s, why := p.storedScalar(n); why == "" {
		k := p.count(s)
		if upper {
			v.high = min(v.high, k)
		} else {
			v.low = max(v.low, k)
		}
		return p.float(k)
	}
	// n lies between two integers, or beyond all of them.
	first := p.first(func(k uint64) bool { // the first one above n
		if n.exact == nil {
			return n.float < 0
		}
		return new(big.Rat).SetInt(p.exact(k)).Cmp(n.exact) > 0
	})
	p.cut(first, upper)
	return n.float
}

// limitPhysical narrows the range of integers to those whose physical value is on one
// side of x. Physical values rise with the stored values, or fall if scale_factor is
// negative. Rounding does not change the direction.
func (p *Packing) limitPhysical(x float64, upper bool) {
	falling := p.scale != nil && p.scale.float < 0
	within := func(k uint64) bool {
		y := p.physical(p.float(k))
		return upper && y <= x || !upper && y >= x
	}
	// The last integers are valid in two cases: physical values rise and the limit is a
	// lower one, or they fall and it is an upper one.
	if upper == falling {
		p.cut(p.first(within), false)
	} else {
		p.cut(p.first(func(k uint64) bool { return !within(k) }), true)
	}
}

// cut keeps the integers before first, or the integers from first on.
func (p *Packing) cut(first position, before bool) {
	v := &p.valid
	switch {
	case before && first.none:
	case before && first.at == 0, !before && first.none:
		v.empty = true
	case before:
		v.high = min(v.high, first.at-1)
	default:
		v.low = max(v.low, first.at)
	}
}

// position is the number of an integer, or says that there is none.
type position struct {
	at   uint64
	none bool
}

// first returns the first integer for which f is true. f must be true for all integers
// behind it.
func (p *Packing) first(f func(k uint64) bool) position {
	low, high := uint64(0), p.last()
	if !f(high) {
		return position{none: true}
	}
	for low < high {
		middle := low + (high-low)/2
		if f(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return position{at: low}
}

// outside returns an upper bound of the number of integers that are not valid.
func (p *Packing) outside() uint64 {
	v := p.valid
	switch {
	case v.empty:
		return p.last()
	default:
		return v.low + (p.last() - v.high)
	}
}
