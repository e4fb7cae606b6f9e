package combine

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
)

// grouped is a member with groups.
type grouped struct {
	*member
	groups []sources.Group
}

func (g grouped) Groups() []sources.Group { return g.groups }

// TestCombinedGroups lists the groups of all members, each once, as the first member that
// has the group describes it.
// TestGroupOfUnknownContent has a member with a group that cannot be listed. Arrays that other
// members have in it are refused with the reason.
func TestGroupOfUnknownContent(t *testing.T) {
	members := []sources.Hierarchy{
		grouped{file("t(t)=0", "g/x(t)=1"), []sources.Group{{}, {Path: "g"}}},
		grouped{file("t(t)=1"), []sources.Group{{}, {Path: "g", Err: errors.New("damaged"), Unlisted: true}}},
	}
	m := Members{Origin: nowhere{}, Names: []string{"a", "b"}, Open: func(_ context.Context, i int) (sources.Hierarchy, error) { return members[i], nil }}
	_, err := Open(t.Context(), m, Options{Concat: "t", Wanted: everything})
	if want := `array "g/x": group "g": damaged`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	src, err := Open(t.Context(), m, Options{Concat: "t", Wanted: func(path string) bool { return path == "t" }})
	if err != nil {
		t.Fatal(err)
	}
	if g := src.Groups()[1]; g.Err == nil || !g.Unlisted {
		t.Errorf("group %+v", g)
	}
}

func TestCombinedGroups(t *testing.T) {
	attributes := func(text string) (a sources.Group) {
		if err := a.Attributes.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return a
	}
	named := func(path, text string) sources.Group { g := attributes(text); g.Path = path; return g }
	members := []sources.Hierarchy{
		grouped{file("t(t)=0"), []sources.Group{named("", `{"a":1}`), named("g", `{"b":1}`)}},
		grouped{file("t(t)=1"), []sources.Group{named("", `{"a":2}`), named("h", `{"c":2}`)}},
		grouped{file("t(t)=2"), []sources.Group{named("", `{"a":3}`), named("g", `{"b":3}`), named("h", `{"c":3}`), named("h/i", `{}`)}},
	}
	warned := func(i, group int, message string) {
		g := &members[i].(grouped).groups[group]
		g.Findings = append(g.Findings, cf.Finding{Code: "x", Message: message})
	}
	warned(0, 1, "of one")
	for i, group := range []int{0, 0, 0} {
		warned(i, group, "of all")
	}
	warned(1, 1, "of two")
	warned(2, 2, "of two")
	var opened []int
	m := Members{Origin: nowhere{}, Names: []string{"a", "b", "c"}, Open: func(_ context.Context, i int) (sources.Hierarchy, error) { return members[i], nil }}
	src, err := Open(t.Context(), m, Options{Concat: "t", Wanted: everything})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range src.Groups() {
		text, err := g.Attributes.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, g.Path+string(text))
		for _, f := range g.Findings {
			got = append(got, f.Message)
		}
	}
	if diff := cmp.Diff([]string{`{"a":1}`, "of all", `g{"b":1}`, "a: of one", `h{"c":2}`, "b and another file: of two", `h/i{}`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	m.Names = m.Names[:1]
	m.Open = func(_ context.Context, i int) (sources.Hierarchy, error) {
		opened = append(opened, i)
		return members[i], nil
	}
	if src, err = Open(t.Context(), m, Options{}); err != nil || len(src.Groups()) != 2 || !cmp.Equal([]int{0}, opened) {
		t.Errorf("one file: %v, opened %v", err, opened)
	}
}
