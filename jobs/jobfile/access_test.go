package jobfile

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAccess has chunks in a rule and access in the defaults, or the other way round.
func TestAccess(t *testing.T) {
	for _, c := range []struct {
		defaults, rule string
		chunks         Chunks
		access         string
	}{
		{"{}", "{access: map}", Chunks{Auto: true}, "map"},
		{"{access: both}", "{}", Chunks{Auto: true}, "both"},
		{"{access: both}", "{access: map}", Chunks{Auto: true}, "map"},
		{"{access: both}", "{chunks: keep}", Chunks{Keep: true}, ""},
		{"{access: both}", "{chunks: auto}", Chunks{Auto: true}, ""},
		{"{access: both}", "{chunks: auto, access: map}", Chunks{Auto: true}, "map"},
		{"{access: both, chunks: auto}", "{}", Chunks{Auto: true}, "both"},
		{"{access: both}", "{chunks: [1, 2]}", Chunks{Shape: []int{1, 2}}, ""},
		{"{access: both, chunks: [1, 2]}", "{}", Chunks{Shape: []int{1, 2}}, "both"},
		{"{}", "{access: both, chunks: [1, 2]}", Chunks{Shape: []int{1, 2}}, "both"},
		{"{chunks: [1, 2]}", "{access: map}", Chunks{Auto: true}, "map"},
		{"{chunks: {t: 5}}", "{access: map}", Chunks{By: Extents{{"t", 5}}}, "map"},
		{"{access: map}", "{chunks: {t: 5}}", Chunks{By: Extents{{"t", 5}}}, "map"},
	} {
		j := mustParse(t, small+"defaults: "+c.defaults+"\narrays: {A: "+c.rule+"}\n")
		again := mustParse(t, string(j.Normalised()))
		for _, j := range []*Job{j, again} {
			o, _ := j.Options("A")
			if diff := cmp.Diff(c.chunks, o.Chunks); diff != "" || o.Access != c.access {
				t.Errorf("%s, %s: access %q, chunks %s", c.defaults, c.rule, o.Access, diff)
			}
		}
		if list := Differences(json.RawMessage(j.Normalised()), json.RawMessage(again.Normalised())); len(list) > 0 {
			t.Errorf("%s, %s: %v", c.defaults, c.rule, list)
		}
	}
}
