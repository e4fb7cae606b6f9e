package cf

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"os"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

func clockOf(t *testing.T, units, calendar string) *Clock {
	t.Helper()
	var a zarr.Attributes
	a = a.With("units", json.RawMessage(strconv.Quote(units)))
	if calendar != "" {
		a = a.With("calendar", json.RawMessage(strconv.Quote(calendar)))
	}
	c, err := ClockOf(a)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// rebased converts numbers, of type S to type D.
func rebased[S, D real](t *testing.T, from, to *Clock, src, dst dtype.Type, numbers []S, missing ...json.RawMessage) ([]D, error) {
	t.Helper()
	r, err := NewRebase(from, to, src, dst, missing...)
	if err != nil {
		t.Fatal(err)
	}
	out := ndarray.New(dst, []int{len(numbers)})
	err = r.Convert(out, ndarray.From(numbers, []int{len(numbers)}))
	list, _ := ndarray.As[D](out)
	return list, err
}

// TestRebaseGolden compares with cftime, see testdata/make_clocks.py.
func TestRebaseGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/clocks.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][5]json.RawMessage
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var calendar, from, to string
		var n, want int64
		for i, v := range []any{&calendar, &from, &to, &n, &want} {
			if err := json.Unmarshal(c[i], v); err != nil {
				t.Fatal(err)
			}
		}
		a, b := clockOf(t, from, calendar), clockOf(t, to, calendar)
		got, err := rebased[int64, int64](t, a, b, dtype.Int64, dtype.Int64, []int64{n})
		if err != nil || got[0] != want {
			t.Errorf("%s: %d %s is %d %s, not %v (%v)", calendar, n, from, want, to, got, err)
		}
		floats, err := rebased[float64, float64](t, a, b, dtype.Float64, dtype.Float64, []float64{float64(n)})
		if err != nil || floats[0] != float64(want) {
			t.Errorf("%s: %d %s is %d %s, not %v (%v) as floats", calendar, n, from, want, to, floats, err)
		}
	}
}

func TestRebaseTypes(t *testing.T) {
	day, next := clockOf(t, "days since 2000-01-01", ""), clockOf(t, "days since 2000-01-02", "")
	hour := clockOf(t, "hours since 2000-01-02", "")
	bytes, err := rebased[uint8, int8](t, next, day, dtype.Uint8, dtype.Int8, []uint8{0, 126})
	if d := cmp.Diff([]int8{1, 127}, bytes); d != "" || err != nil {
		t.Error(d, err)
	}
	wide, err := rebased[int32, float32](t, next, day, dtype.Int32, dtype.Float32, []int32{0, 7})
	if d := cmp.Diff([]float32{1, 8}, wide); d != "" || err != nil {
		t.Error(d, err)
	}
	// A float of days is near enough to a whole number of hours.
	whole, err := rebased[float64, int64](t, day, clockOf(t, "hours since 1999-12-31", ""), dtype.Float64, dtype.Int64, []float64{1. / 24, 31 + 1./3})
	if d := cmp.Diff([]int64{25, 776}, whole); d != "" || err != nil {
		t.Error(d, err)
	}
	parts, err := rebased[float64, float64](t, hour, day, dtype.Float64, dtype.Float64, []float64{6, math.Inf(1), -9, 1})
	if d := cmp.Diff([]float64{1.25, math.Inf(1), 0.625, 1 + 1./24}, parts); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestRebaseMissing(t *testing.T) {
	day, next := clockOf(t, "days since 2000-01-01", ""), clockOf(t, "days since 2000-01-02", "")
	for _, mark := range []string{"-9", "[3,-9]"} {
		got, err := rebased[int16, int16](t, next, day, dtype.Int16, dtype.Int16, []int16{-9, 4}, nil, json.RawMessage(mark))
		if d := cmp.Diff([]int16{-9, 5}, got); d != "" || err != nil {
			t.Error(mark, d, err)
		}
		floats, err := rebased[int16, float64](t, next, day, dtype.Int16, dtype.Float64, []int16{-9, 4}, json.RawMessage(mark))
		if d := cmp.Diff([]float64{-9, 5}, floats); d != "" || err != nil {
			t.Error(mark, d, err)
		}
	}
	nan, err := rebased[float32, float32](t, next, day, dtype.Float32, dtype.Float32, []float32{float32(math.NaN()), -9, 4}, json.RawMessage("-9"))
	if err != nil || nan[0] == nan[0] || nan[1] != -9 || nan[2] != 5 {
		t.Error(nan, err)
	}
	large, err := rebased[uint64, uint64](t, next, day, dtype.Uint64, dtype.Uint64, []uint64{math.MaxUint64, 4}, json.RawMessage("18446744073709551615"))
	if d := cmp.Diff([]uint64{math.MaxUint64, 5}, large); d != "" || err != nil {
		t.Error(d, err)
	}
	// A type that does not hold the mark would hold another number in its place.
	const mark = "9223372036854775807"
	narrow, err := rebased[int64, int32](t, next, day, dtype.Int64, dtype.Int32, []int64{4, math.MaxInt64}, json.RawMessage(mark))
	var refused *RefusedTime
	if !errors.As(err, &refused) || refused.Index != 1 || refused.Reason != Overflow {
		t.Error(narrow, err)
	}
}

func TestRebaseRefuses(t *testing.T) {
	day := "days since 2000-01-01"
	for _, test := range []struct {
		from, to       string
		calendar, then string
		numbers        []int64
		dst            dtype.Type
		index          int
		reason         Reason
		want           string
	}{
		{"hours since 2000-01-01", day, "", "", []int64{24, 30}, dtype.Int64, 1, Fraction, "30 hours since 2000-01-01 is 1.25 days since 2000-01-01, which int64 does not hold exactly"},
		{day, "hours since 1900-01-01", "", "", []int64{0}, dtype.Int16, 0, Overflow, "0 days since 2000-01-01 is 876576 hours since 1900-01-01, which is beyond int16"},
		{"days since 2000-01-02", day, "", "", []int64{math.MaxInt64}, dtype.Int64, 0, Overflow, "9223372036854775807 days since 2000-01-02 is 9223372036854775808 days since 2000-01-01, which is beyond int64"},
		{"days since 2000-01-02", day, "", "", []int64{-8, -10}, dtype.Int64, 1, Taken, "-10 days since 2000-01-02 is -9 days since 2000-01-01, a number that stands for missing data"},
		{"days since 2000-01-02", day, "", "", []int64{-8, -10}, dtype.Float64, 1, Taken, "-10 days since 2000-01-02 is -9 days since 2000-01-01, a number that stands for missing data"},
		{"months since 2000-01-01", day, "", "", []int64{1}, dtype.Float32, 0, Fraction, "1 months since 2000-01-01 is 30.436849898 days since 2000-01-01, which float32 does not hold exactly"},
		{"days since 2000-01-02", "hours since 2000-01-01", "proleptic_gregorian", "standard", []int64{0, -200000}, dtype.Int64, 1, Early,
			"-200000 days since 2000-01-02 is -4799976 hours since 2000-01-01, a time before 1582-10-15, when the calendars differ"},
	} {
		from, to := clockOf(t, test.from, test.calendar), clockOf(t, test.to, test.then)
		r, err := NewRebase(from, to, dtype.Int64, test.dst, json.RawMessage("-9"))
		if err != nil {
			t.Fatal(err)
		}
		err = r.Convert(ndarray.New(test.dst, []int{len(test.numbers)}), ndarray.From(test.numbers, []int{len(test.numbers)}))
		var refused *RefusedTime
		if !errors.As(err, &refused) || refused.Index != test.index || refused.Reason != test.reason || refused.Error() != test.want {
			t.Errorf("%s to %s: %v", test.from, test.to, err)
		}
	}
	if _, err := NewRebase(clockOf(t, day, "noleap"), clockOf(t, day, "julian"), dtype.Int64, dtype.Int64); err == nil {
		t.Error("calendars that differ")
	}
	if _, err := NewRebase(clockOf(t, day, ""), clockOf(t, day, ""), dtype.Complex64, dtype.Int64); err == nil {
		t.Error("complex numbers")
	}
}

func TestClockOfErrors(t *testing.T) {
	for _, test := range []struct{ attributes, want string }{
		{`{"units": "days after 2000-01-01"}`, `"days after 2000-01-01" is not of the form "days since 2000-01-01"`},
		{`{"units": "dogs since 2000-01-01"}`, `"dogs since 2000-01-01": "dogs" is not a known unit of time`},
		{`{"units": "days since yesterday"}`, `"days since yesterday": the moment is not of the form 2000-01-31 12:00:00 +01:00`},
		{`{"units": "days since 200102"}`, `"days since 200102": the moment is not of the form 2000-01-31 12:00:00 +01:00`},
		{`{"units": "days since 20010229"}`, `"days since 20010229": the calendar standard has no date 2001-02-29`},
		{`{"units": "days since 2001-02-29"}`, `"days since 2001-02-29": the calendar standard has no date 2001-02-29`},
		{`{"units": "days since 1582-10-10"}`, `"days since 1582-10-10": the calendar standard has no date 1582-10-10`},
		{`{"units": "days since 0000-01-01", "calendar": "julian"}`, `"days since 0000-01-01": the calendar julian has no date 0-01-01`},
		{`{"units": "days since 2001-01-31", "calendar": "360_day"}`, `"days since 2001-01-31": the calendar 360_day has no date 2001-01-31`},
		{`{"units": "days since 2001-01-31", "calendar": "none"}`, `the calendar "none": its dates are not known`},
		{`{"units": "days since 2001-01-31", "month_lengths": [1, 2]}`, `month_lengths is [1, 2], not twelve integers`},
	} {
		var a zarr.Attributes
		if err := json.Unmarshal([]byte(test.attributes), &a); err != nil {
			t.Fatal(err)
		}
		if _, err := ClockOf(a); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v", test.attributes, err)
		}
	}
}

// TestOwnCalendar counts days of a calendar that the attributes of a variable define. The
// calendar is that of the example in CF, section 4.4.1, with leap years added.
func TestOwnCalendar(t *testing.T) {
	clock := func(units string) *Clock {
		var a zarr.Attributes
		text := `{"units": "` + units + `", "month_lengths": [34,31,32,30,29,27,28,28,28,32,32,34], "leap_year": 3, "leap_month": 1}`
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		c, err := ClockOf(a)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	from := clock("days since 8-01-01")
	for to, want := range map[string]int64{
		"days since 7-01-01": 366, "days since 6-01-01": 366 + 365, "days since 7-01-35": 366 - 34, "days since 9-02-01": -365 - 34, "days since 4-01-01": 4*365 + 1,
	} {
		got, err := rebased[int64, int64](t, from, clock(to), dtype.Int64, dtype.Int64, []int64{0})
		if err != nil || got[0] != want {
			t.Error(to, got, err)
		}
	}
}

func TestFinestUnit(t *testing.T) {
	for _, test := range []struct {
		units []string
		want  string
	}{
		{[]string{"days since 2000-01-01", "hours since 2000-01-02"}, "hours since 2000-01-01"},
		{[]string{"days since 2000-01-01 00:00:00", "days since 2000-01-02 12:00"}, "hours since 2000-01-01 00:00:00"},
		{[]string{"Days Since 2000-01-01", "days since 2000-01-02 12:00:00.5"}, "milliseconds since 2000-01-01"},
		{[]string{"days since 2000-01-01", "years since 2000-01-01"}, "microseconds since 2000-01-01"},
		{nil, ""},
	} {
		var clocks []*Clock
		for _, u := range test.units {
			clocks = append(clocks, clockOf(t, u, ""))
		}
		if got := FinestUnit(clocks); got != test.want {
			t.Errorf("%q: %s", test.units, got)
		}
	}
}

// TestRebaseLimits: a limit that is no integer moves outwards, and one beyond the type to the
// end of the type.
func TestRebaseLimits(t *testing.T) {
	r, err := NewRebase(clockOf(t, "hours since 2000-01-01", ""), clockOf(t, "days since 2000-01-03", ""), dtype.Int32, dtype.Int16)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, value, want string }{
		{"valid_min", "72", "1"},
		{"valid_min", "73", "1"},
		{"valid_max", "73", "2"},
		{"valid_min", "-1", "-3"},
		{"valid_range", "[-1, 49.5]", "[-3,1]"},
		{"actual_range", "[-1e30,1e30]", "[-32768,32767]"},
		{"valid_max", "[71]", "[1]"},
		{"valid_max", `"late"`, `"late"`},
		{"valid_range", "[1,2,3]", "[1,2,3]"},
		{"valid_range", `[0,"Infinity"]`, `[0,"Infinity"]`},
	} {
		if got := string(r.Limits(c.name, json.RawMessage(c.value), nil)); got != c.want {
			t.Errorf("%s: %s became %s, want %s", c.name, c.value, got, c.want)
		}
	}
	tenth := new(big.Rat).SetFloat64(float64(float32(0.1)))
	days, err := NewRebase(clockOf(t, "days since 2000-01-01", ""), clockOf(t, "hours since 2000-01-01", ""), dtype.Float32, dtype.Float64)
	want, _ := tenth.Mul(tenth, big.NewRat(24, 1)).Float64()
	if got := string(days.Limits("valid_min", json.RawMessage("0.1"), dtype.Float32)); got != strconv.FormatFloat(want, 'g', -1, 64) {
		t.Error(got, want, err)
	}
}
