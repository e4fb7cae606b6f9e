package run

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// TestAppendCalendars has a source whose calendar differs from that of the target only for
// times before 1582-10-15.
func TestAppendCalendars(t *testing.T) {
	const since, reform = "units: days since 2001-01-01", -152750
	calendar := func(name string) []string {
		if name == "" {
			return nil
		}
		return []string{since, since + ", calendar: " + name}
	}
	for name, test := range map[string]struct {
		first, next night
		old, new    string
		want        string // in the error, "" for none
	}{
		"after":            {night{0, 3}, night{3, 2}, "", "proleptic_gregorian", ""},
		"after, the other": {night{0, 3}, night{3, 2}, "proleptic_gregorian", "gregorian", ""},
		"the first day":    {night{reform, 3}, night{reform + 3, 2}, "standard", "proleptic_gregorian", ""},
		"target before": {night{reform - 1, 3}, night{reform + 2, 2}, "standard", "proleptic_gregorian",
			`array "g/time": the attribute calendar is "proleptic_gregorian" in the source and "standard" in the target, and element [0] of the target, -152751.0, is a time before 1582-10-15`},
		"source before": {night{reform + 4, 1}, night{reform - 2, 3}, "standard", "proleptic_gregorian",
			`element [0] of the source, -152752.0, is a time before 1582-10-15`},
		"other calendars": {night{0, 3}, night{3, 2}, "julian", "proleptic_gregorian", `the attribute calendar is "proleptic_gregorian", in the target "julian"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), jobtest.Environment()
			if _, err := execute(t, test.first.job(t, dir, calendar(test.old)...), env, Options{}); err != nil {
				t.Fatal(err)
			}
			j := test.next.job(t, dir, calendar(test.new)...)
			_, err := execute(t, j, env, Options{})
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Fatalf("got %v", err)
			}
			if test.want != "" {
				return
			}
			array, values := readArray(t, filepath.Join(dir, "out.zarr"), "g/v", env)
			if last := value(test.first.first+4, 1); array.Grid.Shape[0] != 5 || values[9] != last {
				t.Errorf("%v with %v at the end, want 5 days with %v", array.Grid.Shape, values[9], last)
			}
			if result, err := execute(t, j, env, Options{}); err != nil || !result.Nothing {
				t.Errorf("once more: %+v, %v", result, err)
			}
		})
	}
}

// TestAppendCalendarOfBounds has bounds that inherit the calendar of their coordinate.
func TestAppendCalendarOfBounds(t *testing.T) {
	const since = "days since 2001-01-01"
	for name, first := range map[string]int{"after": 0, "before": -152751} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), jobtest.Environment()
			edit := func(calendar, file string) []string {
				return []string{since + "}", since + ", bounds: b, calendar: " + calendar + "}",
					"    g/v:", "    g/b: {url: " + file + ", data_type: float32, shape: [2, 2], dimension_names: [time, nv]}\n    g/v:"}
			}
			night{first, 2}.write(t, dir)
			file := "v_0.raw"
			if first != 0 {
				file = "v_-152751.raw" // far below all of them
			}
			if _, err := execute(t, night{0, 2}.job(t, dir, edit("standard", file)...), env, Options{}); err != nil {
				t.Fatal(err)
			}
			_, err := execute(t, night{2, 2}.job(t, dir, edit("proleptic_gregorian", "v_2.raw")...), env, Options{})
			if first == 0 && err != nil || first != 0 && (err == nil || !strings.Contains(err.Error(), `array "g/b": the attribute calendar is`)) {
				t.Errorf("got %v", err)
			}
		})
	}
}
