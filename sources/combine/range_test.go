package combine

import (
	"slices"
	"testing"
)

// TestDisorder sets Disordered: values that break the order are a warning.
func TestDisorder(t *testing.T) {
	for name, test := range map[string]struct {
		order   string
		members []*member
		want    []string // messages of findings
	}{
		"overlap":       {"t", []*member{file("t(t)=0,2"), file("t(t)=1,3")}, []string{`ends with 2.0 in a and begins with 1.0 in b: they overlap`}},
		"up and down":   {"t", []*member{file("t(t)=0,1,0.5"), file("t(t)=3")}, []string{`neither rises nor falls throughout in a: it goes from 0.0 to 0.5, with a break at index 2`}},
		"in order":      {"t", []*member{file("t(t)=3"), file("t(t)=0,1")}, nil},
		"not a number":  {"", []*member{file("t(t)=NaN"), file("t(t)=0,1")}, []string{`begins with "0x7ff8000000000001" in a, which has no place in an order; the order breaks once more`}},
		"three files":   {"", []*member{file("t(t)=2"), file("t(t)=1"), file("t(t)=0,5"), file("t(t)=3")}, []string{`ends with 2.0 in a and begins with 1.0 in b: they are not in order; the order breaks 2 times more`}},
		"without order": {"", []*member{file("t(t)=0,2"), file("t(t)=2,3")}, []string{`ends with 2.0 in a and begins with 2.0 in b: both have this index`}},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := combineAll(t, Options{Concat: "t", Order: test.order, Wanted: everything, Disordered: true}, test.members...)
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
