package zarr

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/zarr"
)

// Chunks that were opened last stay open, within a bound. A chunk that could not be
// opened is tried again.
func TestOpened(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	var fault error
	var memory store.Memory
	st, err := store.Open(t.Context(), "mem://x", store.Options{Memory: &memory, Retries: -1, Fault: func(op, key string) error {
		mu.Lock()
		defer mu.Unlock()
		if op == "stat" {
			asked = append(asked, key)
			return fault
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := st.Put(t.Context(), fmt.Sprint(i), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{{Name: "bytes"}}, codecs.Chunk{Type: dtype.Uint8, Shape: []int{1}, Fill: dtype.Uint8.Default()})
	if err != nil {
		t.Fatal(err)
	}
	o := newOpened(&presence{store: st})
	o.limit = 2 * entryBytes
	get := func(key string) *codecs.Object {
		object, err := o.get(t.Context(), chain, key, func(string) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return object
	}
	for _, key := range []string{"0", "1", "0", "2", "0", "1", "1", "none", "none"} {
		if (get(key) == nil) != (key == "none") {
			t.Errorf("%s: is it there?", key)
		}
	}
	if diff := cmp.Diff([]string{"0", "1", "2", "1", "none", "none"}, asked); diff != "" {
		t.Errorf("chunks that were asked for (-want +got):\n%s", diff)
	}
	if o.bytes > o.limit || o.order.Len() != len(o.byKey) || o.order.Len() != 2 {
		t.Errorf("%d bytes, %d entries, %d keys", o.bytes, o.order.Len(), len(o.byKey))
	}
	fault = fmt.Errorf("out of order")
	if _, err := o.get(t.Context(), chain, "0", func(string) error { return nil }); err == nil {
		t.Error("a chunk was opened that the store does not give")
	}
	fault, asked = nil, nil
	get("0")
	if !slices.Equal(asked, []string{"0"}) {
		t.Errorf("after a failure %q were asked for", asked)
	}
}

// TestVersionsBound: of arrays with too many chunks together no versions are kept.
func TestVersionsBound(t *testing.T) {
	var v versions
	for i, test := range []struct{ chunks, want int }{
		{mostVersions/2 + 1, mostVersions/2 + 1}, {mostVersions / 2, 0}, {mostVersions / 4, mostVersions / 4}, {mostVersions / 4, 0},
	} {
		a := &array{path: fmt.Sprint(i), kind: &kind{grid: zarr.Grid{Shape: []int{test.chunks}, Chunk: []int{1}}}}
		if got := len(v.of(a).record); got != test.want {
			t.Errorf("array %d: versions of %d chunks, want %d", i, got, test.want)
		}
	}
	v = versions{chunks: mostVersions - 3}
	if got := len(v.of(&array{kind: &kind{grid: zarr.Grid{Shape: []int{3}, Chunk: []int{1}}}}).record); got != 3 || v.chunks != mostVersions {
		t.Errorf("versions of %d chunks, want the last 3", got)
	}
}
