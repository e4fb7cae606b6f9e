package journal

import (
	"errors"
	"fmt"
	"testing"
)

// TestLedger finds objects by their keys. Of several with one key the last counts. A
// version decides only if both sides know it.
func TestLedger(t *testing.T) {
	var list []Object
	for i := range 100 {
		list = append(list, Object{Key: fmt.Sprint("a/c/", i), Bytes: int64(i), Sum: uint32(i + 1)})
	}
	for i := range 10 {
		list = append(list, Object{Key: fmt.Sprint("a/c/", i), Bytes: int64(1000 + i)}, Object{Key: fmt.Sprint("a/c/", i), Bytes: int64(2000 + i), Version: "v"})
	}
	l, err := NewLedger(sequence(list, nil))
	must(t, err)
	if len(l) != 100 {
		t.Errorf("%d entries", len(l))
	}
	for i := range 100 {
		e := l.Find(fmt.Sprint("a/c/", i))
		bytes, sum, other := int64(i), uint32(i+1), true
		if i < 10 {
			bytes, sum, other = int64(2000+i), 0, false
		}
		if e == nil || e.Bytes != bytes || e.Sum != sum || e.Seen {
			t.Fatalf("object %d: %+v", i, e)
		}
		if !e.OfVersion("") || !e.OfVersion("v") || e.OfVersion("w") != other {
			t.Errorf("object %d: of version v %v, of version w %v", i, e.OfVersion("v"), e.OfVersion("w"))
		}
		if e.Seen = true; !l.Find(fmt.Sprint("a/c/", i)).Seen {
			t.Errorf("object %d: a mark is lost", i)
		}
	}
	if e := l.Find("a/c/100"); e != nil {
		t.Errorf("found %+v", e)
	}
	if l, err := NewLedger(sequence(list, errCrash)); !errors.Is(err, errCrash) || l != nil {
		t.Errorf("a list that fails: %v", err)
	}
	if l, err := NewLedger(sequence(nil, nil)); err != nil || l.Find("a") != nil {
		t.Errorf("an empty list: %v, %v", l, err)
	}
}
