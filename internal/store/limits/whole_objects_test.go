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
	k.Room(MostKept - MostKept/3)
	if len(k.list) != 1 {
		t.Error("an object was dropped although there was room")
	}
	k.Room(MostKept - MostKept/3 + 1)
	if len(k.list) != 0 {
		t.Error("an object is kept although there is no room")
	}
}
