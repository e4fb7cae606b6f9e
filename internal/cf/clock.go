package cf

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/zmigrate/zmigrate/zarr"
)

// Clock is what the numbers of a time coordinate count: units of time since a moment of a
// calendar (section 4.4). It is immutable.
type Clock struct {
	Units    string // as the attribute spells them
	Calendar string // one name for all spellings
	unit     string
	length   *big.Rat // of a unit, in seconds
	origin   *big.Rat // seconds since the beginning of the calendar's day 0
}

// tolerance is how far, in seconds, rounding may move a moment: half a microsecond, because
// readers know times to a microsecond.
var tolerance = big.NewRat(1, 2e6)

// IsClock reports whether units, the text of the attribute, have the form "… since …".
func IsClock(units json.RawMessage) bool {
	return strings.Contains(strings.ToLower(attributeText(units)), " since ")
}

// ClockOf reads the attributes units and calendar. For a calendar that CF does not name, it
// reads month_lengths, leap_year and leap_month. The error says which part cannot be read,
// or that the calendar does not have the date.
//
// Units are as long as in UDUNITS: a year has 365.242198781 days, and a month is a
// twelfth of a year. In the calendar 360_day a month has 30 days, as in cftime.
func ClockOf(attributes zarr.Attributes) (*Clock, error) {
	c := &Clock{Units: attributeText(attributes.Get("units"))}
	said, err := parseUnits(c.Units)
	if err != nil {
		return nil, err
	}
	c.Calendar = calendar(attributes.Get("calendar"))
	days, err := almanacOf(c.Calendar, attributes)
	if err != nil {
		return nil, err
	}
	if own := attributes.Get("month_lengths"); own != nil && attributes.Get("calendar") == nil {
		c.Calendar = fmt.Sprintf("months of %s days, leap years as %s", own, attributes.Get("leap_year"))
	}
	day, ok := days(int64(said.day[0]), said.day[1], said.day[2])
	if !ok {
		return nil, fmt.Errorf("%q: the calendar %s has no date %d-%02d-%02d", c.Units, c.Calendar, said.day[0], said.day[1], said.day[2])
	}
	c.unit, c.length = said.unit, unitLength(said.unit, c.Calendar)
	c.origin = new(big.Rat).SetInt64(day)
	c.origin.Mul(c.origin, big.NewRat(86400, 1)).Add(c.origin, said.seconds)
	return c, nil
}

// parseUnits is parseSince with an error that names what cannot be read.
func parseUnits(units string) (since, error) {
	s, ok := parseSince(units)
	if ok {
		return s, nil
	}
	word, _, found := strings.Cut(strings.ToLower(units), " since ")
	switch {
	case !found:
		return s, fmt.Errorf("%q is not of the form \"days since 2000-01-01\"", units)
	case unitLength(canonicalUnit(strings.TrimSpace(word)), "") == nil:
		return s, fmt.Errorf("%q: %q is not a known unit of time", units, strings.TrimSpace(word))
	}
	return s, fmt.Errorf("%q: the moment is not of the form 2000-01-31 12:00:00 +01:00", units)
}

// CheckUnits returns an error unless a [Clock] of some calendar can have these units.
func CheckUnits(units string) error {
	s, err := parseUnits(units)
	if err == nil && (s.day[1] < 1 || s.day[1] > 12 || s.day[2] < 1 || s.day[2] > 31) {
		err = fmt.Errorf("%q: no calendar has the date %d-%02d-%02d", units, s.day[0], s.day[1], s.day[2])
	}
	return err
}

// unitLength returns the length of a unit in seconds, or nil if the unit is not known.
func unitLength(unit, calendar string) *big.Rat {
	const day = 86400
	switch {
	case unit == "month" && calendar == "360_day":
		return big.NewRat(30*day, 1)
	case unit == "common_year":
		return big.NewRat(365*day, 1)
	}
	if r, ok := unitSeconds[unit]; ok {
		return new(big.Rat).Set(r)
	}
	return nil
}

// almanac returns the number of the day with a date. It returns false if the calendar does
// not have the date.
type almanac func(year int64, month, day int) (int64, bool)

var (
	months     = [12]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	leapMonths = [12]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
)

// almanacOf returns the almanac of a calendar (section 4.4.1). The calendars standard and
// proleptic_gregorian give a day the same number, so they agree from 1582-10-15 on.
func almanacOf(name string, attributes zarr.Attributes) (almanac, error) {
	if attributes.Get("month_lengths") != nil && attributes.Get("calendar") == nil {
		return ownAlmanac(attributes)
	}
	switch name {
	case "noleap":
		return evenYears(months), nil
	case "all_leap":
		return evenYears(leapMonths), nil
	case "360_day":
		return evenYears([12]int{30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30}), nil
	case "proleptic_gregorian":
		return gregorianDay, nil
	case "julian":
		return julianDay, nil
	case "standard":
		return func(year int64, month, day int) (int64, bool) {
			switch date := year*10000 + int64(month)*100 + int64(day); {
			case year > 1582 || year == 1582 && date >= 15821015:
				return gregorianDay(year, month, day)
			case year == 1582 && date > 15821004:
				return 0, false
			}
			return julianDay(year, month, day)
		}, nil
	}
	return nil, fmt.Errorf("the calendar %q: its dates are not known", name)
}

func evenYears(lengths [12]int) almanac {
	total := 0
	for _, n := range lengths {
		total += n
	}
	return func(year int64, month, day int) (int64, bool) {
		n, ok := dayOfYear(lengths, month, day)
		return year*int64(total) + n, ok
	}
}

func dayOfYear(lengths [12]int, month, day int) (int64, bool) {
	if month < 1 || month > 12 || day < 1 || day > lengths[month-1] {
		return 0, false
	}
	for _, n := range lengths[:month-1] {
		day += n
	}
	return int64(day) - 1, true
}

// floor is the greatest integer that is not above a/b, for b > 0.
func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// gregorianDay returns the Julian day number of a date of the Gregorian calendar, which
// has a year 0.
func gregorianDay(year int64, month, day int) (int64, bool) {
	lengths := months
	if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		lengths = leapMonths
	}
	n, ok := dayOfYear(lengths, month, day)
	before := year - 1
	return 1721426 + before*365 + floor(before, 4) - floor(before, 100) + floor(before, 400) + n, ok
}

// julianDay returns the Julian day number of a date of the Julian calendar, in which the
// year -1 comes before the year 1.
func julianDay(year int64, month, day int) (int64, bool) {
	if year == 0 {
		return 0, false
	}
	if year < 0 {
		year++
	}
	lengths := months
	if year%4 == 0 {
		lengths = leapMonths
	}
	n, ok := dayOfYear(lengths, month, day)
	before := year - 1
	return 1721424 + before*365 + floor(before, 4) + n, ok
}

// longestMonth is the most days that a month can have. A leap year may add one.
const longestMonth = 1000

// ownAlmanac reads a calendar that the variable itself describes (section 4.4.1): every
// fourth year, counted from leap_year, leap_month has one day more.
func ownAlmanac(attributes zarr.Attributes) (almanac, error) {
	var lengths [12]int
	var list []int
	if err := json.Unmarshal(attributes.Get("month_lengths"), &list); err != nil || len(list) != 12 {
		return nil, fmt.Errorf("month_lengths is %s, not twelve integers", attributes.Get("month_lengths"))
	}
	total := 0
	for i, n := range list {
		if n < 1 || n > longestMonth {
			return nil, fmt.Errorf("month_lengths is %s, with a month of %d days: want 1 to %d", attributes.Get("month_lengths"), n, longestMonth)
		}
		lengths[i], total = n, total+n
	}
	leapYear, leapMonth := int64(0), 2
	text := attributes.Get("leap_year")
	if text == nil {
		return evenYears(lengths), nil
	}
	if err := json.Unmarshal(text, &leapYear); err != nil {
		return nil, fmt.Errorf("leap_year is %s, not an integer", text)
	}
	if text := attributes.Get("leap_month"); text != nil {
		if err := json.Unmarshal(text, &leapMonth); err != nil || leapMonth < 1 || leapMonth > 12 {
			return nil, fmt.Errorf("leap_month is %s, not the number of a month", text)
		}
	}
	return func(year int64, month, day int) (int64, bool) {
		own := lengths
		if floor(year-leapYear, 4)*4 == year-leapYear {
			own[leapMonth-1]++
		}
		n, ok := dayOfYear(own, month, day)
		return year*int64(total) + floor(year-1-leapYear, 4) + n, ok
	}, nil
}
