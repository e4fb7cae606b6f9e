package combine

import (
	"strings"
	"testing"
)

// TestSameUnitsOfFiles joins files that spell the units and calendar of their
// coordinate and its bounds in several ways.
func TestSameUnitsOfFiles(t *testing.T) {
	const since, later = ";units=days since 2000-01-01", ";units=days since 2001-01-01"
	for name, test := range map[string]struct {
		time, bounds, otherTime, otherBounds string
		given                                string // attributes of t
		want                                 string
	}{
		"spelled otherwise":     {since, "", ";units=days since 2000-1-1 00:00:00 UTC", "", "", ""},
		"calendar":              {since, "", since + ";calendar=gregorian", "", "", ""},
		"two calendars":         {since + ";calendar=standard", "", since + ";calendar=gregorian", "", "", ""},
		"another calendar":      {since, "", since + ";calendar=noleap", "", "", `array "t": the attribute calendar is absent in a and "noleap" in b`},
		"inherited":             {since, "", since, since, "", ""},
		"inherited elsewhere":   {since, since, since, "", "", ""},
		"bounds of other units": {since, "", since, later, "", `array "b": the attribute units is "days since 2000-01-01" in a and "days since 2001-01-01" in b`},
		"both":                  {since, "", later, "", "", `array "b": the attribute units is "days since 2000-01-01" in a and "days since 2001-01-01" in b`},
		"given":                 {since, "", later, "", "units", ""},
		"given as it is":        {since, "", since, since, "units", ""},
		"given to the time":     {since, since, later, "", "units", `array "b": the attribute units is "days since 2000-01-01" in a and "days since 2001-01-01" in b`},
	} {
		t.Run(name, func(t *testing.T) {
			how := Options{Concat: "t", Wanted: everything, Given: func(path, attribute string) bool { return path == "t" && attribute == test.given }}
			_, err := combineAll(t, how, file("t(t)=0;bounds=b"+test.time, "b(t)=7"+test.bounds), file("t(t)=1;bounds=b"+test.otherTime, "b(t)=8"+test.otherBounds))
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
