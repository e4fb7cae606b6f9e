package limits

import (
	"slices"
	"testing"
)

// The objects used last are kept, and no more bytes than MostKept.
func TestWholesBound(t *testing.T) {
	k := NewWholeObjects()
	for _, name := range []string{"a", "b", "c"} {
		k.Room(MostKept / 3)
		k.Keep(name, make([]byte, MostKept/3))
	}
	k.Get("a")
	k.Room(MostKept / 2)
	var kept []string
	for _, o := range k.list {
		kept = append(kept, o.url)
	}
	if !slices.Equal(kept, []string{"a"}) {
		t.Errorf("kept %q", kept)
	}
}
