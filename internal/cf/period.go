package cf

import (
	"fmt"
	"math/big"
	"sort"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/zarr"
)

var periodText = words.Pattern(`^([+-]?\d{1,9})(?:-(\d\d?)(?:-(\d\d?)(?:[T ](\d\d?)(?::(\d\d)(?::(\d\d)(\.\d{1,18})?)?)?Z?)?)?)?$`)

// IsPeriod reports whether a text is one that [Period] reads, in some calendar.
func IsPeriod(text string) bool {
	m := periodText().FindStringSubmatch(text)
	return m != nil && inRange(m[2], 12) && inRange(m[3], 31) && inRange(m[4], 23) && inRange(m[5], 59) && inRange(m[6], 59)
}

// LooksLikePeriod reports whether a text has the form of one that [Period] reads, with a
// month, a day or a time of day that may be too large.
func LooksLikePeriod(text string) bool { return periodText().MatchString(text) }

// inRange reports whether digits are at most a number. It accepts "", which stands for no
// digits.
func inRange(digits string, most int) bool {
	n, err := strconv.Atoi(digits)
	return digits == "" || err == nil && n <= most
}

// Period returns the time that a text such as 2020, 2020-01, 2020-01-31 or 2020-01-31T12:00
// stands for: a year, a month, a day, an hour, a minute or a second, or a part of a second.
// The period begins at the number low and ends before the number end. Both numbers count in
// the units and the calendar of attributes. The error says what is wrong with the
// attributes or the text, or that the calendar does not have the date.
func Period(attributes zarr.Attributes, text string) (low, end *big.Rat, err error) {
	clock, err := ClockOf(attributes)
	if err != nil {
		return nil, nil, err
	}
	dayOf, err := almanacOf(calendar(attributes.Get("calendar")), attributes)
	if err != nil {
		return nil, nil, err
	}
	m := periodText().FindStringSubmatch(text)
	if m == nil || !IsPeriod(text) {
		return nil, nil, fmt.Errorf("%q is not a date such as 2020, 2020-01, 2020-01-31 or 2020-01-31T12:00:00", text)
	}
	part := func(i, absent int) int {
		if m[i] == "" {
			return absent
		}
		n, _ := strconv.Atoi(m[i]) // a few digits
		return n
	}
	year, month, date := int64(part(1, 0)), part(2, 1), part(3, 1)
	day, ok := dayOf(year, month, date)
	if !ok {
		return nil, nil, fmt.Errorf("the calendar %s has no date %d-%02d-%02d", clock.Calendar, year, month, date)
	}
	seconds := new(big.Rat).SetInt64(int64(part(4, 0)*3600 + part(5, 0)*60 + part(6, 0)))
	length := big.NewRat(86400, 1)
	next := day + 1
	switch {
	case m[7] != "":
		fraction, _ := new(big.Rat).SetString("0" + m[7])
		seconds.Add(seconds, fraction)
		length.SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(m[7])-1)), nil))
	case m[6] != "":
		length.SetInt64(1)
	case m[5] != "":
		length.SetInt64(60)
	case m[4] != "":
		length.SetInt64(3600)
	case m[3] != "": // a day
	case m[2] != "" && month < 12:
		next, _ = dayOf(year, month+1, 1)
	default: // a year, or the last month of one
		if next, ok = dayOf(year+1, 1, 1); !ok {
			next, _ = dayOf(year+2, 1, 1) // the calendar has no year 0
		}
	}
	number := func(day int64, seconds *big.Rat) *big.Rat {
		n := new(big.Rat).SetInt64(day)
		n.Mul(n, big.NewRat(86400, 1)).Add(n, seconds).Sub(n, clock.origin)
		return n.Quo(n, clock.length)
	}
	low = number(day, seconds)
	if m[3] == "" {
		return low, number(next, new(big.Rat)), nil
	}
	return low, number(day, seconds.Add(seconds, length)), nil
}

// Tolerance returns half a microsecond in the units of attributes that [Period] accepts. Readers
// know times to a microsecond, and a float is seldom the exact number of a moment.
func Tolerance(attributes zarr.Attributes) *big.Rat {
	clock, err := ClockOf(attributes)
	if err != nil {
		return new(big.Rat)
	}
	return new(big.Rat).Quo(tolerance, clock.length)
}

// Date returns the moment that a number stands for in the units and the calendar of a
// coordinate with these attributes, as a text that [Period] reads: a day, with the time of
// day unless that is midnight, to a microsecond. It returns false if the attributes do not
// describe times, and for years with more than nine digits.
func Date(attributes zarr.Attributes, number *big.Rat) (text string, ok bool) {
	clock, err := ClockOf(attributes)
	if err != nil {
		return "", false
	}
	dayOf, err := almanacOf(calendar(attributes.Get("calendar")), attributes)
	if err != nil {
		return "", false
	}
	const dayLength = 86400 * 1e6 // in microseconds
	moment := new(big.Rat).Mul(number, clock.length)
	moment.Add(moment, clock.origin).Mul(moment, big.NewRat(1e6, 1)).Add(moment, big.NewRat(1, 2))
	whole := new(big.Int).Div(moment.Num(), moment.Denom()) // the nearest microsecond
	days, rest := new(big.Int).DivMod(whole, big.NewInt(dayLength), new(big.Int))
	if days.BitLen() > 50 {
		return "", false
	}
	day, date := days.Int64(), ""
	const years = 1e9
	first := func(year int64) int64 {
		n, ok := dayOf(year, 1, 1)
		if !ok {
			n, _ = dayOf(year+1, 1, 1) // the calendar has no year 0
		}
		return n
	}
	year := int64(sort.Search(2*years, func(i int) bool { return first(int64(i)-years) > day })) - years - 1
	if year <= -years || year >= years-1 {
		return "", false
	}
	month := 12
	for n, _ := dayOf(year, month, 1); n > day && month > 1; n, _ = dayOf(year, month, 1) {
		month--
	}
	for d := 1; d <= longestMonth+1 && date == ""; d++ {
		if n, ok := dayOf(year, month, d); ok && n == day {
			date = fmt.Sprintf("%04d-%02d-%02d", year, month, d)
		}
	}
	if date == "" {
		return "", false // leap_year is beyond all years
	}
	at := rest.Int64()
	if at == 0 {
		return date, true
	}
	seconds, fraction := at/1e6, at%1e6
	text = fmt.Sprintf("%sT%02d:%02d", date, seconds/3600, seconds/60%60)
	if seconds%60 == 0 && fraction == 0 {
		return text, true
	}
	text += fmt.Sprintf(":%02d", seconds%60)
	if fraction != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%06d", fraction), "0")
	}
	return text, true
}
