package app

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

func TestPrintNode(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, c := range []struct {
		name string
		node jobs.Node
		want string
	}{
		{"types behind attributes", jobs.Node{
			Path: "a", Kind: "array", DataType: json.RawMessage(`"int8"`), Shape: []int{2}, DimensionNames: []string{"x"}, Unlimited: []string{"x"},
			Attributes: zarr.Attributes{{Name: "units", Value: json.RawMessage(`"m"`)}, {Name: "n", Value: json.RawMessage(`1`)}},
			Details: []sources.Detail{
				{Name: "units", Text: "char", Attribute: true}, {Name: "point", Text: "compound {x: int8} = {1}", Attribute: true}, {Name: "stored type", Text: "byte"},
			},
		}, "/a int8 [x=2 (unlimited)]\n  stored type  byte\n    units = \"m\"  (char)\n    n = 1\n    point: compound {x: int8} = {1}\n"},
		{"a long attribute", jobs.Node{
			Kind: "group", Attributes: zarr.Attributes{{Name: "history", Value: json.RawMessage(`"` + long + `"`)}},
		}, "/ (group)\n    history = \"" + long + "\"\n"},
		{"names that are no text", jobs.Node{
			Path: "a\xff\nb", Kind: "array", DataType: json.RawMessage(`"int8"`), Shape: []int{1}, DimensionNames: []string{"\x1b[31m"},
			Attributes: zarr.Attributes{{Name: "\x00", Value: json.RawMessage(`1`)}},
			Details:    []sources.Detail{{Name: "type \t", Text: "\r"}},
		}, "\"/a\\xff\\nb\" int8 [\"\\x1b[31m\"=1]\n  \"type \\t\"  \"\\r\"\n    \"\\x00\" = 1\n"},
	} {
		var out bytes.Buffer
		(&app{out: &out}).printNode(c.node)
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
