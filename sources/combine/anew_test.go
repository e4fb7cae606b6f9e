package combine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestCalendarsOfReadTimes joins files whose calendars differ only before 1582-10-15. They
// can be joined if no time is earlier.
func TestCalendarsOfReadTimes(t *testing.T) {
	failed := errors.New("failed")
	for name, test := range map[string]struct {
		first, second float64 // days since 1900-01-01
		fail          error
		want          string
	}{
		"late":           {0, 1, nil, ""},
		"early":          {0, -200_000, nil, "is a time before 1582-10-15"},
		"early, first":   {-200_000, 0, nil, "is a time before 1582-10-15"},
		"cannot be read": {0, 1, failed, "failed"},
	} {
		members := []*member{
			file(fmt.Sprintf("v(t)=%g;units=days since 1900-01-01;calendar=standard", test.first)),
			file(fmt.Sprintf("v(t)=%g;units=days since 1900-01-01;calendar=proleptic_gregorian", test.second)),
		}
		members[1].arrays["v"].fail = func() error { return test.fail }
		src, err := combineAll(t, Options{Concat: "t", Wanted: everything}, members...)
		if err == nil {
			_, err = src.Array(t.Context(), "v")
		}
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}
