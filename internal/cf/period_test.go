package cf

import (
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/zarr"
)

// TestPeriod reads dates in several units and calendars.
func TestPeriod(t *testing.T) {
	for _, test := range []struct{ units, calendar, text, low, end string }{
		{"days since 2000-01-01", "", "2000", "0", "366"},
		{"days since 2000-01-01", "noleap", "2000", "0", "365"},
		{"days since 2000-01-01", "360_day", "2001-02-30", "419", "420"},
		{"days since 2000-01-01", "", "2000-12", "335", "366"},
		{"days since 2000-01-01", "", "2000-02", "31", "60"},
		{"hours since 2000-01-01 12:00", "", "2000-01-02", "12", "36"},
		{"hours since 2000-01-01", "", "2000-01-01T06", "6", "7"},
		{"hours since 2000-01-01", "", "2000-01-01 06:30", "13/2", "391/60"},
		{"seconds since 1970-01-01", "proleptic_gregorian", "1970-01-01T00:00:01", "1", "2"},
		{"seconds since 1970-01-01", "proleptic_gregorian", "1970-01-01T00:00:01.25Z", "5/4", "63/50"},
		{"days since 1582-10-04", "standard", "1582-10-15", "1", "2"},
		{"days since 1582-10-04", "standard", "1582-10", "-3", "18"},
		{"days since 0001-01-01", "julian", "-1", "-366", "0"},
	} {
		attributes := zarr.Attributes{}.With("units", []byte(`"`+test.units+`"`))
		if test.calendar != "" {
			attributes = attributes.With("calendar", []byte(`"`+test.calendar+`"`))
		}
		low, end, err := Period(attributes, test.text)
		if err != nil || low.RatString() != test.low || end.RatString() != test.end {
			t.Errorf("%s, %s, %s: %v to %v, %v; want %s to %s", test.units, test.calendar, test.text, low, end, err, test.low, test.end)
		}
	}
}

// TestNoPeriod refuses texts and dates.
func TestNoPeriod(t *testing.T) {
	for _, test := range []struct{ units, calendar, text, want string }{
		{"days since 2000-01-01", "noleap", "2020-02-29", "the calendar noleap has no date 2020-02-29"},
		{"days since 2000-01-01", "standard", "1582-10-10", "no date 1582-10-10"},
		{"days since 2000-01-01", "360_day", "2020-01-31", "no date 2020-01-31"},
		{"days since 2000-01-01", "standard", "2020-13", "is no date such as"},
		{"days since 2000-01-01", "standard", "2020-01-01T24:00", "is no date such as"},
		{"days since 2000-01-01", "standard", "yesterday", "is no date such as"},
		{"days since 2000-01-01", "lunar", "2020", "lunar"},
		{"metres", "standard", "2020", "no units of time"},
	} {
		attributes := zarr.Attributes{}.With("units", []byte(`"`+test.units+`"`)).With("calendar", []byte(`"`+test.calendar+`"`))
		if _, _, err := Period(attributes, test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.text, err, test.want)
		}
	}
}
