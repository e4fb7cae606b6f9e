package input

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

func TestFolded(t *testing.T) {
	fault := func(path, format string, args ...any) arrayFault {
		return arrayFault{path, fmt.Errorf(format, args...)}
	}
	var same, rows, different, many []arrayFault
	for i := range 8 {
		path := fmt.Sprintf("g/a%d", i)
		same = append(same, fault(path, "f.h5: variable %q: blosc2 (filter 32026): no", path))
		rows = append(rows, fault(path, "f.parquet: column %q: batch 0, rows %d to %d: row %d is null", path, i, 7*i, 3*i))
		different = append(different, fault(path, "f.h5: variable %q: unknown codec %q", path, path))
	}
	for i := range 30 {
		many = append(many, fault(fmt.Sprintf("b%d", i), "fault %d", i))
	}
	names := `"g/a1", "g/a2", "g/a3", "g/a4", "g/a5", …`
	for name, test := range map[string]struct {
		faults []arrayFault
		want   []string // lines
	}{
		"none": {nil, nil},
		"one":  {same[:1], []string{`array "g/a0": f.h5: variable "g/a0": blosc2 (filter 32026): no`}},
		"few": {same[:3], []string{
			`array "g/a0": f.h5: variable "g/a0": blosc2 (filter 32026): no`, `array "g/a1": f.h5: variable "g/a1": blosc2 (filter 32026): no`,
			`array "g/a2": f.h5: variable "g/a2": blosc2 (filter 32026): no`,
		}},
		"the same":   {same, []string{`array "g/a0": f.h5: variable "g/a0": blosc2 (filter 32026): no`, "  and 7 more arrays: " + names}},
		"other rows": {rows, []string{`array "g/a0": f.parquet: column "g/a0": batch 0, rows 0 to 0: row 0 is null`, "  and 7 more arrays: " + names}},
		"between": {append(append([]arrayFault{many[0]}, same...), many[1]), []string{
			`array "b0": fault 0`, `array "g/a0": f.h5: variable "g/a0": blosc2 (filter 32026): no`, "  and 7 more arrays: " + names, `array "b1": fault 1`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			if err := folded(test.faults); err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := folded(different).Error(); strings.Count(got, "\n") != 7 {
		t.Errorf("codecs of other names are not one fault: %s", got)
	}
	if got := folded(many).Error(); strings.Count(got, "\n") != mostFaults || !strings.HasSuffix(got, "\nand 10 arrays more") {
		t.Errorf("30 faults: %s", got)
	}
	cause := errors.New("cause")
	if err := folded([]arrayFault{{"a", fmt.Errorf("x: %w", cause)}}); !errors.Is(err, cause) {
		t.Errorf("%v lost its cause", err)
	}
}

// TestUnsupportedRoot: a source that is one array cannot do without it.
func TestUnsupportedRoot(t *testing.T) {
	j := &jobfile.Job{}
	cause := errors.New("no such type")
	for path, want := range map[string]string{
		"":  `array "": no such type (write it again in a form that zmigrate reads)`,
		"x": `array "x": no such type (exclude it, or leave all such arrays out with source.unsupported: skip)`,
	} {
		if got := (arrayFault{path, cause}).unsupported(j).error(); got.Error() != want || !errors.Is(got, cause) {
			t.Errorf("%v, want %s", got, want)
		}
	}
}
