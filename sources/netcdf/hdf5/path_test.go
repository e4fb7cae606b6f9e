package hdf5_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// TestManySoftLinks follows the soft links of a group to other links of the group. The
// group is read once for all of them.
func TestManySoftLinks(t *testing.T) {
	const links = 400
	file := newOlder(t)
	var messages []any
	for i := range links {
		name, target := fmt.Sprintf("link %03d", i), fmt.Sprintf("link %03d", i+1)
		soft := le(uint8(1), uint8(8), uint8(1), uint8(len(name)), name, uint16(len(target)), target)
		messages = append(messages, 6, soft)
	}
	last := fmt.Sprintf("link %03d", links)
	to := file.header(0x0a, le(uint8(0), uint8(0)))
	messages = append(messages, 6, le(uint8(1), uint8(0), uint8(len(last)), last, to))
	group := file.header(messages...)

	from := &memory{data: bytes.Clone(file.data)}
	// With the smallest cache of pages, each read of the group is a read of the file.
	f, err := hdf5.Open(t.Context(), from, int64(len(from.data)), hdf5.Options{Shared: hdf5.NewShared(1), Page: 4 << 10})
	if err != nil {
		t.Fatal(err)
	}
	o, err := f.Object(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	list, err := o.Links(t.Context())
	if err != nil || len(list) != links+1 {
		t.Fatalf("%d links, error %v", len(list), err)
	}
	before := from.requests.Load()
	for i, l := range list {
		at, err := f.Follow(t.Context(), group, l)
		if tooFar := i < links-16; (err != nil) != tooFar || err == nil && at.Address != to {
			t.Fatalf("%s leads to %v, error %v", l.Name, at, err)
		}
	}
	if n := from.requests.Load() - before; n > 20 {
		t.Errorf("%d requests", n)
	}
}
