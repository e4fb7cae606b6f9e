package jobfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

// TestCheckDimensions checks the names of dimensions of arrays that the job declares,
// before anything is opened.
func TestCheckDimensions(t *testing.T) {
	const job = `zmigrate: 1
target: {url: out.zarr}
source:
  driver: raw
  arrays:
    v: {url: v.bin, data_type: uint8, shape: [4, 6], dimension_names: [time, x], attributes: {coordinates: area}}
    x: {url: x.bin, data_type: uint8, shape: [6], dimension_names: [x]}
    area: {url: x.bin, data_type: uint8, shape: [6, 2], dimension_names: [x, corner]}
    runs: {url: "r*.bin", stack: run, data_type: uint8, shape: [6], dimension_names: [x]}
    none: {url: "r*.bin", stack: run, data_type: uint8, shape: [6]}
    other: {url: o.bin, data_type: uint8, shape: [2], dimension_names: [other]}
`
	for name, test := range map[string]struct {
		more string
		want []string
	}{
		"all are known": {"  select: {time: '0:1', run: '0:1', corner: '0:1'}\ndimensions: {x: lon, time: x}\ndefaults: {chunks: {lon: 2, time: 1, run: 1}}\n", nil},
		"select":        {"  select: {tim: '0:1'}\n", []string{`source.select.tim: no array that the job selects has the dimension "tim" (did you mean "time"?)`}},
		"not selected": {"  include: [v]\n  select: {other: '0:1', corner: '0:1', x: '0:1'}\n", []string{
			`source.select.other: no array that the job selects has the dimension "other" (known here: corner, time, x)`,
		}},
		"no coordinates": {"  include: [v]\n  coordinates: false\n  select: {corner: '0:1'}\ndimensions: {x: corner}\n", []string{
			`source.select.corner: no array that the job selects has the dimension "corner" (known here: time, x)`,
		}},
		"new names": {"dimensions: {lon: x, x: time}\n", []string{
			`dimensions.lon: no array of the source has the dimension "lon" (known here: corner, other, run, time, x)`,
			`dimensions.x: the source has a dimension "time" already (choose another name)`,
		}},
		"chunks": {"defaults: {chunks: {tiem: 1}}\narrays: {x: {shards: {time: 2}}}\n", []string{
			`defaults.chunks.tiem: no array has the dimension "tiem" (did you mean "time"?)`, `arrays.x.shards.time: no array has the dimension "time" (known here: x)`,
		}},
		"given ones": {"arrays: {v: {dimension_names: [t, x], chunks: {t: 2}, shards: {time: 4}}}\n", nil},
		"both names": {"arrays: {v: {dimension_names: [t, x], chunks: {t: 2, time: 1}}}\n", []string{
			`arrays.v.chunks.time: array "v": "time" and "t" at job.yaml:12:51 are one dimension, by its names in the source and in the target (keep one of them)`,
		}},
		"both names of many arrays": {"dimensions: {x: lon}\ndefaults: {shards: {lon: 2, x: 1}}\narrays: {x: {shards: {x: 3}}, area: {shards: {lon: 3, corner: 1}}}\n", []string{
			`defaults.shards.x: array "v": "x" and "lon" at job.yaml:13:26 are one dimension, by its names in the source and in the target (keep one of them)`,
		}},
		"a swap": {"dimensions: {x: time, time: x}\ndefaults: {chunks: {time: 2, x: 1}}\n", nil},
		"ranks":  {"defaults: {chunks: [1, 2, 3]}\n", []string{`defaults.chunks: no array has 3 dimensions (array "other" has 1, "none" has 2)`}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range mustParse(t, job+test.more).Check(standard.Registry(dtype.Standard())) {
				_, text, _ := strings.Cut(p.String(), ": ")
				got = append(got, text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}
