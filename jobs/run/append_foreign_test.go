package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/stages"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestAppendToWhatAnotherJobHasGrown makes a plan, lets a job with another checkpoint append
// rows, and then runs the plan. The rows of the other job stay.
func TestAppendToWhatAnotherJobHasGrown(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	if _, err := execute(t, night{0, 5}.job(t, dir), env, Options{}); err != nil {
		t.Fatal(err)
	}
	own := []string{"existing: append, append: time}", "existing: append, append: time}\nrun: {checkpoint: {url: elsewhere}}"}
	p, err := plan.New(t.Context(), night{7, 1}.job(t, dir, own...), env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, night{5, 2}.job(t, dir), env, Options{}); err != nil {
		t.Fatal(err)
	}
	_, err = Run(t.Context(), p, env, Options{})
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if !errors.Is(err, stages.ErrStopped) || !strings.Contains(err.Error(), "another run has appended") {
		t.Errorf("got %v", err)
	}
	if got := days(t, dir, env); got != 7 {
		t.Errorf("%d days", got)
	}
	if _, err := execute(t, night{7, 1}.job(t, dir, own...), env, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := days(t, dir, env); got != 8 {
		t.Errorf("%d days", got)
	}
}

// TestAppendGoesOnBehindForeignRows lets a program that does not use the checkpoint append
// rows while a run is interrupted. These rows are not overwritten.
func TestAppendGoesOnBehindForeignRows(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	if _, err := execute(t, night{0, 5}.job(t, dir), env, Options{}); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	close(stop)
	j := night{8, 2}.job(t, dir)
	if _, err := execute(t, j, env, Options{Stop: stop}); !errors.Is(err, stages.ErrStopped) {
		t.Fatal(err)
	}
	own := []string{"existing: append, append: time}", "existing: append, append: time}\nrun: {checkpoint: {url: elsewhere}}"}
	if _, err := execute(t, night{5, 3}.job(t, dir, own...), env, Options{}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "out.zarr", zarr.MetadataKey))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, j, env, Options{}); err == nil || !strings.Contains(err.Error(), "has 8 rows") {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "out.zarr", zarr.MetadataKey)); err != nil || string(before) != string(after) {
		t.Errorf("the document changed, %v", err)
	}
	if got := days(t, dir, env); got != 8 {
		t.Errorf("%d days", got)
	}
}

// TestAppendLeavesNothingBehindBelow has an array in a group below the group of the
// coordinate. The next job does not have that array, so the array would become shorter than
// the coordinate. An array that has a coordinate of its own may stay.
func TestAppendLeavesNothingBehindBelow(t *testing.T) {
	for name, test := range map[string]struct{ more, want string }{
		"shares the coordinate": {"", `array "g/sub/w" of the target has the dimension "time" and would stay behind`},
		"has its own":           {"    g/sub/time: {url: time_0.raw, data_type: float64, shape: [4], dimension_names: [time]}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), jobtest.Environment()
			below := test.more + "    g/sub/w: {url: time_0.raw, data_type: float64, shape: [4], dimension_names: [time]}\n    g/lat:"
			if _, err := execute(t, night{0, 4}.job(t, dir, "    g/lat:", below), env, Options{}); err != nil {
				t.Fatal(err)
			}
			_, err := execute(t, night{4, 1}.job(t, dir), env, Options{})
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
