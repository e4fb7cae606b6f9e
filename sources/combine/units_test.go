package combine

import (
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/sources"
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
			how := Options{Concat: "t", Wanted: everything, Time: sources.Rebasing{Keep: true}, Given: func(path, attribute string) bool { return path == "t" && attribute == test.given }}
			_, err := combineAll(t, how, file("t(t)=0;bounds=b"+test.time, "b(t)=7"+test.bounds), file("t(t)=1;bounds=b"+test.otherTime, "b(t)=8"+test.otherBounds))
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestCalendarsOfFiles joins files whose calendars agree for times from 1582-10-15 on.
func TestCalendarsOfFiles(t *testing.T) {
	const since, reform = "units=days since 2001-01-01", "-152750"
	for name, test := range map[string]struct {
		a, b  string // t and its attributes
		fault string
		notes []string
	}{
		"later": {"t(t)=0,1;" + since, "t(t)=2;calendar=proleptic_gregorian;" + since, "",
			[]string{`the attribute calendar is absent in a and "proleptic_gregorian" in b: the calendars agree from 1582-10-15 on, and no time is earlier; the first is taken`}},
		"the first day": {"t(t)=" + reform + ";calendar=proleptic_gregorian;" + since, "t(t)=2;calendar=standard;" + since, "",
			[]string{`the attribute calendar is "proleptic_gregorian" in a and "standard" in b: the calendars agree from 1582-10-15 on, and no time is earlier; the first is taken`}},
		"the first before": {"t(t)=-152751;" + since, "t(t)=2;calendar=proleptic_gregorian;" + since,
			`the attribute calendar is absent in a and "proleptic_gregorian" in b, and element [0] in a, -152751.0, is a time before 1582-10-15, when the calendars differ; the stored values do not mean the same`, nil},
		"the other before": {"t(t)=2,3;" + since, "t(t)=1,-152751;calendar=proleptic_gregorian;" + since,
			`element [1] in b, -152751.0, is a time before 1582-10-15`, nil},
		"other calendars": {"t(t)=0;" + since, "t(t)=2;calendar=noleap;" + since, `the attribute calendar is absent in a and "noleap" in b; the stored values`, nil},
		"other units":     {"t(t)=0;units=K", "t(t)=2;calendar=proleptic_gregorian;units=K", `the attribute calendar is absent in a and "proleptic_gregorian" in b; the stored values`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := combineAll(t, Options{Concat: "t", Wanted: everything}, file(test.a), file(test.b))
			if test.fault != "" {
				if err == nil || !strings.Contains(err.Error(), test.fault) {
					t.Fatalf("got %v, want %s", err, test.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			a, err := src.Array(t.Context(), "t")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a.Info().Notes, test.notes) {
				t.Errorf("notes %q, want %q", a.Info().Notes, test.notes)
			}
		})
	}
}
