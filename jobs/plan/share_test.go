package plan

import "testing"

// TestShare has arrays that share their notes. If one of them gets another note later, the
// other one does not have it. Arrays whose elements have other meanings share no Reading.
func TestShare(t *testing.T) {
	with := func(notes ...string) *Array {
		return &Array{Reading: &Reading{}, Notes: append(make([]string, 0, 8), notes...)}
	}
	a, b, c := with("n"), with("n"), with("m")
	b.share(a)
	c.share(b)
	if b.Reading != a.Reading || &a.Notes[0] != &b.Notes[0] || c.Notes[0] != "m" {
		t.Errorf("%v, %v, %v", a, b, c)
	}
	d := with("n")
	d.rebased = "days since 2000-01-01"
	d.share(a)
	if d.Reading == a.Reading || a.rebased != "" {
		t.Errorf("the units of one array became those of the other: %v, %v", a.Reading, d.Reading)
	}
	a.Notes = append(a.Notes, "of a")
	b.Notes = append(b.Notes, "of b")
	if a.Notes[1] != "of a" || b.Notes[1] != "of b" {
		t.Errorf("%q, %q", a.Notes, b.Notes)
	}
}
