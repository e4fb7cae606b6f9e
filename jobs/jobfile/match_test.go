package jobfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"SST", "SST", true},
		{"*WND", "UWND", true},
		{"*WND", "g/UWND", false},
		{"*/UWND", "g/UWND", true},
		{"**", "a/b/c", true},
		{"**/c", "c", true},
		{"a/**", "a/b/c", true},
		{"a/**/c", "a/c", true},
		{"a/**/c", "a/b/b/d", false},
		{"[ab]?", "b1", true},
		{"[a", "a", false},
		{strings.Repeat("**/", 200) + "x", strings.Repeat("a/", 200) + "y", false},
	} {
		if got := matches(tt.pattern, tt.name); got != tt.want {
			t.Errorf("matches(%.20q, %.20q) = %v", tt.pattern, tt.name, got)
		}
	}
}

// TestSelectedBelow has groups of which nobody knows what they hold.
func TestSelectedBelow(t *testing.T) {
	for source, want := range map[string][2]bool{ // of the groups a and a/b
		"":                              {true, true},
		"include: [c, 'c/**']":          {false, false},
		"include: [a/x]":                {true, false},
		"include: [a]":                  {true, false},
		"include: ['*/b/x']":            {true, true},
		"include: ['a/*']":              {true, true},
		"include: ['*']":                {true, false},
		"include: ['**/x']":             {true, true},
		"include: ['c/**/x']":           {false, false},
		"exclude: [a]":                  {false, true},
		"exclude: ['a/**']":             {false, false},
		"exclude: ['a/*']":              {true, false},
		"include: ['**'], exclude: [a]": {false, true},
	} {
		j := mustParse(t, "zmigrate: 1\nsource: {driver: netcdf, url: a.nc, "+source+"}\ntarget: {url: out.zarr}\n")
		if got := [2]bool{j.SelectedBelow("a"), j.SelectedBelow("a/b")}; got != want {
			t.Errorf("%s: %v, want %v", source, got, want)
		}
	}
}

func TestSelectedAndUnmatched(t *testing.T) {
	j := mustParse(t, `zmigrate: 1
source:
  driver: netcdf
  url: a.nc
  include: ["SST", "*WND", "ATRT"]
  exclude: ["VW*", none]
target: {url: out.zarr}
arrays:
  SST: {}
  ARIT: {}
  "g/*": {}
`)
	paths := []string{"SST", "UWND", "VWND", "AIRT"}
	var selected []string
	for _, p := range paths {
		if j.Selected(p) {
			selected = append(selected, p)
		}
	}
	if diff := cmp.Diff([]string{"SST", "UWND"}, selected); diff != "" {
		t.Error(diff)
	}
	want := []string{
		`job.yaml:5:28: source.include[2]: no array of the source is named ATRT (did you mean "AIRT"?)`,
		`job.yaml:6:20: warning: source.exclude[1]: no array of the source is named none (known here: AIRT, SST, UWND, VWND) [unmatched-pattern]`,
		`job.yaml:10:3: arrays.ARIT: no array of the source is named ARIT (did you mean "AIRT"?)`,
		`job.yaml:11:3: warning: arrays.g/*: no array of the source matches g/* [unmatched-pattern]`,
	}
	if diff := cmp.Diff(want, lines(j.Unmatched(paths))); diff != "" {
		t.Error(diff)
	}
}
