package cf

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Rebase turns numbers that one [Clock] counts into the numbers that another clock counts
// for the same moments. The arithmetic is exact: n becomes (n × num + off) / den, with
// integers of any size. If the target type is an integer type, a result that is not an
// integer, or is beyond the type, is an error. If it is a float type, the nearest float is
// taken; it is an error if that moves the moment by more than half a microsecond. Missing
// values, NaN and infinities stay as they are. A Rebase is safe for concurrent use.
type Rebase struct {
	From, To      *Clock
	src, dst      dtype.Type
	num, off, den *big.Int
	// p, r and q are num, off and den, if these are small. Then no intermediate result
	// overflows for numbers from -limit to limit. Otherwise limit is -1.
	p, r, q, limit int64
	least          float64 // from this number on, both calendars agree
	low, high      int64   // the least and the greatest integer of the type dst
	whole          int64   // all integers up to this size are floats of the type dst
	missing        []float64
	missingInts    []int64
}

// RefusedTime is the error about an element that a [Rebase] refuses.
type RefusedTime struct {
	Index    int    // of the element, in C order
	From, To string // the number in both units, with the units
	Type     dtype.Type
	Reason   Reason
}

// Reason is why an element is refused.
type Reason int

const (
	Fraction Reason = iota // the type has no number near enough
	Overflow               // the number is beyond the type
	Taken                  // the number means missing data
	Early                  // the calendars differ at that time
)

func (e *RefusedTime) Error() string {
	why := "which " + e.Type.Name() + " does not hold exactly"
	switch e.Reason {
	case Overflow:
		why = "which is beyond " + e.Type.Name()
	case Taken:
		why = "a number that stands for missing data"
	case Early:
		why = "a time before 1582-10-15, when the calendars differ"
	}
	return fmt.Sprintf("%s is %s, %s", e.From, e.To, why)
}

// NewRebase binds two clocks to data types. It returns an error if the calendars differ in
// all times, or if a data type is neither a type of integers nor float32 or float64.
// missing are the values of attributes such as _FillValue: each is nil or has values that
// stand for missing data in both types.
func NewRebase(from, to *Clock, src, dst dtype.Type, missing ...json.RawMessage) (*Rebase, error) {
	r := &Rebase{From: from, To: to, src: src, dst: dst, least: math.Inf(-1)}
	if from.Calendar != to.Calendar {
		if !SameAfterReform(quote(from.Calendar), quote(to.Calendar)) {
			return nil, fmt.Errorf("times of the calendar %s cannot be counted in the calendar %s", from.Calendar, to.Calendar)
		}
		day, _ := gregorianDay(1582, 10, 15)
		moment := new(big.Rat).SetInt64(day * 86400)
		r.least, _ = moment.Sub(moment, from.origin).Quo(moment, from.length).Float64()
	}
	if kindOf(src) == noTime || kindOf(dst) == noTime {
		return nil, fmt.Errorf("times of data type %s cannot be brought to another origin as %s", src.Name(), dst.Name())
	}
	factor := new(big.Rat).Quo(from.length, to.length)
	shift := new(big.Rat).Sub(from.origin, to.origin)
	shift.Quo(shift, to.length)
	// n × a/b + c/d = (n × a×d + c×b) / (b×d)
	a, b, c, d := factor.Num(), factor.Denom(), shift.Num(), shift.Denom()
	r.num, r.off, r.den = new(big.Int).Mul(a, d), new(big.Int).Mul(c, b), new(big.Int).Mul(b, d)
	common := new(big.Int).GCD(nil, nil, new(big.Int).GCD(nil, nil, r.num, new(big.Int).Abs(r.off)), r.den)
	r.num.Quo(r.num, common)
	r.off.Quo(r.off, common)
	r.den.Quo(r.den, common)
	if r.limit = -1; r.num.IsInt64() && r.off.IsInt64() && r.den.IsInt64() && r.off.Int64() != math.MinInt64 {
		r.p, r.r, r.q = r.num.Int64(), r.off.Int64(), r.den.Int64()
		r.limit = (math.MaxInt64 - max(r.r, -r.r)) / r.p
	}
	r.low, r.high, r.whole = rangeOf(dst)
	for _, m := range missing {
		list, ok := numbers(m, nil)
		if !ok {
			list, _ = floatFill(m)
		}
		for _, n := range list {
			r.missing = append(r.missing, n.float)
			switch {
			case n.exact == nil || !n.exact.IsInt():
			case n.exact.Num().IsInt64():
				r.missingInts = append(r.missingInts, n.exact.Num().Int64())
			case n.exact.Num().IsUint64() && src == dtype.Uint64 && dst == dtype.Uint64:
				r.missingInts = append(r.missingInts, int64(n.exact.Num().Uint64())) // as mover loads it
			}
		}
	}
	return r, nil
}

func quote(calendar string) json.RawMessage { return json.RawMessage(`"` + calendar + `"`) }

// Whole reports whether every integer becomes an integer.
func (r *Rebase) Whole() bool { return r.q == 1 }

// FinestUnit returns the coarsest units in which the integers of all clocks stay integers.
// They count from the moment of the first clock. It returns "" if there are no such units.
func FinestUnit(clocks []*Clock) string {
	if len(clocks) == 0 {
		return ""
	}
	first := clocks[0]
	_, moment, _ := cutFold(first.Units, "since")
next:
	for _, unit := range []string{"day", "hour", "minute", "second", "millisecond", "microsecond", "nanosecond"} {
		length := unitSeconds[unit]
		for _, c := range clocks {
			shift := new(big.Rat).Sub(c.origin, first.origin)
			if !new(big.Rat).Quo(c.length, length).IsInt() || !shift.Quo(shift, length).IsInt() {
				continue next
			}
		}
		return unit + "s since " + strings.TrimSpace(moment)
	}
	return ""
}

// cutFold is [strings.Cut] whatever the case of the letters.
func cutFold(text, at string) (before, after string, found bool) {
	i := strings.Index(strings.ToLower(text), at)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(at):], true
}

const (
	noTime = iota
	wholeKind
	floatKind
)

// kindOf returns whether a type is one of integers or of floats, or noTime if times cannot
// have the type.
func kindOf(t dtype.Type) int {
	if _, ok := wholeMover(t); ok {
		return wholeKind
	}
	if _, ok := floatMover(t); ok {
		return floatKind
	}
	return noTime
}

func rangeOf(t dtype.Type) (low, high, whole int64) {
	switch t {
	case dtype.Int8:
		return math.MinInt8, math.MaxInt8, 0
	case dtype.Int16:
		return math.MinInt16, math.MaxInt16, 0
	case dtype.Int32:
		return math.MinInt32, math.MaxInt32, 0
	case dtype.Uint8:
		return 0, math.MaxUint8, 0
	case dtype.Uint16:
		return 0, math.MaxUint16, 0
	case dtype.Uint32:
		return 0, math.MaxUint32, 0
	case dtype.Uint64: // larger numbers are not accepted as times
		return 0, math.MaxInt64, 0
	case dtype.Float32:
		return 0, 0, 1 << 24
	case dtype.Float64:
		return 0, 0, 1 << 53
	}
	return math.MinInt64, math.MaxInt64, 0
}

// Convert fills dst from src. Both are contiguous arrays of one shape, and have the bound
// types. The error is a *[RefusedTime].
func (r *Rebase) Convert(dst, src ndarray.Array) error {
	var ints [pieceElements]int64
	var reals [pieceElements]float64
	from, to := kindOf(r.src), kindOf(r.dst)
	wholesIn, _ := wholeMover(r.src)
	wholesOut, _ := wholeMover(r.dst)
	floatsIn, _ := floatMover(r.src)
	floatsOut, _ := floatMover(r.dst)
	for at := 0; at < src.Len(); at += pieceElements {
		n := min(pieceElements, src.Len()-at)
		bad := -1
		why := Fraction
		switch from {
		case wholeKind:
			wholesIn.load(ints[:n], src, at)
			if to == wholeKind {
				bad, why = r.wholes(ints[:n])
			} else {
				bad, why = r.wholesToFloats(reals[:n], ints[:n])
			}
		default:
			floatsIn.load(reals[:n], src, at)
			if to == wholeKind {
				bad, why = r.floatsToWholes(ints[:n], reals[:n])
			} else {
				bad, why = r.floats(reals[:n])
			}
		}
		if bad >= 0 {
			return r.inexact(src, at+bad, why)
		}
		if to == wholeKind {
			wholesOut.store(dst, at, ints[:n])
		} else {
			floatsOut.store(dst, at, reals[:n])
		}
	}
	return nil
}

// inexact returns the error about an element that was refused.
func (r *Rebase) inexact(src ndarray.Array, at int, why Reason) error {
	x := new(big.Rat)
	if m, ok := wholeMover(r.src); ok {
		var one [1]int64
		m.load(one[:], src, at)
		if one[0] < 0 && r.src == dtype.Uint64 {
			x.SetUint64(uint64(one[0]))
		} else {
			x.SetInt64(one[0])
		}
	} else {
		m, _ := floatMover(r.src)
		var one [1]float64
		m.load(one[:], src, at)
		x.SetFloat64(one[0])
	}
	shown := func(x *big.Rat) string {
		text := x.FloatString(9)
		return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return &RefusedTime{Index: at, From: shown(x) + " " + r.From.Units, To: shown(r.exact(x)) + " " + r.To.Units, Type: r.dst, Reason: why}
}

// exact returns the exact result for a number, in new memory.
func (r *Rebase) exact(x *big.Rat) *big.Rat {
	y := new(big.Rat).Mul(x, new(big.Rat).SetFrac(r.num, r.den))
	return y.Add(y, new(big.Rat).SetFrac(r.off, r.den))
}

// wholes converts integers in place. It returns the index of the first integer that it
// refuses, or -1.
func (r *Rebase) wholes(list []int64) (bad int, why Reason) {
	unsigned := r.src == dtype.Uint64
	for i, x := range list {
		if len(r.missingInts) > 0 && slices.Contains(r.missingInts, x) {
			if r.src != r.dst && (x < r.low || x > r.high) {
				return i, Overflow
			}
			continue
		}
		if x > r.limit || x < -r.limit || unsigned && x < 0 {
			y, why := r.slow(x)
			if why >= 0 {
				return i, why
			}
			list[i] = y
			continue
		}
		y := x*r.p + r.r
		if r.q != 1 {
			if y%r.q != 0 {
				return i, Fraction
			}
			y /= r.q
		}
		if why := r.fits(float64(x), y); why >= 0 {
			return i, why
		}
		list[i] = y
	}
	return -1, 0
}

// fits returns why the integer y cannot be the result for x, or -1 if it can.
func (r *Rebase) fits(x float64, y int64) Reason {
	switch {
	case x < r.least:
		return Early
	case y < r.low || y > r.high:
		return Overflow
	case len(r.missingInts) > 0 && slices.Contains(r.missingInts, y):
		return Taken
	}
	return -1
}

// slow is wholes for one number of any size.
func (r *Rebase) slow(x int64) (y int64, why Reason) {
	if x < 0 && r.src == dtype.Uint64 {
		return 0, Overflow
	}
	exact := r.exact(new(big.Rat).SetInt64(x))
	switch {
	case !exact.IsInt():
		return 0, Fraction
	case !exact.Num().IsInt64():
		return 0, Overflow
	}
	y = exact.Num().Int64()
	return y, r.fits(float64(x), y)
}

// wholesToFloats converts integers to floats.
func (r *Rebase) wholesToFloats(dst []float64, src []int64) (bad int, why Reason) {
	for i, x := range src {
		if len(r.missingInts) > 0 && slices.Contains(r.missingInts, x) {
			dst[i] = float64(x)
			continue
		}
		if x < 0 && r.src == dtype.Uint64 {
			return i, Overflow
		}
		if y, ok := r.quick(x); ok {
			dst[i] = float64(y)
		} else if dst[i], why = r.near(new(big.Rat).SetInt64(x)); why >= 0 {
			return i, why
		}
		if why := r.allowed(float64(x), dst[i]); why >= 0 {
			return i, why
		}
	}
	return -1, 0
}

// quick returns the result for an integer, if the result is an integer, too, and so small
// that the float type dst holds all integers of that size.
func (r *Rebase) quick(x int64) (y int64, ok bool) {
	if x > r.limit || x < -r.limit {
		return 0, false
	}
	y = x*r.p + r.r
	if r.q != 1 {
		if y%r.q != 0 {
			return 0, false
		}
		y /= r.q
	}
	return y, y <= r.whole && y >= -r.whole
}

// allowed returns why the float y cannot be the result for x, or -1 if it can.
func (r *Rebase) allowed(x, y float64) Reason {
	switch {
	case x < r.least:
		return Early
	case len(r.missing) > 0 && slices.Contains(r.missing, y):
		return Taken
	}
	return -1
}

// mostWhole is the size up to which float64 holds all integers.
const mostWhole = 1 << 53

// stays reports whether a float is not a time: it is NaN, an infinity or a missing value.
func (r *Rebase) stays(x float64) bool {
	return x != x || math.IsInf(x, 0) || len(r.missing) > 0 && slices.Contains(r.missing, x)
}

// floats converts floats in place.
func (r *Rebase) floats(list []float64) (bad int, why Reason) {
	for i, x := range list {
		if r.stays(x) {
			continue
		}
		done := false
		if x >= -mostWhole && x <= mostWhole && x == math.Trunc(x) {
			var y int64
			if y, done = r.quick(int64(x)); done {
				list[i] = float64(y)
			}
		}
		if !done {
			if list[i], why = r.near(new(big.Rat).SetFloat64(x)); why >= 0 {
				return i, why
			}
		}
		if why := r.allowed(x, list[i]); why >= 0 {
			return i, why
		}
	}
	return -1, 0
}

// moved reports whether rounding a number of the clock To moves the moment too far.
func (r *Rebase) moved(exact, rounded *big.Rat) bool {
	d := new(big.Rat).Sub(exact, rounded)
	return d.Abs(d).Mul(d, r.To.length).Cmp(tolerance) > 0
}

// near returns the float nearest to the result for a number.
func (r *Rebase) near(x *big.Rat) (y float64, why Reason) {
	exact := r.exact(x)
	var same bool
	if r.dst == dtype.Float32 {
		var single float32
		single, same = exact.Float32()
		y = float64(single)
	} else {
		y, same = exact.Float64()
	}
	switch {
	case math.IsInf(y, 0):
		return 0, Overflow
	case !same && r.moved(exact, new(big.Rat).SetFloat64(y)):
		return 0, Fraction
	}
	return y, -1
}

// floatsToWholes converts floats to integers.
func (r *Rebase) floatsToWholes(dst []int64, src []float64) (bad int, why Reason) {
	for i, x := range src {
		if r.stays(x) {
			if x != math.Trunc(x) || x < float64(r.low) || x > float64(r.high) || math.Abs(x) > mostWhole {
				return i, Fraction
			}
			dst[i] = int64(x)
			continue
		}
		exact := r.exact(new(big.Rat).SetFloat64(x))
		y, ok := nearestInt(exact)
		switch {
		case !ok:
			return i, Overflow
		case r.moved(exact, new(big.Rat).SetInt64(y)):
			return i, Fraction
		}
		if why := r.fits(x, y); why >= 0 {
			return i, why
		}
		dst[i] = y
	}
	return -1, 0
}

// nearestInt returns the integer nearest to x.
func nearestInt(x *big.Rat) (int64, bool) {
	twice := new(big.Int).Lsh(x.Num(), 1)
	twice.Add(twice, x.Denom())
	q := new(big.Int).Div(twice, new(big.Int).Lsh(x.Denom(), 1))
	return q.Int64(), q.IsInt64()
}

// mover copies elements of one type from arrays to numbers of type W, and back.
type mover[W int64 | float64] struct {
	load  func(dst []W, src ndarray.Array, at int) // from element at on; integers of uint64 beyond int64 become negative
	store func(dst ndarray.Array, at int, src []W)
}

func moverOf[T real, W int64 | float64]() mover[W] { return mover[W]{load[T, W], store[T, W]} }

// wholeMover returns the mover of a type of integers. It returns false for any other type.
func wholeMover(t dtype.Type) (m mover[int64], ok bool) {
	switch t {
	case dtype.Int8:
		return moverOf[int8, int64](), true
	case dtype.Int16:
		return moverOf[int16, int64](), true
	case dtype.Int32:
		return moverOf[int32, int64](), true
	case dtype.Int64:
		return moverOf[int64, int64](), true
	case dtype.Uint8:
		return moverOf[uint8, int64](), true
	case dtype.Uint16:
		return moverOf[uint16, int64](), true
	case dtype.Uint32:
		return moverOf[uint32, int64](), true
	case dtype.Uint64:
		return moverOf[uint64, int64](), true
	}
	return m, false
}

// floatMover returns the mover of float32 or float64. It returns false for any other type.
func floatMover(t dtype.Type) (m mover[float64], ok bool) {
	switch t {
	case dtype.Float32:
		return moverOf[float32, float64](), true
	case dtype.Float64:
		return moverOf[float64, float64](), true
	}
	return m, false
}

// elementsOf returns the elements of a contiguous array of Go type T.
func elementsOf[T real](a ndarray.Array) []T {
	list, ok := ndarray.As[T](a)
	if !ok {
		panic("cf: the elements are not contiguous")
	}
	return list
}

func load[T real, W int64 | float64](dst []W, src ndarray.Array, at int) {
	for i, x := range elementsOf[T](src)[at : at+len(dst)] {
		dst[i] = W(x)
	}
}

func store[T real, W int64 | float64](dst ndarray.Array, at int, src []W) {
	list := elementsOf[T](dst)[at:]
	for i, x := range src {
		list[i] = T(x)
	}
}
