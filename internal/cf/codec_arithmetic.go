package cf

import (
	"fmt"
	"math"
	"math/big"

	"github.com/zmigrate/zmigrate/dtype"
)

// readers is the arithmetic by which scale_offset and cast_value decode physical values,
// and encode them again. These codecs divide by scale, whereas CF multiplies by
// scale_factor.
type readers struct {
	packing       *Packing
	scale, offset float64 // values of the physical type
}

// readers chooses the scale: a value of the physical type near 1 / scale_factor, with
// which the decoded values come nearest to CF's. For stored types of at most 16 bits
// all values are compared.
func (p *Packing) readers() (*readers, error) {
	r := &readers{packing: p, scale: 1}
	if p.offset != nil {
		r.offset = p.offset.float
	}
	if p.scale != nil {
		if r.scale = p.round(1 / p.scale.float); r.scale == 0 || math.IsInf(r.scale, 0) {
			return nil, fmt.Errorf("scale_factor %s has no reciprocal in %s, but scale_offset needs one", decimal(p.scale.float), p.Physical.Name())
		}
		r.nearest()
	}
	for _, k := range []uint64{0, p.last()} { // the other values lie between these two
		if x := r.value(p.float(k)); math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, fmt.Errorf("the stored value %s has no finite value in %s", p.exact(k), p.Physical.Name())
		}
	}
	return r, nil
}

// round rounds to the physical type.
func (p *Packing) round(x float64) float64 {
	if p.Physical == dtype.Float32 {
		return float64(float32(x))
	}
	return x
}

// value returns what readers decode from a stored value.
func (r *readers) value(v float64) float64 {
	if r.packing.Physical == dtype.Float32 {
		return float64(float32(v)/float32(r.scale) + float32(r.offset))
	}
	return v/r.scale + r.offset
}

// back returns the integer, as a float, that writers encode for a physical value.
func (r *readers) back(x float64) float64 {
	if r.packing.Physical == dtype.Float32 {
		return math.RoundToEven(float64((float32(x) - float32(r.offset)) * float32(r.scale)))
	}
	return math.RoundToEven((x - r.offset) * r.scale)
}

// small reports whether the stored type has so few values that every one of them is
// tried.
func (p *Packing) small() bool { return p.Stored.Size() <= 2 }

// nearest tries the neighbours of the scale.
func (r *readers) nearest() {
	if !r.packing.small() {
		return
	}
	best, middle := r.apart(), r.scale
	for _, towards := range []float64{0, math.Copysign(math.Inf(1), middle)} {
		other := *r
		if r.packing.Physical == dtype.Float32 {
			other.scale = float64(math.Nextafter32(float32(middle), float32(towards)))
		} else {
			other.scale = math.Nextafter(middle, towards)
		}
		if other.scale == 0 || math.IsInf(other.scale, 0) {
			continue
		}
		if d := other.apart(); d.sum < best.sum {
			best, r.scale = d, other.scale
		}
	}
}

// difference compares the values that readers decode with CF's values.
type difference struct {
	values int     // number of values that differ
	sum    float64 // of all differences
	most   float64 // the largest one
	units  float64 // the largest one, in units of the last place of the larger summand
}

// apart compares all values of a small stored type.
func (r *readers) apart() difference {
	p := r.packing
	var d difference
	for k := range p.last() + 1 {
		v := p.float(k)
		want, got := p.physical(v), r.value(v)
		if want == got {
			continue
		}
		apart := math.Abs(got - want)
		d.values++
		d.sum += apart
		d.most = max(d.most, apart)
		d.units = max(d.units, apart/p.lastPlace(max(math.Abs(v*p.scale.float), math.Abs(r.offset))))
	}
	return d
}

// lastPlace returns the unit in the last place of x, which is not negative.
func (p *Packing) lastPlace(x float64) float64 {
	if p.Physical == dtype.Float32 {
		f := float32(x)
		return float64(math.Nextafter32(f, float32(math.Inf(1))) - f)
	}
	return math.Nextafter(x, math.Inf(1)) - x
}

// tell adds findings and notes about the arithmetic. missing are the stored values that
// are not scaled.
func (r *readers) tell(o *Outcome, missing []dtype.Scalar) {
	p := r.packing
	o.note("%s values; the stored %s stay as they are: %s", p.Physical.Name(), p.Stored.Name(), p.formula())
	r.tellDifference(o)
	skip := map[uint64]bool{}
	for _, s := range missing {
		skip[p.count(s)] = true
	}
	if p.small() {
		lost, first := 0, uint64(0)
		for k := range p.last() + 1 {
			if skip[k] || r.returns(k) {
				continue
			}
			if lost == 0 {
				first = k
			}
			lost++
		}
		if lost > 0 {
			r.lost(o, fmt.Sprintf("%d of %d stored values do not come back", lost, p.last()+1), first)
		}
		return
	}
	if r.allReturn() {
		return
	}
	for _, k := range p.probes() {
		if !skip[k] && !r.returns(k) {
			r.lost(o, "not all stored values come back", k)
			return
		}
	}
	o.find(NoReturn, noReturnHint, "values that are read and written again may become other stored values: add_offset is too large for %s to rule that out", p.Physical.Name())
}

const noReturnHint = "the stored values of this migration are kept bit for bit; writing to the array later may change them"

// lost adds the finding that stored value number k does not come back.
func (r *readers) lost(o *Outcome, what string, k uint64) {
	p := r.packing
	x := r.value(p.float(k))
	o.find(NoReturn, noReturnHint, "%s if they are read and written again: %s reads as %s, which is stored as %s",
		what, p.exact(k), decimal(x), new(big.Float).SetFloat64(r.back(x)).Text('f', 0))
}

// tellDifference adds a note that says how far the values of readers are from CF's.
func (r *readers) tellDifference(o *Outcome) {
	p := r.packing
	if p.scale == nil {
		return // the arithmetic is the same
	}
	if fraction, _ := math.Frexp(p.scale.float); math.Abs(fraction) == 0.5 {
		return // the scale is a power of two
	}
	intro := fmt.Sprintf("readers divide by %s, but CF multiplies by %s", p.format(r.scale), decimal(p.scale.float))
	if !p.small() {
		o.note("%s: the values are at most %.2g apart", intro, r.mostApart())
		return
	}
	d := r.apart()
	if d.values == 0 {
		o.note("%s: all values are the same", intro)
		return
	}
	o.note("%s: %d of %d values differ, by at most %.2g, %.3g ulp of the larger summand", intro, d.values, p.last()+1, d.most, d.units)
}

// mostApart bounds the difference between readers' values and CF's. Let u be half a
// unit in the last place of 1. The scale, the quotient and CF's product are each
// rounded once, which makes at most 3u of the largest product. The two sums are each
// rounded once, which makes at most 2u of the largest sum.
func (r *readers) mostApart() float64 {
	p := r.packing
	product := float64(p.largest() * math.Abs(p.scale.float))
	return 0x1p-53 * (float64(3*product) + float64(2*(product+math.Abs(r.offset)))) * 1.001
}

// largest bounds the magnitude of stored values.
func (p *Packing) largest() float64 { return max(math.Abs(p.float(0)), math.Abs(p.float(p.last()))) }

// returns reports whether stored value number k comes back when the value that was read
// is written again.
func (r *readers) returns(k uint64) bool {
	p := r.packing
	back := r.back(r.value(p.float(k)))
	if p.Stored.Size() < 8 {
		return back == p.float(k)
	}
	if math.IsInf(back, 0) || math.IsNaN(back) {
		return false
	}
	n, _ := new(big.Float).SetFloat64(back).Int(nil)
	return n.Cmp(p.exact(k)) == 0
}

// allReturn reports whether every stored value certainly comes back, for float64. Let v
// be the stored value, s the scale, o the offset, and u half a unit in the last place
// of 1. Reading and writing round four times:
//
//	(((v / s)(1+a) + o)(1+b) − o)(1+c) · s(1+d)    |a|, |b|, |c|, |d| ≤ u
//
// The result differs from v by at most u·(4|v| + |o·s|) and terms of u². If this is
// below one half, the result is rounded to v; v is then below 2^50, which float64
// holds. Quotients must not be so small that they are subnormal.
func (r *readers) allReturn() bool {
	p := r.packing
	const smallestNormal = 0x1p-1022
	if math.Abs(1/r.scale) < smallestNormal {
		return false
	}
	return 0x1p-53*(float64(4*p.largest())+math.Abs(float64(r.offset*r.scale)))*1.001 < 0.5
}

// probes returns stored values at which rounding shows first: the extremes and the
// neighbours of powers of two.
func (p *Packing) probes() []uint64 {
	zero := uint64(-p.least())
	list := []uint64{p.last(), 0, zero}
	for i := range 8*p.Stored.Size() - 1 {
		for _, d := range []uint64{1<<i - 1, 1 << i, 1<<i + 1} {
			if zero > 0 {
				list = append(list, zero-d)
			}
			list = append(list, zero+d)
		}
	}
	for i, k := range list {
		list[i] = k & p.last()
	}
	return list
}
