package combine

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/cf"
)

// TestRemarks has remarks that all files share, and remarks of some files. The latter begin
// with the name of the first of these files.
func TestRemarks(t *testing.T) {
	m := make([]*member, 4)
	for i := range m {
		m[i] = file(fmt.Sprintf("t(t)=%d", i), fmt.Sprintf("v(t)=%d", i))
		info := m[i].arrays["v"].info
		info.Notes = []string{"of all"}
		info.Findings = []cf.Finding{{Code: "x", Message: "so", Hint: "do"}}
	}
	odd := m[1].arrays["v"].info
	odd.Notes = append(odd.Notes, "of one")
	for _, member := range m[2:] {
		info := member.arrays["v"].info
		info.Notes = append(info.Notes, "of two")
		info.Findings = append(info.Findings, cf.Finding{Code: "y", Message: "or so", Hint: "do not"})
	}
	m[0].arrays["v"].info.Notes = append(m[0].arrays["v"].info.Notes, "of three")
	for _, member := range m[2:] {
		member.arrays["v"].info.Notes = append(member.arrays["v"].info.Notes, "of three")
	}
	for _, how := range []Options{{Concat: "t", Wanted: everything}, {Stack: "run", Wanted: func(path string) bool { return path == "v" }}} {
		src, err := combineAll(t, how, m...)
		if err != nil {
			t.Fatal(err)
		}
		a, err := src.Array(t.Context(), "v")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"of all", "a and 2 other files: of three", "b: of one", "c and another file: of two"}, a.Info().Notes); diff != "" {
			t.Errorf("notes (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]cf.Finding{{Code: "x", Message: "so", Hint: "do"}, {Code: "y", Message: "c and another file: or so", Hint: "do not"}}, a.Info().Findings); diff != "" {
			t.Errorf("findings (-want +got):\n%s", diff)
		}
	}
}

// TestManyRemarks has more remarks than are spelled out: the others are counted.
func TestManyRemarks(t *testing.T) {
	var m []*member
	for i := range 30 {
		m = append(m, file(fmt.Sprintf("t(t)=%d", i)))
		m[i].arrays["t"].info.Notes = []string{fmt.Sprintf("number %d", i)}
	}
	src, err := combineAll(t, Options{Concat: "t", Wanted: everything}, m...)
	if err != nil {
		t.Fatal(err)
	}
	a, err := src.Array(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	notes := a.Info().Notes
	if len(notes) != 21 || notes[19] != "t: number 19" || notes[20] != "there are 10 more such remarks, each about some of the files" {
		t.Errorf("notes %q", notes)
	}
}
