package combine

import (
	"slices"
	"strings"
	"testing"
)

// TestTooManyIndexes warns where the indexes of files that are not in order are too
// many to be compared.
func TestTooManyIndexes(t *testing.T) {
	long := func(first float64) *member {
		m := file("t(t)=")
		h := m.arrays["t"]
		h.info.Shape = []int{comparedIndexes/2 + 1}
		h.made = func(i int) float64 { return first + float64(2*i) }
		return m
	}
	for _, override := range []bool{false, true} {
		src, err := combineAll(t, Options{Concat: "t", Wanted: everything, Override: override}, long(0), long(1))
		if err != nil {
			t.Fatal(err)
		}
		a, err := src.Array(t.Context(), "t")
		if err != nil {
			t.Fatal(err)
		}
		told := a.Info().Notes
		if findings := a.Info().Findings; !override {
			told = nil
			for _, f := range findings {
				told = append(told, f.Message)
			}
		}
		if !slices.ContainsFunc(told, func(text string) bool { return strings.Contains(text, "4194306 values, too many to look for") }) {
			t.Errorf("override %v: %q", override, told)
		}
	}
}

// TestDisorder warns, with Override, of values that do not go on as the order of the
// files has it; that files have one index twice is then as it is to be.
func TestDisorder(t *testing.T) {
	for name, test := range map[string]struct {
		order   string
		members []*member
		want    []string // messages of findings
	}{
		"overlap":       {"t", []*member{file("t(t)=0,2"), file("t(t)=1,3")}, []string{`ends with 2.0 in a and begins with 1.0 in b: they overlap`}},
		"up and down":   {"t", []*member{file("t(t)=0,1,0.5"), file("t(t)=3")}, []string{`goes neither up nor down throughout in a, from 0.0 to 0.5, as at index 2`}},
		"in order":      {"t", []*member{file("t(t)=3"), file("t(t)=0,1")}, nil},
		"without order": {"", []*member{file("t(t)=0,2"), file("t(t)=2,3")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := combineAll(t, Options{Concat: "t", Order: test.order, Wanted: everything, Override: true}, test.members...)
			if err != nil {
				t.Fatal(err)
			}
			a, err := src.Array(t.Context(), "t")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range a.Info().Findings {
				if got = append(got, f.Message); f.Code != Disordered {
					t.Errorf("code %q", f.Code)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("findings %q, want %q", got, test.want)
			}
		})
	}
}
