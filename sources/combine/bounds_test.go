package combine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
			how := Options{Concat: "t", Wanted: everything, Given: func(path, attribute string) bool { return path == "t" && attribute == test.given }}
			_, err := combineAll(t, how, file("t(t)=0;bounds=b"+test.time, "b(t)=7"+test.bounds), file("t(t)=1;bounds=b"+test.otherTime, "b(t)=8"+test.otherBounds))
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestBoundsOf(t *testing.T) {
	var infos []*sources.Info
	for _, a := range []struct{ path, attribute, value string }{
		{"time", "bounds", `"time_bnds"`},
		{"time_bnds", "", ""},
		{"g/time", "bounds", `" time_bnds "`},
		{"g/time_bnds", "bounds", `"time_bnds"`}, // its own
		{"g/lat", "climatology", `"above"`},
		{"above", "bounds", "7"},
		{"lon", "bounds", `"none"`},
	} {
		info := &sources.Info{Path: a.path}
		info.Attributes = info.Attributes.With(a.attribute, []byte(a.value))
		infos = append(infos, info)
	}
	want := map[string]string{"time_bnds": "g/time_bnds", "g/time_bnds": "g/time", "above": "g/lat"}
	if diff := cmp.Diff(want, BoundsOf(infos)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
