package jobfile

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
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
		got, _, err := expandVariables(tt.text, lookup, time.Time{})
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
		`job.yaml:4:35: run.workers.write: want an integer, not a string (the value of ${NO:-x})`,
		`job.yaml:5:7: name: the environment variable NOPE is not set (${NAME:-default} gives a default; write $${ for a literal ${)`,
	}
	if diff := cmp.Diff(want, lines(ps)); diff != "" {
		t.Error(diff)
	}
}

// TestSecretsInFields expands a secret into fields that cannot hold it: messages name
// the variable and not its value.
func TestSecretsInFields(t *testing.T) {
	const secret = "Hunter2+Secret=="
	for _, value := range []string{secret, "1234567890123456789012345678901234567890", "-271828182845", "3.14159265358979", strings.Repeat("long"+secret, 20), "27182818 B", "17 \"Hunter2\" é", "[12345678"} {
		for _, field := range []string{
			"run.memory", "run.workers.read", "run.workers", "run.requests.per_second", "run.requests.retries", "run.checkpoint.every", "run.lock_ttl", "run.path", "run.notify", "run.notify.timeout",
			"target.existing", "target.consolidated", "target.store_empty_chunks", "source.driver", "source.cf", "source.join", "source.include", "source.include[0]", "source.missing_chunks", "source.ngff", "source.unsupported",
			"defaults.chunks", "defaults.shards", "defaults.codecs", "defaults.fill_value", "defaults.data_type", "defaults.dimension_names", "defaults.attributes", "zmigrate",
			"arrays.a.chunks[0]", "arrays.a.codecs[0].name", "arrays.a.codecs[1].zstd.level", "arrays.a.codecs[1].zstd", "arrays.a.cast.rounding", "arrays.a.allow_inexact", "arrays.a.cf", "arrays.a.data_type",
		} {
			j, err := Parse("job.yaml", []byte(`zmigrate: 1
source: {driver: raw, arrays: {a: {url: data.bin, data_type: int8, shape: [4]}}}
target: {url: out.zarr}
defaults: {data_type: float32, fill_value: 0}
arrays: {a: {chunks: [2], codecs: [bytes, {zstd: {level: 1}}]}}
`), t.TempDir(), LoadOptions{Set: []string{field + "=${SECRET}"}, LookupEnv: func(string) (string, bool) { return value, true }})
			var problems Problems
			if err != nil && !errors.As(err, &problems) {
				t.Fatal(err)
			}
			if j != nil {
				problems = append(problems, j.Check(standard.Registry(dtype.Standard()))...)
			}
			if problems.Err() == nil && value == secret && field != "defaults.attributes" {
				t.Errorf("%s takes %q", field, value)
			}
			for _, p := range problems {
				text := p.String()
				if strings.Contains(text, value[:8]) {
					t.Errorf("%s tells the secret %q: %s", field, value, text)
				}
				if value == secret && (strings.HasPrefix(field, "run.") || strings.HasPrefix(field, "target.")) && !strings.Contains(text, "${SECRET}") {
					t.Errorf("%s does not name the variable: %s", field, text)
				}
			}
		}
	}
}
