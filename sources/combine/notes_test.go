package combine

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/zarr"
)

// TestCombineNotes takes attributes and values from the first file although other files
// differ. The notes show the first difference, and count the files that differ.
func TestCombineNotes(t *testing.T) {
	concat, override := Options{Concat: "t"}, Options{Concat: "t", Override: true}
	stack := Options{Stack: "run"}
	with := func(rest ...string) (list []*member) {
		for i, text := range rest {
			list = append(list, file("t(t)="+string(rune('0'+i)), "x(x)=1,2"+text))
		}
		return list
	}
	valued := func(rest ...string) (list []*member) {
		for i, text := range rest {
			list = append(list, file("t(t)="+string(rune('0'+i)), "x(x)=1,"+text))
		}
		return list
	}
	runs := func(heights ...string) (list []*member) {
		for _, h := range heights {
			list = append(list, file("h(x)="+h, "v(x)=1,2;coordinates=h"))
		}
		return list
	}
	for name, test := range map[string]struct {
		how     Options
		members []*member
		path    string
		want    []string
	}{
		"alike":                    {concat, with("", "", ""), "x", nil},
		"a word in one":            {concat, with("", "", ";comment=c"), "x", []string{`the attribute comment is absent in a and "c" in c; the first is taken`}},
		"a word in two":            {concat, with(";comment=b", ";comment=c", ""), "x", []string{`the attribute comment is "b" in a and "c" in b; the first is taken`, "the attribute comment differs from the first in 2 files"}},
		"two words":                {concat, with("", ";comment=c;a=b"), "x", []string{`the attribute a is absent in a and "b" in b; the first is taken`, `the attribute comment is absent in a and "c" in b; the first is taken`}},
		"a value in one":           {override, valued("2", "2", "3"), "x", []string{"the value at [1] is 2.0 in a and 3.0 in c; the first is taken"}},
		"a value in two":           {override, valued("2", "4", "3"), "x", []string{"the value at [1] is 2.0 in a and 4.0 in b; the first is taken", "2 files have other values than the first"}},
		"a coordinate of all":      {stack, runs("5,6", "5,6"), "h", []string{`a coordinate that all files share: it does not get the dimension "run"`}},
		"a coordinate of one file": {stack, runs("5,6"), "h", nil},
		"a coordinate of each":     {stack, runs("5,6", "5,6", "5,7"), "h", []string{`a coordinate that gets the dimension "run": the value at [1] is 6.0 in a and 7.0 in c`}},
	} {
		t.Run(name, func(t *testing.T) {
			test.how.Wanted = everything
			src, err := combineAll(t, test.how, test.members...)
			if err != nil {
				t.Fatal(err)
			}
			a, err := src.Array(t.Context(), test.path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, a.Info().Notes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestStackedCoordinates gives a coordinate the new dimension if its values differ between
// files and the parts fit. Parts that do not fit are refused.
func TestStackedCoordinates(t *testing.T) {
	stack := Options{Stack: "run", Wanted: everything}
	v := "v(x)=1,2;coordinates=h"
	for name, test := range map[string]struct {
		members []*member
		want    string // of h
		wrong   string
		first   bool // the first one is taken with Override
	}{
		"shared":          {[]*member{file("h(x)=5,6", v), file("h(x)=5,6", v)}, "[x] [2] [5 6]", "", false},
		"of each":         {[]*member{file("h(x)=5,6", v), file("h(x)=5,7", v)}, "[run x] [2 2] [5 6 5 7]", "", false},
		"in units":        {[]*member{file("h(x)=5,6;units=m", v), file("h(x)=5,6;units=km", v)}, "", "the attribute units", false},
		"of other length": {[]*member{file("h(x)=5,6", v), file("h(x)=5", "v(x)=1;coordinates=h")}, "", "the length of dimension", false},
		"not everywhere":  {[]*member{file("h(x)=5,6", v), file(v)}, "", `b: no array "h", which a has`, true},
		"not in front":    {[]*member{file(v), file("h(x)=5,6", v)}, "", `a: no array "h", which b has`, true},
		"has it already":  {[]*member{file("h(run)=5,6", "v(x)=1,2;coordinates=h"), file("h(run)=5,6", v)}, "", `"h" has the dimension "run" to stack along already`, false},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := combineAll(t, stack, test.members...)
			if test.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), test.wrong) {
					t.Errorf("got %v, want %q", err, test.wrong)
				}
				override := stack
				override.Override = true
				if _, err = combineAll(t, override, test.members...); (err == nil) != test.first {
					t.Errorf("with Override: got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := dump(t, src, "h"); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			a, err := src.Array(t.Context(), "v")
			if err != nil {
				t.Fatal(err)
			}
			if info := a.Info(); !slices.Equal(info.Unlimited, []string{"run"}) || info.Codecs != nil || info.Obstacle == "" {
				t.Errorf("v is %+v", info)
			}
		})
	}
}

// TestStackedChunks gives chunks and shards one index along the new dimension. Dimensions
// without names get none.
func TestStackedChunks(t *testing.T) {
	run := func() *member {
		m := file("v(y,x)=1,2,3,4")
		m.arrays["v"].info.Shape = []int{2, 2}
		m.arrays["v"].info.DimensionNames = nil
		m.arrays["v"].info.Chunks, m.arrays["v"].info.Shards = []int{1, 2}, []int{2, 2}
		m.arrays["v"].info.Memory = 5
		return m
	}
	second := run()
	second.arrays["v"].info.Memory = 7
	src, err := combineAll(t, Options{Stack: "run", Wanted: everything}, run(), second)
	if err != nil {
		t.Fatal(err)
	}
	a, err := src.Array(t.Context(), "v")
	if err != nil {
		t.Fatal(err)
	}
	info := a.Info()
	if !slices.Equal(info.Chunks, []int{1, 1, 2}) || !slices.Equal(info.Shards, []int{1, 2, 2}) || !slices.Equal(info.DimensionNames, []string{"run", "", ""}) || info.Memory != 7 {
		t.Errorf("got %+v", info)
	}
}

// TestCoordinatesThatCannotBeRead has a coordinate that cannot be read, which the files may
// share.
func TestCoordinatesThatCannotBeRead(t *testing.T) {
	failed := errors.New("failed")
	members := []*member{file("h(x)=5,6", "v(x)=1,2;coordinates=h"), file("h(x)=5,6", "v(x)=1,2;coordinates=h")}
	members[1].arrays["h"].fail = func() error { return failed }
	if _, err := combineAll(t, Options{Stack: "run", Wanted: everything}, members...); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}

// TestLimitsOfFiles joins files with limits of their values.
func TestLimitsOfFiles(t *testing.T) {
	with := func(limits ...string) (list []*member) {
		for i, text := range limits {
			m := file(fmt.Sprintf("t(t)=%d", i))
			if text != "" {
				m.arrays["t"].info.Attributes = zarr.Attributes{{Name: "actual_range", Value: json.RawMessage(text)}}
			}
			list = append(list, m)
		}
		return list
	}
	for name, test := range map[string]struct {
		members     []*member
		want, first string // attributes; first: those of earlier versions
		notes       []string
	}{
		"wider":         {with("[0,1]", "[2,3]", "[-1,0]"), "[-1,3]", "[0,1]", []string{"the attribute actual_range is [0,1] in a and [2,3] in b; the joined array gets limits that hold in all files", "the attribute actual_range differs from the first in 2 files"}},
		"within":        {with("[0,3]", "[1,2]"), "[0,3]", "", []string{"the attribute actual_range is [0,3] in a and [1,2] in b; the joined array gets limits that hold in all files"}},
		"the same":      {with("[0,3]", "[0,3]"), "[0,3]", "", nil},
		"lacking":       {with("[0,3]", ""), "", "[0,3]", []string{"the attribute actual_range is [0,3] in a and absent in b; the joined array gets limits that hold in all files", "the attribute actual_range is left out, because not all files have such limits"}},
		"not the first": {with("", "[0,3]"), "", "", []string{"the attribute actual_range is absent in a and [0,3] in b; the first is taken"}},
		"not a number":  {with("[0,3]", `["NaN","NaN"]`), "", "[0,3]", []string{`the attribute actual_range is [0,3] in a and ["NaN","NaN"] in b; the joined array gets limits that hold in all files`, "the attribute actual_range is left out, because not all files have such limits"}},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := combineAll(t, Options{Concat: "t", Wanted: everything}, test.members...)
			if err != nil {
				t.Fatal(err)
			}
			a, err := src.Array(t.Context(), "t")
			if err != nil {
				t.Fatal(err)
			}
			info := a.Info()
			if got, first := string(info.Attributes.Get("actual_range")), string(info.FirstLimits.Get("actual_range")); got != test.want || first != test.first {
				t.Errorf("%s, and earlier %s; want %s and %s", got, first, test.want, test.first)
			}
			if !slices.Equal(info.Notes, test.notes) {
				t.Errorf("notes %q, want %q", info.Notes, test.notes)
			}
		})
	}
}
