package dtype

import (
	"math"
	"slices"
	"testing"
)

var floatLayouts = []struct {
	name   string
	layout *FloatLayout
}{
	{"float16", Float16Layout},
	{"bfloat16", BFloat16Layout},
	{"float8_e3m4", Float8E3M4Layout},
	{"float8_e4m3", Float8E4M3Layout},
	{"float8_e4m3b11fnuz", Float8E4M3B11FNUZLayout},
	{"float8_e4m3fnuz", Float8E4M3FNUZLayout},
	{"float8_e5m2", Float8E5M2Layout},
	{"float8_e5m2fnuz", Float8E5M2FNUZLayout},
	{"float8_e8m0fnu", Float8E8M0FNULayout},
	{"float6_e2m3fn", Float6E2M3FNLayout},
	{"float6_e3m2fn", Float6E3M2FNLayout},
	{"float4_e2m1fn", Float4E2M1FNLayout},
}

var allRoundings = []Rounding{NearestEven, TowardsZero, TowardsPositive, TowardsNegative, NearestAway}

// eachLayout runs a test for every layout, side by side.
func eachLayout(t *testing.T, test func(t *testing.T, l *FloatLayout)) {
	for _, layout := range floatLayouts {
		t.Run(layout.name, func(t *testing.T) {
			t.Parallel()
			test(t, layout.layout)
		})
	}
}

func TestRoundingString(t *testing.T) {
	names := map[Rounding]string{
		NearestEven: "nearest-even", TowardsZero: "towards-zero", TowardsPositive: "towards-positive",
		TowardsNegative: "towards-negative", NearestAway: "nearest-away", 5: "unknown rounding",
	}
	for mode, want := range names {
		if got := mode.String(); got != want {
			t.Errorf("Rounding(%d) is %q, want %q", mode, got, want)
		}
	}
}

// The registry of Zarr extensions states these constants, and the Zarr core
// specification those of float16.
func TestFloatSpecialPatterns(t *testing.T) {
	const none = -1
	want := map[*FloatLayout]struct{ bits, nan, infinity, negativeInfinity int }{
		Float16Layout:           {16, 0x7e00, 0x7c00, 0xfc00},
		BFloat16Layout:          {16, 0x7fc0, 0x7f80, 0xff80},
		Float8E3M4Layout:        {8, 0x78, 0x70, 0xf0},
		Float8E4M3Layout:        {8, 0x7c, 0x78, 0xf8},
		Float8E4M3B11FNUZLayout: {8, 0x80, none, none},
		Float8E4M3FNUZLayout:    {8, 0x80, none, none},
		Float8E5M2Layout:        {8, 0x7e, 0x7c, 0xfc},
		Float8E5M2FNUZLayout:    {8, 0x80, none, none},
		Float8E8M0FNULayout:     {8, 0xff, none, none},
		Float6E2M3FNLayout:      {6, none, none, none},
		Float6E3M2FNLayout:      {6, none, none, none},
		Float4E2M1FNLayout:      {4, none, none, none},
	}
	number := func(pattern uint16, ok bool) int {
		if !ok {
			return none
		}
		return int(pattern)
	}
	eachLayout(t, func(t *testing.T, l *FloatLayout) {
		w := want[l]
		if got := l.Bits(); got != w.bits {
			t.Errorf("%d bits, want %d", got, w.bits)
		}
		if got := number(l.NaN()); got != w.nan {
			t.Errorf("NaN %#x, want %#x", got, w.nan)
		}
		if got := number(l.Infinity(false)); got != w.infinity {
			t.Errorf("infinity %#x, want %#x", got, w.infinity)
		}
		if got := number(l.Infinity(true)); got != w.negativeInfinity {
			t.Errorf("-infinity %#x, want %#x", got, w.negativeInfinity)
		}
	})
}

// Every value of a layout is rounded to itself in every mode.
func TestFloatPatternsSurvive(t *testing.T) {
	eachLayout(t, func(t *testing.T, l *FloatLayout) {
		nan, _ := l.NaN()
		for p := range 1 << l.Bits() {
			pattern := uint16(p)
			x := l.Float64(pattern)
			want := pattern
			if math.IsNaN(x) {
				want = nan
			}
			for _, mode := range allRoundings {
				if got, fits := l.Round(x, mode); got != want || !fits {
					t.Fatalf("%s: %#x is %v, which rounds to %#x, %t", mode, pattern, x, got, fits)
				}
			}
			if above := l.Float64(pattern | ^uint16(1<<l.Bits()-1)); math.Float64bits(above) != math.Float64bits(x) {
				t.Fatalf("%#x is %v, with bits above the layout's set %v", pattern, x, above)
			}
		}
	})
}

// magnitude is an entry of the sorted list in which slowFloat looks numbers up.
type magnitude struct {
	value   float64
	pattern int
}

// magnitudes returns the numbers of a layout without sign in ascending order, and two
// numbers that would follow the largest. In an unsigned layout, the list begins with
// two numbers that would come before the smallest.
func magnitudes(l *FloatLayout) []magnitude {
	var list []magnitude
	count := 1 << l.Bits()
	if l != Float8E8M0FNULayout {
		count /= 2
	}
	for p := range count {
		if x := l.Float64(uint16(p)); !math.IsNaN(x) && !math.IsInf(x, 0) {
			list = append(list, magnitude{x, p})
		}
	}
	if !slices.IsSortedFunc(list, func(a, b magnitude) int { return int(math.Copysign(1, a.value-b.value)) }) {
		panic("magnitudes do not ascend with their patterns")
	}
	n := len(list)
	if l == Float8E8M0FNULayout {
		list = append(list, magnitude{0x1p128, n}, magnitude{0x1p129, n + 1})
		return append([]magnitude{{0x1p-129, -2}, {0x1p-128, -1}}, list...)
	}
	// The mantissa of the largest number is all ones, so its successor is a power of
	// two.
	step := list[n-1].value - list[n-2].value
	next := list[n-1].value + step
	return append(list, magnitude{next, n}, magnitude{next + 2*step, n + 1})
}

// slowFloat rounds x by a search among all numbers.
type slowFloat struct {
	layout     *FloatLayout
	magnitudes []magnitude
}

func newSlowFloat(l *FloatLayout) *slowFloat { return &slowFloat{l, magnitudes(l)} }

// round is Round for a finite x, which is positive if the layout is unsigned.
func (s *slowFloat) round(x float64, mode Rounding) (uint16, bool) {
	sign, negative := 0, math.Signbit(x)
	if negative {
		sign = 1 << (s.layout.Bits() - 1)
	}
	a := math.Abs(x)
	i, exact := slices.BinarySearchFunc(s.magnitudes, a, func(m magnitude, a float64) int {
		switch {
		case m.value < a:
			return -1
		case m.value > a:
			return 1
		}
		return 0
	})
	if !exact {
		i = s.neighbour(i, a, negative, mode)
	}
	i = min(max(i, 0), len(s.magnitudes)-1)
	pattern := s.magnitudes[i].pattern
	largest := s.magnitudes[len(s.magnitudes)-3].pattern
	if pattern < 0 {
		return 0, false
	}
	if infinity, ok := s.layout.Infinity(negative); pattern > largest && ok {
		return infinity, false
	} else if pattern > largest {
		return uint16(largest | sign), false
	}
	if nan, _ := s.layout.NaN(); int(nan) == pattern|sign {
		return 0, true // no negative zero
	}
	return uint16(pattern | sign), true
}

// neighbour returns the index of the number to which a is rounded. a lies between the
// numbers i-1 and i.
func (s *slowFloat) neighbour(i int, a float64, negative bool, mode Rounding) int {
	switch {
	case i == 0 || i == len(s.magnitudes):
		return i
	case mode == TowardsZero, mode == TowardsPositive && negative, mode == TowardsNegative && !negative:
		return i - 1
	case mode == TowardsPositive, mode == TowardsNegative:
		return i
	}
	below, above := s.magnitudes[i-1], s.magnitudes[i]
	middle := (below.value + above.value) / 2
	if a < middle {
		return i - 1
	}
	if a == middle && mode == NearestEven && below.pattern&1 == 0 && s.layout != Float8E8M0FNULayout {
		return i - 1
	}
	return i
}

// around returns numbers between two neighbours at which the direction of rounding
// changes, or could be mistaken.
func around(below, above float64) []float64 {
	middle := below + (above-below)/2
	var numbers []float64
	for _, x := range []float64{below, middle, above} {
		numbers = append(numbers, math.Nextafter(x, math.Inf(-1)), x, math.Nextafter(x, math.Inf(1)))
	}
	return append(numbers, below+(above-below)/4, below+(above-below)*3/4)
}

// Between all neighbours, Round agrees with a search in the list of all numbers.
func TestFloatRoundsToNeighbours(t *testing.T) {
	eachLayout(t, func(t *testing.T, l *FloatLayout) {
		slow := newSlowFloat(l)
		for i := range len(slow.magnitudes) - 1 {
			for _, x := range around(slow.magnitudes[i].value, slow.magnitudes[i+1].value) {
				for _, mode := range allRoundings {
					checkRound(t, slow, x, mode)
					if l != Float8E8M0FNULayout {
						checkRound(t, slow, -x, mode)
					}
				}
			}
		}
	})
}

func checkRound(t *testing.T, slow *slowFloat, x float64, mode Rounding) {
	t.Helper()
	got, fits := slow.layout.Round(x, mode)
	want, wantFits := slow.round(x, mode)
	if got != want || fits != wantFits {
		t.Fatalf("%s: %v (%x) rounds to %#x, %t, want %#x, %t", mode, x, x, got, fits, want, wantFits)
	}
}

func TestFloatRoundsSpecialNumbers(t *testing.T) {
	inf, negativeZero := math.Inf(1), math.Copysign(0, -1)
	signalling := math.Float64frombits(0xfff0000000000001)
	for _, test := range []struct {
		layout *FloatLayout
		x      float64
		mode   Rounding
		want   uint16
		fits   bool
	}{
		{Float16Layout, signalling, NearestEven, 0x7e00, true},
		{Float16Layout, inf, TowardsZero, 0x7c00, true},
		{Float16Layout, -inf, NearestEven, 0xfc00, true},
		{Float16Layout, 65504, TowardsPositive, 0x7bff, true},
		{Float16Layout, 65519.99, NearestEven, 0x7bff, true},
		{Float16Layout, 65520, NearestEven, 0x7c00, false},
		{Float16Layout, 65535.99, TowardsZero, 0x7bff, true},
		{Float16Layout, 65536, TowardsZero, 0x7c00, false},
		{Float16Layout, -65505, TowardsNegative, 0xfc00, false},
		{Float16Layout, math.MaxFloat64, TowardsZero, 0x7c00, false},
		{Float16Layout, negativeZero, NearestEven, 0x8000, true},
		{Float16Layout, math.SmallestNonzeroFloat64, TowardsPositive, 0x0001, true},
		{Float16Layout, -math.SmallestNonzeroFloat64, NearestEven, 0x8000, true},
		{BFloat16Layout, 0x1p-134, NearestAway, 0x0001, true},
		{BFloat16Layout, 0x1p-134, NearestEven, 0x0000, true},
		{Float8E4M3Layout, math.NaN(), NearestEven, 0x7c, true},
		{Float8E4M3Layout, 247, TowardsZero, 0x77, true},
		{Float8E4M3Layout, 248, NearestEven, 0x78, false},
		{Float8E4M3FNUZLayout, signalling, NearestEven, 0x80, true},
		{Float8E4M3FNUZLayout, negativeZero, NearestEven, 0, true},
		{Float8E4M3FNUZLayout, -1e-9, NearestEven, 0, true},
		{Float8E4M3FNUZLayout, -1e-9, TowardsNegative, 0x81, true},
		{Float8E4M3FNUZLayout, -inf, NearestEven, 0xff, false},
		{Float8E4M3FNUZLayout, 248, NearestEven, 0x7f, false},
		{Float6E2M3FNLayout, math.NaN(), NearestEven, 0, false},
		{Float6E2M3FNLayout, inf, NearestEven, 0x1f, false},
		{Float6E2M3FNLayout, -8, TowardsZero, 0x3f, false},
		{Float4E2M1FNLayout, -7.9, TowardsZero, 0xf, true},
		{Float4E2M1FNLayout, -7, NearestEven, 0xf, false},
		{Float8E8M0FNULayout, math.NaN(), NearestEven, 0xff, true},
		{Float8E8M0FNULayout, 0, TowardsPositive, 0, false},
		{Float8E8M0FNULayout, negativeZero, NearestEven, 0, false},
		{Float8E8M0FNULayout, -1, NearestEven, 0, false},
		{Float8E8M0FNULayout, inf, NearestEven, 0xfe, false},
		{Float8E8M0FNULayout, -inf, NearestEven, 0, false},
		{Float8E8M0FNULayout, 1.5, NearestEven, 0x80, true},
		{Float8E8M0FNULayout, 3, NearestEven, 0x81, true},
		{Float8E8M0FNULayout, 0x1.8p-128, NearestEven, 0, true},
		{Float8E8M0FNULayout, 0x1.7ffp-128, NearestEven, 0, false},
		{Float8E8M0FNULayout, 0x1.ffp-128, TowardsZero, 0, false},
		{Float8E8M0FNULayout, 0x1.001p-128, TowardsPositive, 0, true},
		{Float8E8M0FNULayout, math.SmallestNonzeroFloat64, TowardsPositive, 0, false},
	} {
		got, fits := test.layout.Round(test.x, test.mode)
		if got != test.want || fits != test.fits {
			t.Errorf("%d bits, bias %d, %s: %v rounds to %#x, %t, want %#x, %t", test.layout.bits, test.layout.bias,
				test.mode, test.x, got, fits, test.want, test.fits)
		}
	}
}
