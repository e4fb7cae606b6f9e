package combine

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
)

// TestRebase joins files that count times from several moments.
func TestRebase(t *testing.T) {
	const first, second, hours = ";units=days since 2000-01-01", ";units=days since 2000-01-03", ";units=hours since 2000-01-03"
	concat := Options{Concat: "t", Wanted: everything}
	given := concat
	given.Given = func(path, attribute string) bool { return path == "t" && attribute == "units" }
	named := concat
	named.Time.Units = "hours since 1999-12-31"
	appended := concat // to a target whose bounds have no units
	appended.Time.Clock = func(path string) (sources.Clock, bool) {
		clock := sources.Clock{Type: dtype.Float64}
		if path == "t" {
			clock.Attributes = clock.Attributes.With("units", sources.TextAttribute("hours since 1999-12-31"))
		}
		return clock, path == "t" || path == "b"
	}
	for name, test := range map[string]struct {
		how     Options
		members []*member
		want    map[string]string // by paths: dimensions, shape and values
		units   string            // of t
		note    string            // of t
	}{
		"another day": {concat, []*member{file("t(t)=0,1"+first, "v(t)=1,2"), file("t(t)=0,1"+second, "v(t)=3,4")},
			map[string]string{"t": "[t] [4] [0 1 2 3]", "v": "[t] [4] [1 2 3 4]"}, "days since 2000-01-01",
			`times of 1 of 2 files are brought to one origin, "days since 2000-01-01", such as those of b, "days since 2000-01-03"`},
		"another unit": {concat, []*member{file("t(t)=0,1" + first), file("t(t)=0,6" + hours)}, map[string]string{"t": "[t] [4] [0 1 2 2.25]"}, "days since 2000-01-01", "times of 1 of 2 files"},
		"inherited bounds": {concat, []*member{file("t(t)=0;bounds=b"+first, "b(t)=7"), file("t(t)=0;bounds=b"+second, "b(t)=8")},
			map[string]string{"t": "[t] [2] [0 2]", "b": "[t] [2] [7 10]"}, "days since 2000-01-01", ""},
		"bounds of other units": {concat, []*member{file("t(t)=0;bounds=b"+first, "b(t)=24"+hours), file("t(t)=0;bounds=b"+second, "b(t)=8")},
			map[string]string{"t": "[t] [2] [0 2]", "b": "[t] [2] [3 10]"}, "days since 2000-01-01", ""},
		"bounds with units and no calendar": {concat, []*member{file("t(t)=0;bounds=b;calendar=noleap"+first, "b(t)=7"+first), file("t(t)=0;bounds=b;calendar=noleap"+second, "b(t)=8"+second)},
			map[string]string{"t": "[t] [2] [0 2]", "b": "[t] [2] [7 10]"}, "days since 2000-01-01", ""},
		"bounds of which some have units": {concat, []*member{file("t(t)=0;bounds=b;calendar=noleap"+first, "b(t)=7"+first), file("t(t)=0;bounds=b;calendar=noleap"+second, "b(t)=8")},
			map[string]string{"t": "[t] [2] [0 2]", "b": "[t] [2] [7 10]"}, "days since 2000-01-01", ""},
		"a climatology": {concat, []*member{file("t(t)=0;climatology=b"+first, "b(t)=7"), file("t(t)=0;climatology=b"+second, "b(t)=8")},
			map[string]string{"b": "[t] [2] [7 10]"}, "days since 2000-01-01", ""},
		"another variable": {concat, []*member{file("t(t)=0"+first, "r()=5"+first), file("t(t)=7"+first, "r()=3"+second)},
			map[string]string{"t": "[t] [2] [0 7]", "r": "[] [] [5]"}, "days since 2000-01-01", ""},
		"sorted": {concat, []*member{file("t(t)=5" + second), file("t(t)=0" + second), file("t(t)=0,1" + first)},
			map[string]string{"t": "[t] [4] [0 1 2 7]"}, "days since 2000-01-01", "times of 2 of 3 files"},
		"given": {given, []*member{file("t(t)=0,1" + first), file("t(t)=3,4" + second)}, map[string]string{"t": "[t] [4] [0 1 3 4]"}, "days since 2000-01-01", ""},
		"named": {named, []*member{file("t(t)=0" + first), file("t(t)=1" + first)}, map[string]string{"t": "[t] [2] [24 48]"}, "hours since 1999-12-31", "times of 2 of 2 files"},
		"to a target's": {appended, []*member{file("t(t)=0;bounds=b"+first, "b(t)=1"), file("t(t)=1;bounds=b"+hours, "b(t)=7")},
			map[string]string{"t": "[t] [2] [24 73]", "b": "[t] [2] [48 79]"}, "hours since 1999-12-31", "times of 2 of 2 files"},
		"to a target's, of one origin": {appended, []*member{file("t(t)=0" + first), file("t(t)=1" + first)}, map[string]string{"t": "[t] [2] [0 1]"}, "days since 2000-01-01", ""},
		"calendars": {concat, []*member{file("t(t)=0;calendar=gregorian" + first), file("t(t)=0;calendar=proleptic_gregorian" + second)},
			map[string]string{"t": "[t] [2] [0 2]"}, "days since 2000-01-01", ""},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := combineAll(t, test.how, test.members...)
			if err != nil {
				t.Fatal(err)
			}
			for path, want := range test.want {
				if got := dump(t, src, path); got != want {
					t.Errorf("%s is %s, want %s", path, got, want)
				}
			}
			a, err := src.Array(t.Context(), "t")
			if err != nil {
				t.Fatal(err)
			}
			if units := sources.AttributeText(a.Info().Attributes, "units"); units != test.units {
				t.Errorf("units %q", units)
			}
			if notes := a.Info().Notes; test.note != "" && !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, test.note) }) {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

// ints gives the arrays of a member an integer type.
func ints(m *member, kind dtype.Type) *member {
	for _, h := range m.arrays {
		numbers := h.values
		h.info.Type, h.values = kind, nil
		h.made64 = func(i int) int64 { return int64(numbers[i]) }
	}
	return m
}

// TestRebaseFiner sorts files by times that are not whole numbers in the units of the first
// file by name. After sorting, the units of the first file by time are taken.
func TestRebaseFiner(t *testing.T) {
	late, early := ints(file("t(t)=0,1;units=days since 2000-01-05 12:00"), dtype.Int32), ints(file("t(t)=0,6;units=hours since 2000-01-01"), dtype.Int32)
	src, err := combineAll(t, Options{Concat: "t", Wanted: everything}, late, early)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := dump(t, src, "t"), "[t] [4] [0 6 108 132]"; got != want {
		t.Errorf("t is %s, want %s", got, want)
	}
}

// TestRebaseRefuses has files whose times cannot be brought to one origin.
func TestRebaseRefuses(t *testing.T) {
	const first = ";units=days since 2000-01-01"
	for name, test := range map[string]struct {
		a, b *member
		kind dtype.Type
		want string
	}{
		"a fraction": {file("t(t)=0" + first), file("t(t)=0,6;units=hours since 2000-01-02"), dtype.Int64,
			`b: array "t": element [1]: 6 hours since 2000-01-02 is 1.25 days since 2000-01-01, which int64 does not hold exactly: source.time: {units: "hours since 2000-01-01"} makes all times whole numbers`},
		"of bounds": {file("t(t)=0;bounds=b"+first, "b(t)=0"), file("t(t)=24;bounds=b;units=hours since 2000-01-01", "b(t)=6"), dtype.Int64,
			`b: array "b": element [0]: 6 hours since 2000-01-01 is 0.25 days since 2000-01-01`},
		"packed bounds": {file("t(t)=0;bounds=b"+first, "b(t)=0;scale_factor=2"), file("t(t)=24;bounds=b;units=hours since 2000-01-01", "b(t)=6;scale_factor=2"), dtype.Int64,
			`b: array "b": the times of "t", whose bounds it has, are brought to "days since 2000-01-01", but packed bounds are not: cf: unpack unpacks them first, source.time: keep leaves all times as they are`},
		"too large": {file("t(t)=0;units=seconds since 2000-01-01"), file("t(t)=0;units=seconds since 1900-01-01"), dtype.Int32,
			`0 seconds since 1900-01-01 is -3155673600 seconds since 2000-01-01, which is beyond int32: arrays: {t: {data_type: int64}} stores larger numbers`},
		"no date":       {file("t(t)=0" + first), file("t(t)=0;units=days since 2001-02-29"), dtype.Int64, `b: array "t": "days since 2001-02-29": the calendar standard has no date 2001-02-29`},
		"no unit":       {file("t(t)=0" + first), file("t(t)=0;units=dogs since 2001-02-20"), dtype.Int64, `b: array "t": "dogs since 2001-02-20": "dogs" is not a known unit of time`},
		"two calendars": {file("t(t)=0;calendar=noleap" + first), file("t(t)=0;calendar=360_day;units=days since 2001-02-20"), dtype.Int64, `the attribute calendar is "noleap" in a and "360_day" in b`},
		"too early": {file("t(t)=-200000;calendar=standard" + first), file("t(t)=-190000;calendar=proleptic_gregorian;units=days since 2001-01-01"), dtype.Int64,
			`-190000 days since 2001-01-01 is -189634 days since 2000-01-01, a time before 1582-10-15, when the calendars differ`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := combineAll(t, Options{Concat: "t", Wanted: everything}, ints(test.a, test.kind), ints(test.b, test.kind))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestRebaseType gives times the type that the job names, in all files.
func TestRebaseType(t *testing.T) {
	how := Options{Concat: "t", Wanted: everything, Time: sources.Rebasing{Type: func(string) dtype.Type { return dtype.Int64 }}}
	src, err := combineAll(t, how, file("t(t)=0;units=days since 2000-01-01"), file("t(t)=1;units=days since 2001-01-01"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := src.Array(t.Context(), "t")
	if err != nil || a.Info().Type != dtype.Int64 || a.Info().Rebased != "days since 2000-01-01" {
		t.Fatal(a, err)
	}
	values := ndarray.New(dtype.Int64, []int{2})
	if err := a.ReadRegion(t.Context(), values, []int{0}); err != nil {
		t.Fatal(err)
	}
	list, _ := ndarray.As[int64](values)
	if d := cmp.Diff([]int64{0, 367}, list); d != "" {
		t.Error(d)
	}
}
