package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// TestAppendSameUnits has a source that spells units and calendar in another way than the
// target.
func TestAppendSameUnits(t *testing.T) {
	const old = "units: days since 2001-01-01"
	for _, units := range []string{
		"days since 2001-01-01 00:00:00", "days since 2001-1-1 0:0:0", "days since 2001-01-01T00:00:00Z", "day since 2001-01-01 00:00:00 UTC",
	} {
		for _, calendar := range []string{"", ", calendar: standard", ", calendar: gregorian"} {
			dir, env := t.TempDir(), jobtest.Environment()
			if _, err := execute(t, night{0, 3}.job(t, dir), env, Options{}); err != nil {
				t.Fatal(err)
			}
			if _, err := execute(t, night{3, 2}.job(t, dir, old, fmt.Sprintf("units: %q%s", units, calendar)), env, Options{}); err != nil {
				t.Errorf("%s%s: %v", units, calendar, err)
				continue
			}
			if got := days(t, dir, env); got != 5 {
				t.Errorf("%d days", got)
			}
		}
	}
	dir, env := t.TempDir(), jobtest.Environment()
	if _, err := execute(t, night{0, 3}.job(t, dir), env, Options{}); err != nil {
		t.Fatal(err)
	}
	_, err := execute(t, night{3, 2}.job(t, dir, old, old+", calendar: noleap"), env, Options{})
	if err == nil || !strings.Contains(err.Error(), `array "g/time": the attribute calendar is "noleap", in the target absent`) {
		t.Errorf("another calendar: %v", err)
	}
}

// TestAppendSameUnitsOfBounds appends bounds. Bounds without units inherit those of their
// coordinate.
func TestAppendSameUnitsOfBounds(t *testing.T) {
	const since, later = "days since 2001-01-01", "days since 2002-01-01"
	for name, test := range map[string]struct{ old, new, given, want string }{
		"none":             {"", "", "", ""},
		"in the source":    {"", "units: " + since + " 00:00:00", "", ""},
		"in the target":    {"units: " + since, "", "", ""},
		"calendar":         {"calendar: gregorian", "", "", ""},
		"others":           {"", "units: " + later, "", ""},
		"others there":     {"units: " + later, "", "", ""},
		"another calendar": {"", "calendar: noleap", "", `array "g/b": the attribute calendar is "noleap", in the target absent`},
		"given":            {"", "units: " + later, "  g/b: {attributes: {units: " + since + "}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), jobtest.Environment()
			with := func(attributes, given string) []string {
				edit := []string{"2001-01-01}", "2001-01-01, bounds: b}", "    g/v:", "    g/b: {url: v_%d.raw, data_type: float32, shape: [%d, 2], dimension_names: [time, nv], attributes: {" + attributes + "}}\n    g/v:"}
				if given != "" {
					edit = append(edit, "  g/time: {chunks: [4]}", "  g/time: {chunks: [4]}\n"+given)
				}
				return edit
			}
			run := func(n night, attributes, given string) error {
				edit := with(attributes, given)
				edit[3] = fmt.Sprintf(edit[3], n.first, n.days)
				_, err := execute(t, n.job(t, dir, edit...), env, Options{})
				return err
			}
			if err := run(night{0, 4}, test.old, ""); err != nil {
				t.Fatal(err)
			}
			err := run(night{4, 2}, test.new, test.given)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestAppendRemovedUnits has a job that removes the units, so that only the checkpoint tells
// what the values of the target mean.
func TestAppendRemovedUnits(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	const units = "units: days since 2001-01-01"
	removed := []string{"g/time: {chunks: [4]}", "g/time: {chunks: [4], attributes: {units: null}}"}
	if _, err := execute(t, night{0, 3}.job(t, dir, removed...), env, Options{}); err != nil {
		t.Fatal(err)
	}
	for i, other := range []string{"units: days since 2002-01-01", "comment: none"} {
		_, err := execute(t, night{3, 1}.job(t, dir, append(removed, units, other)...), env, Options{})
		want := `array "g/time": the attribute units, which the job removes, is ` + []string{`"days since 2002-01-01"`, "absent"}[i] + `, and was "days since 2001-01-01" in the source of the rows that the target has`
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", other, err)
		}
	}
	if _, err := execute(t, night{3, 1}.job(t, dir, append(removed, units, units+" 00:00")...), env, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := days(t, dir, env); got != 4 {
		t.Errorf("%d days", got)
	}
	if err := os.RemoveAll(filepath.Join(dir, "out.zarr.zmigrate")); err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(t.Context(), night{4, 1}.job(t, dir, removed...), env)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close() //nolint:errcheck // nothing was written
	if len(p.Findings) != 1 || p.Findings[0].Code != "unknown-meaning" || !strings.Contains(p.Findings[0].Message, `nothing tells whether it was "days since 2001-01-01"`) {
		t.Errorf("without a record: %v", p.Findings)
	}
}
