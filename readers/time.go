package readers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/zarr"
)

// unitsOfTime are the words for units of time that cftime knows in every calendar.
var unitsOfTime = strings.Fields("nanosecond nanoseconds microsecond microseconds microsec microsecs millisecond milliseconds millisec millisecs msec msecs ms" +
	" second seconds sec secs s minute minutes min mins hour hours hr hrs h day days d")

// UndecodedTime says why xarray cannot decode the times of an array with these attributes,
// so that it opens their hierarchy with decode_times=False only. It is "" if xarray can, or if
// they are no times.
func UndecodedTime(attributes zarr.Attributes) string {
	var text string
	units := attributes.Get("units")
	if !mayHold(units, "since") || json.Unmarshal(units, &text) != nil || !strings.Contains(text, " since ") {
		return ""
	}
	clock, err := cf.ClockOf(attributes)
	if err != nil {
		return err.Error()
	}
	word, moment, _ := strings.Cut(text, " since ")
	word = strings.ToLower(strings.TrimSpace(word))
	year := 1
	if _, err := fmt.Sscanf(strings.TrimSpace(moment), "%d", &year); err != nil {
		return fmt.Sprintf("%q: the moment has no year", text)
	}
	date, _, _ := strings.Cut(strings.ToLower(strings.Fields(moment)[0]), "t")
	whole := strings.Count(strings.TrimLeft(date, "+-"), "-") == 2
	if !whole && year > 9999 { // a date of eight digits
		year /= 10000
	}
	switch c := clock.Calendar; {
	case !whole && (c != "standard" && c != "proleptic_gregorian" || year < 1678 || year > 2261): // the others are read by pandas
		return fmt.Sprintf("%q: the moment is not of the form 2000-01-31", text)
	case year == 0 && (c == "standard" || c == "julian"):
		return fmt.Sprintf("%q: the calendar %s has no year 0", text, c)
	case slices.Contains(unitsOfTime, word),
		(word == "month" || word == "months") && c == "360_day",
		(word == "common_year" || word == "common_years") && c == "noleap":
		return ""
	}
	return fmt.Sprintf("%q: %s are no unit that cftime takes in the calendar %s", text, word, clock.Calendar)
}
