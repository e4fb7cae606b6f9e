package cf

import (
	"encoding/json"
	"math"
	"math/big"
	"time"
)

// reform is the first day of the Gregorian calendar. Before it the standard calendar
// has Julian dates; from this day on it equals the proleptic Gregorian calendar
// (section 4.4.1).
var reform = time.Date(1582, time.October, 15, 0, 0, 0, 0, time.UTC)

// SameAfterReform reports whether two values of the attribute calendar, nil for none,
// name calendars that differ only in times before 1582-10-15.
func SameAfterReform(a, b json.RawMessage) bool {
	const standard, proleptic = "standard", "proleptic_gregorian"
	x, y := calendar(a), calendar(b)
	return x == standard && y == proleptic || x == proleptic && y == standard
}

// unitSeconds is the length of units of time in seconds. Years and months are those of
// UDUNITS; they are not whole numbers of days.
var unitSeconds = map[string]*big.Rat{
	"nanosecond": big.NewRat(1, 1e9), "microsecond": big.NewRat(1, 1e6), "millisecond": big.NewRat(1, 1e3), "second": big.NewRat(1, 1),
	"minute": big.NewRat(60, 1), "hour": big.NewRat(3600, 1), "day": big.NewRat(86400, 1), "week": big.NewRat(7*86400, 1),
	"common_year": big.NewRat(365*86400, 1), "month": big.NewRat(315569259747, 120000), "year": big.NewRat(315569259747, 10000),
}

// Reform returns the least number that means a time from 1582-10-15 on, in units such
// as "days since 2000-01-01". ok is false if units is not of this form. It is also
// false if units count from a time before that day, because then no number means the
// same in both calendars.
func Reform(units json.RawMessage) (least float64, ok bool) {
	s, ok := parseSince(attributeText(units))
	if !ok {
		return 0, false
	}
	clock, _ := s.seconds.Float64()
	day := time.Date(s.day[0], time.Month(s.day[1]), s.day[2], 0, 0, 0, 0, time.UTC)
	passed := float64(day.Unix()-reform.Unix()) + clock
	if passed < 0 {
		return 0, false
	}
	if s.unit == "month" || s.unit == "year" { // readers differ in how long they are
		return 0, true
	}
	length, _ := unitSeconds[s.unit].Float64()
	return -math.Floor(passed / length), true
}
