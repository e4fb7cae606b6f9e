package jobfile

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/internal/words"
)

// dateExample is a hint at how a date is written.
const dateExample = "such as ${date:%Y-%m-%d}, or ${date:-1d:%Y%m%d} for yesterday"

// dateShift matches the offset of a date, before its format.
var dateShift = words.Pattern(`^([+-][0-9]{1,6})([hdwmy]):`)

// isDate reports whether what stands between ${ and } is a date, and not a variable with the
// name date.
func isDate(inside string) bool {
	rest, ok := strings.CutPrefix(inside, "date:")
	return ok && strings.Contains(rest, "%")
}

// date evaluates ${date:FORMAT} and ${date:OFFSET:FORMAT} for the moment now, which is in UTC. An
// offset is a number of hours, days, weeks, months or years. A format is that of strftime, of
// which it has %Y, %m, %d, %H, %M, %j, %y and %%.
func date(inside string, now time.Time) (string, error) {
	format := strings.TrimPrefix(inside, "date:")
	if m := dateShift().FindStringSubmatch(format); m != nil {
		n, _ := strconv.Atoi(m[1]) // of at most six digits
		format = format[len(m[0]):]
		switch m[2] {
		case "h":
			now = now.Add(time.Duration(n) * time.Hour)
		case "d":
			now = now.AddDate(0, 0, n)
		case "w":
			now = now.AddDate(0, 0, 7*n)
		case "m":
			now = addMonths(now, n)
		case "y":
			now = addMonths(now, 12*n)
		}
	} else if before, _, shifted := strings.Cut(format, ":%"); shifted && !strings.Contains(before, "%") {
		return "", fmt.Errorf("%q is no offset of a date: %s; a unit is h, d, w, m or y", Clip(before, 60), dateExample)
	}
	if y := now.Year(); y < 0 || y > 9999 {
		return "", fmt.Errorf("the date is in the year %d: %s", y, dateExample)
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		i++
		layout := ""
		if i < len(format) {
			layout = map[byte]string{'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'j': "002", 'y': "06", '%': "%"}[format[i]]
		}
		if layout == "" {
			return "", fmt.Errorf("%q is no format of a date: %s; there are %%Y, %%m, %%d, %%H, %%M, %%j and %%y", Clip(format, 60), dateExample)
		}
		b.WriteString(now.Format(layout))
	}
	return b.String(), nil
}

// addMonths adds months. A day that the month does not have becomes its last day.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), 0, t.Location())
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}
