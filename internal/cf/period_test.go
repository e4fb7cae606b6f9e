package cf

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/zarr"
)

// TestPeriod reads dates in several units and calendars.
func TestPeriod(t *testing.T) {
	for _, test := range []struct{ units, calendar, text, low, end string }{
		{"days since 2000-01-01", "", "2000", "0", "366"},
		{"days since 2000-01-01", "noleap", "2000", "0", "365"},
		{"days since 2000-01-01", "360_day", "2001-02-30", "419", "420"},
		{"days since 2000-01-01", "", "2000-12", "335", "366"},
		{"days since 2000-01-01", "", "2000-02", "31", "60"},
		{"hours since 2000-01-01 12:00", "", "2000-01-02", "12", "36"},
		{"hours since 2000-01-01", "", "2000-01-01T06", "6", "7"},
		{"hours since 2000-01-01", "", "2000-01-01 06:30", "13/2", "391/60"},
		{"seconds since 1970-01-01", "proleptic_gregorian", "1970-01-01T00:00:01", "1", "2"},
		{"seconds since 1970-01-01", "proleptic_gregorian", "1970-01-01T00:00:01.25Z", "5/4", "63/50"},
		{"days since 1582-10-04", "standard", "1582-10-15", "1", "2"},
		{"days since 1582-10-04", "standard", "1582-10", "-3", "18"},
		{"days since 0001-01-01", "julian", "-1", "-366", "0"},
	} {
		attributes := zarr.Attributes{}.With("units", []byte(`"`+test.units+`"`))
		if test.calendar != "" {
			attributes = attributes.With("calendar", []byte(`"`+test.calendar+`"`))
		}
		low, end, err := Period(attributes, test.text)
		if err != nil || low.RatString() != test.low || end.RatString() != test.end {
			t.Errorf("%s, %s, %s: %v to %v, %v; want %s to %s", test.units, test.calendar, test.text, low, end, err, test.low, test.end)
		}
	}
}

// TestNoPeriod has texts that are not dates, and dates that the calendar does not have.
func TestNoPeriod(t *testing.T) {
	for _, test := range []struct{ units, calendar, text, want string }{
		{"days since 2000-01-01", "noleap", "2020-02-29", "the calendar noleap has no date 2020-02-29"},
		{"days since 2000-01-01", "standard", "1582-10-10", "no date 1582-10-10"},
		{"days since 2000-01-01", "360_day", "2020-01-31", "no date 2020-01-31"},
		{"days since 2000-01-01", "standard", "2020-13", "is not a date such as"},
		{"days since 2000-01-01", "standard", "2020-01-01T24:00", "is not a date such as"},
		{"days since 2000-01-01", "standard", "yesterday", "is not a date such as"},
		{"days since 2000-01-01", "lunar", "2020", "lunar"},
		{"metres", "standard", "2020", "is not of the form"},
	} {
		attributes := zarr.Attributes{}.With("units", []byte(`"`+test.units+`"`)).With("calendar", []byte(`"`+test.calendar+`"`))
		if _, _, err := Period(attributes, test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.text, err, test.want)
		}
	}
}

// TestDate computes the dates of numbers. Period reads each date as a period that begins at
// the number.
func TestDate(t *testing.T) {
	for _, test := range []struct{ units, calendar, number, want string }{
		{"days since 2000-01-01", "standard", "0", "2000-01-01"},
		{"days since 2000-01-01", "standard", "365", "2000-12-31"},
		{"days since 2000-01-01", "noleap", "59", "2000-03-01"},
		{"days since 2000-01-01", "360_day", "419", "2001-02-30"},
		{"days since 1582-10-04", "standard", "1", "1582-10-15"},
		{"days since 1582-10-04", "standard", "-1", "1582-10-03"},
		{"days since 1582-10-04", "proleptic_gregorian", "1", "1582-10-05"},
		{"days since 0001-01-01", "julian", "-1", "-001-12-31"},
		{"days since 0001-01-01", "proleptic_gregorian", "-1", "0000-12-31"},
		{"hours since 1970-01-01", "standard", "318096", "2006-04-16"},
		{"hours since 2000-01-01 12:00 +01:00", "standard", "0", "2000-01-01T11:00"},
		{"seconds since 1970-01-01", "standard", "61", "1970-01-01T00:01:01"},
		{"seconds since 1970-01-01", "standard", "5/4", "1970-01-01T00:00:01.25"},
		{"days since 1970-01-01", "standard", "999999999999/1000000000000", "1970-01-02"},
		{"days since 2000-01-01", "all_leap", "-36600000", "-98000-01-01"},
		{"days since 2000-01-01", "standard", "1000000000000000", ""},
		{"days since 2000-01-01", "360_day", "1000000000000", ""},
		{"days since 2000-01-01", "lunar", "0", ""},
		{"metres", "standard", "0", ""},
	} {
		attributes := zarr.Attributes{}.With("units", []byte(`"`+test.units+`"`)).With("calendar", []byte(`"`+test.calendar+`"`))
		number, _ := new(big.Rat).SetString(test.number)
		got, ok := Date(attributes, number)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s %s, %s: %q, want %q", test.number, test.units, test.calendar, got, test.want)
		}
		if low, _, err := Period(attributes, got); ok && (err != nil || low.Cmp(number) != 0 && test.number[0] != '9') {
			t.Errorf("%q begins with %v, want %s; %v", got, low, test.number, err)
		}
	}
}

// TestDatesOfCalendars computes every date of some years in every calendar.
func TestDatesOfCalendars(t *testing.T) {
	for _, calendar := range []string{"standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day"} {
		attributes := zarr.Attributes{}.With("units", []byte(`"days since 1580-01-01"`)).With("calendar", []byte(`"`+calendar+`"`))
		for day := int64(-600000); day < 300000; day += 397 {
			number := big.NewRat(day, 1)
			text, ok := Date(attributes, number)
			low, _, err := Period(attributes, text)
			if !ok || err != nil || low.Cmp(number) != 0 {
				t.Fatalf("%s: %d is %q, which begins with %v, %v", calendar, day, text, low, err)
			}
		}
	}
	own := zarr.Attributes{}.With("units", []byte(`"days since 0001-01-01"`)).With("month_lengths", []byte(`[34,31,32,30,29,27,28,28,28,32,32,500]`)).With("leap_year", []byte("3"))
	for day := int64(-3000); day < 3000; day += 7 {
		text, ok := Date(own, big.NewRat(day, 1))
		if !ok {
			t.Fatalf("%d has no date", day)
		}
		if !strings.HasPrefix(text, "-") && strings.Count(text, "-") != 2 {
			t.Errorf("%d is %q", day, text)
		}
	}
	for _, leapYear := range []int64{math.MaxInt64, math.MinInt64, math.MinInt64 + 5} {
		Date(own.With("leap_year", fmt.Append(nil, leapYear)), big.NewRat(7, 1)) // does not hang
	}
}

// FuzzPeriod reads texts as dates. A period begins before it ends, and the date of its
// beginning is a period that begins there, too.
func FuzzPeriod(f *testing.F) {
	for _, text := range []string{"2000", "-1-12-31", "2000-02-30T06:30:15.25Z", "1582-10-05", "999999999", "+0-1-1 0", "-999999999-01"} {
		f.Add(text, "days since 1970-01-01", "standard", int64(7))
		f.Add(text, "months since 2000-01-01 06:00 +5:30", "360_day", int64(-7))
	}
	f.Fuzz(func(t *testing.T, text, units, calendar string, number int64) {
		attributes := zarr.Attributes{}.With("units", fmt.Appendf(nil, "%q", units)).With("calendar", fmt.Appendf(nil, "%q", calendar))
		date, _ := Date(attributes, big.NewRat(number, 7))
		if date != "" && !IsPeriod(date) {
			t.Errorf("%d/7 %s is %q", number, units, date)
		}
		low, end, err := Period(attributes, text)
		if err != nil {
			return
		}
		if low.Cmp(end) >= 0 || !IsPeriod(text) {
			t.Fatalf("%q is from %v to %v", text, low, end)
		}
		if date, ok := Date(attributes, low); ok {
			again, _, err := Period(attributes, date)
			clock, _ := ClockOf(attributes)
			most := new(big.Rat).Quo(big.NewRat(1, 1e6), clock.length)
			if err != nil || again.Sub(again, low).Abs(again).Cmp(most) > 0 {
				t.Errorf("%q begins with %v, which is %q, %v", text, low, date, err)
			}
		}
	})
}
