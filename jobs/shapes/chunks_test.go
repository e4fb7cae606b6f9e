package shapes

import (
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
)

// TestJoinedChunks chooses chunks of an array that is joined from monthly files. Chunks
// that are as long as the files mean nothing for the whole; shorter ones do.
func TestJoinedChunks(t *testing.T) {
	for name, test := range map[string]struct{ chunks, want []int }{
		"one chunk a file":      {[]int{31, 73, 144}, []int{92, 73, 144}},
		"a chunk for each step": {[]int{1, 73, 144}, []int{92, 73, 144}},
		"chunks of ten steps":   {[]int{10, 73, 144}, []int{50, 73, 144}},
	} {
		info := &sources.Info{Path: "v", Type: dtype.Float32, Shape: []int{365, 73, 144}, DimensionNames: []string{"time", "y", "x"}, Chunks: test.chunks}
		c := Chooser{Job: &jobfile.Job{Source: jobfile.Source{Concat: "time"}}, Options: &jobfile.ArrayOptions{}, Source: info, Info: info, Files: func() int { return 12 }}
		if got := c.autoChunks(dtype.Float32); !slices.Equal(got, test.want) {
			t.Errorf("%s: chunks %v, want %v", name, got, test.want)
		}
	}
	for n, want := range map[int]int{365: 365, 1 << 20: 1 << 20, 1<<20 + 1: 262145} { // one chunk up to 8 MiB
		info := &sources.Info{Path: "time", Type: dtype.Float64, Shape: []int{n}, DimensionNames: []string{"time"}, Chunks: []int{1}}
		c := Chooser{Job: &jobfile.Job{Source: jobfile.Source{Concat: "time"}}, Options: &jobfile.ArrayOptions{}, Source: info, Info: info, Files: func() int { return 365 }}
		if got := c.autoChunks(dtype.Float64); !slices.Equal(got, []int{want}) {
			t.Errorf("the coordinate of %d times has chunks %v", n, got)
		}
	}
}
