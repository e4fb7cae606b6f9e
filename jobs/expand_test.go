package jobs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpandVariables(t *testing.T) {
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"A": "x", "EMPTY": "", "BIG": strings.Repeat("y", 1<<19)}[name]
		return v, ok
	}
	for _, tt := range []struct{ text, want, fault string }{
		{"${A}/${A}", "x/x", ""},
		{"${NO:-d e}", "d e", ""},
		{"${EMPTY:-d}", "d", ""},
		{"[${EMPTY}]", "[]", ""},
		{"${NO:-}", "", ""},
		{"$${A} $A $ $$", "${A} $A $ $$", ""},
		{"${NO}", "", "the environment variable NO is not set"},
		{"${A", "", "${ has no closing brace"},
		{"${1A}", "", `"1A" is not the name of an environment variable`},
		{"${A-b}", "", `"A-b" is not the name of an environment variable`},
		{"${BIG}${BIG}${BIG}", "", "the value is longer than 1048576 bytes with its variables expanded"},
	} {
		got, _, err := expandVariables(tt.text, lookup)
		if tt.fault != "" {
			if err == nil || err.Error() != tt.fault {
				t.Errorf("%s: %v, want %s", tt.text, err, tt.fault)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.text, got, err, tt.want)
		}
	}
}

func TestVariablesInFields(t *testing.T) {
	j := mustParse(t, small+`
arrays:
  A: {chunks: ["${NO:-12}", 3], fill_value: "${YEAR}", allow_inexact: "${YES}", attributes: {y: "${YEAR}"}, rename: "${YEAR}"}
run: {workers: {read: "${NO:-4}"}, memory: "${NO:-64MiB}"}
`)
	o, _ := j.Options("A")
	if o.Chunks.Shape[0] != 12 || string(o.FillValue) != "1999" || !o.AllowInexact || o.Rename != "1999" ||
		string(o.Attributes.Get("y")) != `"1999"` || j.Run.Workers.Read != 4 || j.Run.Memory != 64<<20 {
		t.Errorf("%+v %+v", o, j.Run)
	}
	_, ps := parseWith(t, small+"run: {workers: {read: \"4\", write: \"${NO:-x}\"}}\nname: ${NOPE}\n")
	want := []string{
		`job.yaml:4:23: run.workers.read: want an integer, not a string ("4") (write 4 without quotes)`,
		`job.yaml:4:35: run.workers.write: want an integer, not a string ("x")`,
		`job.yaml:5:7: name: the environment variable NOPE is not set (${NAME:-default} gives a default; write $${ for a literal ${)`,
	}
	if diff := cmp.Diff(want, lines(ps)); diff != "" {
		t.Error(diff)
	}
}
