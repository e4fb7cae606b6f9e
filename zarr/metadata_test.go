package zarr

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// WriteConsolidated writes the same bytes as Document for the same group.
func TestWriteConsolidated(t *testing.T) {
	attributes := Attributes{{"title", json.RawMessage(`"a <b> & c"`)}}
	for name, nodes := range map[string]map[string]json.RawMessage{
		"none": {},
		"one":  {"a": json.RawMessage(`{"zarr_format":3,"shape":[]}`)},
		"more": {
			"g/é\"<": json.RawMessage("{\n \"attributes\": {\"x\": [1, 2, {}], \"s\": \"<&>\u2028\"}\n}\n"),
			"a":      json.RawMessage(`{"b":null,"n":1e400}`), "g": json.RawMessage(`{}`),
		},
	} {
		want, err := Document(&Group{Attributes: attributes, Consolidated: nodes})
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		var list iter.Seq2[string, json.Marshaler] = func(yield func(string, json.Marshaler) bool) {
			for _, p := range slices.Sorted(maps.Keys(nodes)) {
				if !yield(p, nodes[p]) {
					return
				}
			}
		}
		if err := WriteConsolidated(&got, attributes, list); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// brokenPipe accepts left writes, fails once, and then accepts all writes.
type brokenPipe struct{ left int }

func (w *brokenPipe) Write(p []byte) (int, error) {
	if w.left--; w.left == -1 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// TestWriteConsolidatedFails fails each write in turn, and has nodes that cannot be
// written as JSON.
func TestWriteConsolidatedFails(t *testing.T) {
	group := &Group{}
	write := func(w io.Writer, nodes map[string]json.Marshaler) error {
		return WriteConsolidated(w, nil, func(yield func(string, json.Marshaler) bool) {
			for _, p := range slices.Sorted(maps.Keys(nodes)) {
				if !yield(p, nodes[p]) {
					return
				}
			}
		})
	}
	nodes := map[string]json.Marshaler{"a": group, "b": group}
	for left := range 4 {
		if err := write(&brokenPipe{left}, nodes); errors.Is(err, io.ErrClosedPipe) != (left < 3) {
			t.Errorf("%d writes: %v", left, err)
		}
	}
	nodes["b"] = json.RawMessage(`{`)
	if err := write(io.Discard, nodes); err == nil || !strings.Contains(err.Error(), `metadata of "b"`) {
		t.Errorf("got %v", err)
	}
	if err := WriteConsolidated(io.Discard, Attributes{{"a", json.RawMessage(`{`)}}, func(func(string, json.Marshaler) bool) {}); err == nil {
		t.Error("attributes that are no JSON: no error")
	}
}
