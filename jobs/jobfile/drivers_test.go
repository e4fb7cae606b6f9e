package jobfile

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/drivers"
)

// TestDriversOfAProgram has drivers that only this test has. Their traits decide which fields
// a job may have.
func TestDriversOfAProgram(t *testing.T) {
	known := append(drivers.Standard(),
		sources.Driver{Name: "plain"},
		sources.Driver{Name: "table", Aliases: []string{"csv"}, Traits: sources.Traits{Rows: true}},
		sources.Driver{Name: "bare", Traits: sources.Traits{Declared: true, MissingChunks: true}},
		sources.Driver{Name: "rich", Traits: sources.Traits{Codecs: sources.CodecsOnRequest, Unlimited: true}},
	)
	const rest = "\ntarget: {url: out, existing: append}\n"
	for text, want := range map[string]string{
		"source: {driver: plain, url: [a, b]}" + rest:                                                             "job.yaml:2:25: source.url: the job does not say how several files become one (" + joinHint + ")",
		"source: {driver: plain, url: a}" + rest:                                                                  "job.yaml:3:30: target.existing: append needs the name of the dimension to append along: sources of the driver plain have none that is unlimited (target.append: NAME)",
		"source: {driver: csv, url: [a, b]}" + rest:                                                               "job.yaml:3:30: target.existing: append needs the name of the dimension to append along: sources of the driver table have none that is unlimited (target.append: NAME)",
		"source: {driver: rich, url: a}" + rest:                                                                   "",
		"source: {driver: rich, url: a}\ntarget: {url: out}\ndefaults: {codecs: keep, chunks: keep}":              "",
		"source: {driver: csv, url: a}\ntarget: {url: out}\ndefaults: {codecs: keep}":                             "job.yaml:4:20: defaults.codecs: sources of the driver table have no codecs to keep (list the codecs)",
		"source: {driver: bare, url: a, arrays: {}}\ntarget: {url: out}":                                          "job.yaml:2:29: source.url: the bare driver takes its files from source.arrays (move it to source.arrays.NAME.url)\njob.yaml:2:40: source.arrays: names no array",
		"source: {driver: plain, url: a, missing_chunks: error}\ntarget: {url: out}":                              "job.yaml:2:49: source.missing_chunks: only the drivers zarr, bare have it",
		"source: {driver: plain, url: a, arrays: {a: {url: b, data_type: int8, shape: [1]}}}\ntarget: {url: out}": "job.yaml:2:33: source.arrays: only the drivers raw, bare have it (options for arrays stand under the top-level arrays)",
	} {
		j, err := Parse("job.yaml", []byte("zmigrate: 1\n"+text), ".", LoadOptions{Drivers: known})
		got := ""
		if err != nil {
			got = err.Error()
		} else if err := j.Check(standard.Registry(dtype.Standard())).Err(); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
