package combine

import (
	"context"
	"testing"

	"github.com/zmigrate/zmigrate/sources"
)

// plain is a member whose arrays cannot share their descriptions.
type plain struct{ *member }

func (p plain) Array(ctx context.Context, path string) (sources.Array, error) {
	a, err := p.member.Array(ctx, path)
	return struct{ sources.Array }{a}, err
}

// TestArraysThatShareNothing joins arrays that each keep their own description.
func TestArraysThatShareNothing(t *testing.T) {
	members := []*member{file("t(t)=0,1"), file("t(t)=2")}
	src, err := Open(t.Context(), Members{Names: []string{"a", "b"}, Origin: nowhere{}, Open: func(_ context.Context, i int) (sources.Hierarchy, error) {
		return plain{members[i]}, nil
	}}, Options{Concat: "t", Wanted: everything})
	if err != nil {
		t.Fatal(err)
	}
	if got := dump(t, src, "t"); got != "[t] [3] [0 1 2]" {
		t.Error(got)
	}
}
