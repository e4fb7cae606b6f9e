package sources

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestSharedParts keeps one copy of the parts that two descriptions have in common. The
// parts that differ stay as they are.
func TestSharedParts(t *testing.T) {
	describe := func(shape int, dim, unlimited, note, label string, kind dtype.Type) *Info {
		return &Info{
			Path: "v", Shape: []int{shape}, DimensionNames: []string{dim}, Unlimited: []string{unlimited}, Notes: []string{note},
			Labels: map[string]string{"0": label}, AttributeTypes: map[string]dtype.Type{"a": kind},
		}
	}
	at := func(list any) uintptr { return reflect.ValueOf(list).Pointer() }
	var infos Infos
	first := infos.Share(describe(1, "x", "u", "n", "l", dtype.Int8))
	alike := describe(1, "x", "u", "n", "l", dtype.Int8)
	alike.Name = "another"
	if got := infos.Share(alike); got != alike || at(got.Shape) != at(first.Shape) || at(got.DimensionNames) != at(first.DimensionNames) || at(got.Unlimited) != at(first.Unlimited) ||
		at(got.Notes) != at(first.Notes) || at(got.Labels) != at(first.Labels) || at(got.AttributeTypes) != at(first.AttributeTypes) {
		t.Errorf("got %+v, which has parts of its own", got)
	}
	want := describe(2, "y", "w", "m", "k", dtype.Int16)
	if diff := cmp.Diff(want, infos.Share(describe(2, "y", "w", "m", "k", dtype.Int16)), cmp.Comparer(dtype.Same)); diff != "" {
		t.Errorf("another one (-want +got):\n%s", diff)
	}
	bare := infos.Share(&Info{Path: "v", Shape: []int{}})
	if bare.Shape == nil || bare.DimensionNames != nil || bare.Labels != nil {
		t.Errorf("got %+v", bare)
	}
	if other := infos.Share(&Info{Path: "w", Shape: []int{1}}); at(other.Shape) == at(first.Shape) {
		t.Error("arrays with other paths share")
	}
}

// TestInfosForget remembers the latest descriptions of a path.
func TestInfosForget(t *testing.T) {
	var infos Infos
	share := func(n int) *Info { return infos.Share(&Info{Path: "v", Shape: []int{n}}) }
	var list []*Info
	for n := range distinct + 1 {
		list = append(list, share(n))
	}
	for n := distinct; n > 0; n-- {
		if share(n) != list[n] {
			t.Errorf("description %d is forgotten", n)
		}
	}
	if share(0) == list[0] {
		t.Error("the first one is remembered")
	}
}

// TestSharedAttributes shares attributes without changing their order or number.
func TestSharedAttributes(t *testing.T) {
	list := func(pairs ...string) (all zarr.Attributes) {
		for _, pair := range pairs {
			all = append(all, zarr.Attribute{Name: pair[:1], Value: json.RawMessage(pair[1:])})
		}
		return all
	}
	known := list("a1", "b2")
	for _, test := range []struct {
		own    zarr.Attributes
		shared []bool
	}{
		{list("a1", "b2"), []bool{true, true}}, {list("a1", "b3"), []bool{true, false}}, {list("a2", "b2"), []bool{false, true}},
		{list("b2", "a1"), []bool{false, false}}, {list("a1"), []bool{true}}, {list("a1", "b2", "c3"), []bool{true, true, false}}, {list("c1"), []bool{false}}, {nil, nil},
	} {
		got := ShareAttributes(test.own, known)
		if !slices.EqualFunc(test.own, got, func(a, b zarr.Attribute) bool { return a.Name == b.Name && string(a.Value) == string(b.Value) }) {
			t.Errorf("%s has become %s", test.own, got)
			continue
		}
		for i, want := range test.shared {
			if shared := i < len(known) && &got[i].Value[0] == &known[i].Value[0]; shared != want {
				t.Errorf("%s: attribute %d is shared: %v", test.own, i, shared)
			}
		}
	}
	if got := ShareAttributes(list("a1", "b2"), known); &got[0] != &known[0] {
		t.Error("equal lists are two")
	}
}

// TestInfosShare keeps one copy of descriptions that are equal.
func TestInfosShare(t *testing.T) {
	make := func(history string) *Info {
		return &Info{Path: "v", Type: dtype.Int8, Attributes: zarr.Attributes{
			{Name: "units", Value: json.RawMessage(`"K"`)}, {Name: "history", Value: json.RawMessage(history)},
		}}
	}
	var infos Infos
	first := infos.Share(make("1"))
	if infos.Share(make("1")) != first {
		t.Error("equal descriptions do not share memory")
	}
	other := infos.Share(make("2"))
	if other == first || string(other.Attributes[1].Value) != "2" || &other.Attributes[0].Value[0] != &first.Attributes[0].Value[0] {
		t.Errorf("got %v", other)
	}
}
