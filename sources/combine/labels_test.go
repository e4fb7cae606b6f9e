package combine

import (
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

// named makes a member whose coordinate has texts.
func named(texts ...string) *member {
	m := file("s(s)=")
	s := m.arrays["s"]
	s.info.Type, s.info.Shape, s.texts = dtype.StringType, []int{len(texts)}, texts
	return m
}

// TestLabels joins files along a coordinate of texts. The texts may be in any order, but no
// two files may have the same text.
func TestLabels(t *testing.T) {
	twice := func(what string) string {
		return `array "s" has the index ` + what + `: name each file once, or exclude the array; order: allow joins the files as they are`
	}
	for name, test := range map[string]struct {
		members     []*member
		fault, note string
	}{
		"other ones":             {[]*member{named("b", "a"), named("d", "c")}, "", ""},
		"twice":                  {[]*member{named("b", "a"), named("d", "a")}, twice(`"a" in a and in b`), ""},
		"twice in one file":      {[]*member{named("b", "b"), named("d")}, "", ""},
		"anew in each file":      {[]*member{named("a", "b"), named("a", "b")}, "2 differences between the files\n  " + twice(`"a" in a and in b`) + "\n  " + twice(`"b" in a and in b`), ""},
		"anew in two":            {[]*member{named("a"), named("b"), named("a")}, twice(`"a" in a and in c`), ""},
		"one file, and none":     {[]*member{named("a"), named()}, "", ""},
		"empty texts":            {[]*member{named("a", ""), named("b", "")}, twice(`"" in a and in b`), ""},
		"two files have nothing": {[]*member{named(), named()}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			how := Options{Concat: "s", Wanted: everything}
			src, err := combineAll(t, how, test.members...)
			if test.fault != "" {
				if err == nil || err.Error() != test.fault {
					t.Fatalf("got %v, want %s", err, test.fault)
				}
				if how.Override = true; !fails(t, how, test.members) {
					t.Error("override lets it through")
				}
				if how.Disordered = true; fails(t, how, test.members) {
					t.Error("an error although the order does not matter")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			a, err := src.Array(t.Context(), "s")
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(a.Info().Notes, "\n"); !strings.HasPrefix(notes, test.note) || (notes == "") != (test.note == "") {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
		})
	}
}

func fails(t *testing.T, how Options, members []*member) bool {
	_, err := combineAll(t, how, members...)
	return err != nil
}
