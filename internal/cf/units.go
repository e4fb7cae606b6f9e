package cf

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// SameMeaning reports whether two values of an attribute say the same about a variable,
// although their texts may differ. nil stands for an absent attribute. Units of time since
// a moment (section 4.4) are compared by what they mean, and so are the names of calendars;
// an absent calendar is "standard" (section 4.4.1). Other attributes are compared as texts.
func SameMeaning(name string, a, b json.RawMessage) bool {
	switch name {
	case "calendar":
		return calendar(a) == calendar(b)
	case "units":
		x, y := attributeText(a), attributeText(b)
		switch {
		case a == nil || b == nil:
			return a == nil && b == nil
		case x == y:
			return x != "" || string(a) == string(b)
		}
		s, since := parseSince(x)
		t, too := parseSince(y)
		return since && too && s.unit == t.unit && s.day == t.day && s.seconds.Cmp(t.seconds) == 0
	}
	return string(a) == string(b)
}

// attributeText returns the text of an attribute without the space around it. It returns ""
// if the attribute is not a text.
func attributeText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return ""
	}
	return strings.TrimSpace(text)
}

// calendar returns one name for all names of a calendar. An attribute that is not a text
// stays as it is.
func calendar(value json.RawMessage) string {
	text := strings.ToLower(attributeText(value))
	switch text {
	case "":
		if value != nil && string(value) != `""` {
			return string(value)
		}
		return "standard"
	case "gregorian":
		return "standard"
	case "365_day":
		return "noleap"
	case "366_day":
		return "all_leap"
	}
	return text
}

// since is the meaning of "days since 2000-01-01".
type since struct {
	unit    string
	day     [3]int   // year, month and day
	seconds *big.Rat // since the beginning of that day in UTC; with a time zone, they may be negative or exceed the day
}

// timeUnits lists the names of units of time. The first name of each unit stands for
// all.
var timeUnits = [][]string{
	{"nanosecond", "nanoseconds", "nanosec", "nanosecs", "ns"},
	{"microsecond", "microseconds", "microsec", "microsecs"},
	{"millisecond", "milliseconds", "millisec", "millisecs", "msec", "msecs", "ms"},
	{"second", "seconds", "sec", "secs", "s"},
	{"minute", "minutes", "min", "mins"},
	{"hour", "hours", "hr", "hrs", "h"},
	{"day", "days", "d"},
	{"week", "weeks"},
	{"month", "months"},
	{"common_year", "common_years"},
	{"year", "years", "yr", "yrs"},
}

// canonicalUnit returns the first name of a unit of time. It returns "" if the word is not
// a unit.
func canonicalUnit(word string) string {
	i := slices.IndexFunc(timeUnits, func(names []string) bool { return slices.Contains(names, word) })
	if i < 0 {
		return ""
	}
	return timeUnits[i][0]
}

// parseSince reads units of the form "days since 2000-1-1 00:00:00 UTC".
func parseSince(text string) (s since, ok bool) {
	words := strings.Fields(strings.ToLower(text))
	if len(words) < 3 || words[1] != "since" {
		return s, false
	}
	if s.unit = canonicalUnit(words[0]); s.unit == "" {
		return s, false
	}
	date, clock, joined := strings.Cut(words[2], "t")
	rest := words[3:]
	if joined {
		rest = append([]string{clock}, rest...)
	}
	if s.day, ok = parseDate(strings.TrimSuffix(date, "z")); !ok {
		return s, false
	}
	s.seconds, ok = parseClock(rest)
	return s, ok
}

// parseDate reads year, month and day. Month and day may be left out. A date of eight digits,
// such as 20000131, is year, month and day, as in UDUNITS; other numbers of more than four
// digits need a month.
func parseDate(text string) (day [3]int, ok bool) {
	day = [3]int{0, 1, 1}
	unsigned := strings.TrimLeft(text, "+-")
	if len(text)-len(unsigned) > 1 {
		return day, false
	}
	parts := strings.Split(unsigned, "-")
	if len(unsigned) == 8 && len(parts) == 1 {
		parts = []string{unsigned[:4], unsigned[4:6], unsigned[6:]}
	}
	if len(parts) > 3 || len(parts) == 1 && len(unsigned) > 4 {
		return day, false
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil || i > 0 && len(part) > 2 {
			return day, false
		}
		day[i] = int(n)
	}
	if strings.HasPrefix(text, "-") {
		day[0] = -day[0]
	}
	return day, true
}

// parseClock reads the words after the date: a time of day and a time zone. Both may be
// left out.
func parseClock(words []string) (seconds *big.Rat, ok bool) {
	seconds = new(big.Rat)
	text := strings.Join(words, " ")
	for _, zone := range []string{"z", "utc", "gmt"} {
		if rest, found := strings.CutSuffix(text, zone); found {
			text = strings.TrimRight(rest, " ")
			break
		}
	}
	if text == "" {
		return seconds, true
	}
	clock, zone := text, ""
	if i := strings.IndexAny(text, "+-"); i > 0 {
		clock, zone = strings.TrimRight(text[:i], " "), text[i:]
	} else if at, after, found := strings.Cut(text, " "); found {
		clock, zone = at, "+"+after
	}
	if seconds, ok = sexagesimal(clock); !ok || zone == "" {
		return seconds, ok
	}
	if !strings.Contains(zone, ":") && len(zone) == len("+0530") {
		zone = zone[:3] + ":" + zone[3:]
	}
	ahead, ok := sexagesimal(strings.TrimLeft(zone[1:], " "))
	if !ok {
		return seconds, false
	}
	if zone[0] == '+' {
		ahead.Neg(ahead)
	}
	return seconds.Add(seconds, ahead), true
}

// sexagesimal reads hours, minutes and seconds as a number of seconds. Minutes and
// seconds may be left out.
func sexagesimal(text string) (*big.Rat, bool) {
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return nil, false
	}
	sum := new(big.Rat)
	for i, part := range parts {
		whole, fraction, _ := strings.Cut(part, ".")
		digits := whole + fraction
		if whole == "" || len(part) > 20 || strings.Trim(digits, "0123456789") != "" || i < 2 && len(part) != len(whole) {
			return nil, false
		}
		n, ok := new(big.Rat).SetString(whole + "." + fraction + "0")
		if !ok {
			return nil, false
		}
		size := [...]int64{3600, 60, 1}[i]
		sum.Add(sum, n.Mul(n, new(big.Rat).SetInt64(size)))
	}
	return sum, true
}
