package zarr

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// WriteConsolidated writes what Document makes of the same group, byte for byte.
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
