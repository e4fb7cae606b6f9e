package run

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// TestAppendKeepsWhatIsThere appends to a chunk that is partly filled, and behind a chunk
// that is full. In the first case, existing rows would be encoded once more. That is refused
// if the codecs may change values.
func TestAppendKeepsWhatIsThere(t *testing.T) {
	const toZero = `{cast_value: {data_type: int16, rounding: towards-zero}}`
	warned := func(j *jobfile.Job) bool {
		p, err := plan.New(t.Context(), j, jobtest.Environment())
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close() //nolint:errcheck // nothing was written
		return slices.ContainsFunc(p.Findings, func(x jobfile.Problem) bool { return x.Code == "append-partial-chunk" })
	}
	for name, test := range map[string]struct{ options, refused string }{
		"zfp fixed_rate":        {"chunks: [4, 2], codecs: [{zfp: {mode: fixed_rate, rate: 8}}]", "zfp"},
		"zfp fixed_accuracy":    {"chunks: [4, 2], codecs: [{zfp: {mode: fixed_accuracy, tolerance: 0.1}}]", "zfp"},
		"zfp in shards":         {"chunks: [2, 2], shards: [4, 2], codecs: [{zfp: {mode: fixed_accuracy, tolerance: 0.1}}]", "zfp"},
		"zfp reversible":        {"chunks: [4, 2], codecs: [{zfp: {mode: reversible}}]", ""},
		"zfpy":                  {"chunks: [4, 2], codecs: [{numcodecs.zfpy: {mode: 4, tolerance: 0.1}}]", "numcodecs.zfpy"},
		"zfpy lossless":         {"chunks: [4, 2], codecs: [{numcodecs.zfpy: {mode: 4, tolerance: -1}}]", ""},
		"towards zero":          {"chunks: [4, 2], codecs: [" + toZero + ", bytes]", "cast_value"},
		"scaled towards zero":   {"chunks: [4, 2], codecs: [{scale_offset: {scale: 3.3}}, " + toZero + ", bytes]", "scale_offset"},
		"scaled":                {"chunks: [4, 2], codecs: [{scale_offset: {scale: 3.3}}, bytes]", "scale_offset"},
		"to the nearest":        {"chunks: [4, 2], codecs: [{scale_offset: {scale: 3.3, offset: 5}}, {cast_value: {data_type: int16}}, bytes], fill_value: 5", ""},
		"to the nearest, large": {"chunks: [4, 2], codecs: [{scale_offset: {scale: 3.3}}, {cast_value: {data_type: int32}}, bytes], allow_inexact: true", "scale_offset"},
		"NaN has a place":       {`chunks: [4, 2], codecs: [{cast_value: {data_type: int16, scalar_map: {encode: [["NaN", -1]], decode: [[-1, "NaN"]]}}}, bytes]`, ""},
		"moved by the map":      {`chunks: [4, 2], codecs: [{cast_value: {data_type: int16, scalar_map: {encode: [[1, 2], [2, 3]]}}}, bytes]`, "cast_value"},
		"fixedscaleoffset":      {`chunks: [4, 2], codecs: [{numcodecs.fixedscaleoffset: {offset: 0, scale: 10, astype: "<i2"}}, bytes]`, ""},
		"delta":                 {"chunks: [4, 2], codecs: [{numcodecs.delta: {}}, bytes]", "numcodecs.delta"},
		"bitround":              {"chunks: [4, 2], codecs: [{bitround: {keepbits: 3}}, bytes, zstd]", ""},
		"lossless":              {"chunks: [4, 2], codecs: [bytes, gzip]", ""},
		"single rows":           {"chunks: [1, 2], codecs: [{zfp: {mode: fixed_rate, rate: 8}}]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), jobtest.Environment()
			run := func(n night) error {
				result, err := execute(t, n.job(t, dir, "chunks: [4, 2]", test.options), env, Options{})
				if err == nil && n.first == 0 && result.Appended != 0 {
					t.Errorf("%+v", result)
				}
				return err
			}
			first := night{0, 3}.job(t, dir, "chunks: [4, 2]", test.options)
			if got := warned(first); got != (test.refused != "") {
				t.Errorf("warned at first: %v", got)
			}
			for range 2 { // the second time there is nothing to do
				if err := run(night{0, 3}); err != nil {
					t.Fatal(err)
				}
			}
			if warned(first) {
				t.Error("warned where there is nothing to do")
			}
			_, before := readArray(t, filepath.Join(dir, "out.zarr"), "g/v", env)
			err := run(night{3, 1})
			if test.refused == "" {
				if err != nil {
					t.Fatal(err)
				}
				_, after := readArray(t, filepath.Join(dir, "out.zarr"), "g/v", env)
				if diff := cmp.Diff(before, after[:len(before)]); diff != "" {
					t.Error(diff)
				}
				return
			}
			for _, want := range []string{`array "g/v": the last 3 rows of the target`, "the codec " + test.refused + " may", "4 rows along time at a time", "of extent 1 along it", "bitround"} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q", err, want)
				}
			}
			dir = t.TempDir()
			for _, n := range []night{{0, 4}, {4, 1}} {
				if err := run(n); err != nil {
					t.Errorf("behind a full chunk: %v", err)
				}
			}
		})
	}
}
