package cf

import (
	"encoding/json"
	"math"
	"time"
)

// reform is the first day of the Gregorian calendar. From then on the standard
// calendar, which has Julian dates before, and the proleptic Gregorian one are the
// same (section 4.4.1).
var reform = time.Date(1582, time.October, 15, 0, 0, 0, 0, time.UTC)

// SameAfterReform reports whether two values of the attribute calendar, nil for none,
// name calendars that differ in times before 1582-10-15 alone.
func SameAfterReform(a, b json.RawMessage) bool {
	const standard, proleptic = "standard", "proleptic_gregorian"
	x, y := calendar(a), calendar(b)
	return x == standard && y == proleptic || x == proleptic && y == standard
}

// unitSeconds is how long units of time are, 0 for those that have no one length.
var unitSeconds = map[string]float64{
	"microsecond": 1e-6, "millisecond": 1e-3, "second": 1, "minute": 60, "hour": 3600, "day": 86400, "month": 0, "year": 0,
}

// Reform returns the least number that is a time from 1582-10-15 on in units such as
// "days since 2000-01-01". ok is false where the units are no such ones, or count from
// a time before that, so that no number means the same in both calendars.
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
