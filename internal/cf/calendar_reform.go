package cf

import (
	"encoding/json"
	"math"
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

// unitSeconds is the length of units of time in seconds, 0 for units without a fixed
// length.
var unitSeconds = map[string]float64{
	"microsecond": 1e-6, "millisecond": 1e-3, "second": 1, "minute": 60, "hour": 3600, "day": 86400, "month": 0, "year": 0,
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
	length := unitSeconds[s.unit]
	switch {
	case passed < 0:
		return 0, false
	case length == 0:
		return 0, true
	}
	return -math.Floor(passed / length), true
}
