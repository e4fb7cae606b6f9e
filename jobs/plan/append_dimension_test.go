package plan

import (
	"context"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/sources"
)

// unlimited is a source whose arrays have dimensions that may grow.
type unlimited struct {
	sources.Source
	dims map[string][]string // of each array
}

func (u unlimited) Arrays() []string { return []string{"a", "b", "c"} }

func (u unlimited) Array(_ context.Context, path string) (sources.Array, error) {
	return described{info: &sources.Info{Path: path, Unlimited: u.dims[path]}}, nil
}

// described is an array of which only the description is asked for.
type described struct {
	sources.Array
	info *sources.Info
}

func (d described) Info() *sources.Info { return d.info }

// TestDimension finds the dimension to append along.
func TestDimension(t *testing.T) {
	for name, test := range map[string]struct {
		job  string
		dims map[string][]string
		want string // the dimension, or a part of the error
	}{
		"one":         {"", map[string][]string{"a": {"time"}, "b": {"time"}}, "time"},
		"none":        {"", nil, "the source has none that is unlimited (target.append: NAME)"},
		"two":         {"", map[string][]string{"a": {"time"}, "b": {"x", "time"}}, `the source has 2 that are unlimited, ["time" "x"] (target.append: NAME)`},
		"left out":    {", exclude: [b]", map[string][]string{"a": {"time"}, "b": {"x"}}, "time"},
		"joined":      {", concat: x", map[string][]string{"a": {"time"}}, "x"},
		"from a plan": {", concat: x}\ntarget: {append: y, url: out.zarr, existing: append", nil, "y"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "zmigrate: 1\nsource: {driver: netcdf, url: a.nc" + test.job + "}\n"
			if !strings.Contains(text, "target") {
				text += "target: {url: out.zarr, existing: append}\n"
			}
			j := jobtest.Parse(t, t.TempDir(), text)
			p := &Plan{Job: j, source: unlimited{dims: test.dims}}
			got, err := p.dimension(t.Context())
			if got != test.want && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}
