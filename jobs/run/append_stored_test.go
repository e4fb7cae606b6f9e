package run

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// TestAppendAsStored migrates a source in two runs, with elements that are stored in another
// form than in the source. The target equals, byte for byte, the target of a single run. The
// first options are those of the run that makes the target. The second run may leave out
// those that the target already tells.
func TestAppendAsStored(t *testing.T) {
	for name, test := range map[string]struct{ first, then string }{
		"codecs of the packing":            {"{cf: codecs, chunks: [4, 3]}", "{cf: codecs}"},
		"codecs of the packing, in shards": {"{cf: codecs, chunks: [2, 3], shards: [4, 6]}", "{cf: codecs}"},
		"unpacked":                         {"{cf: unpack, chunks: [4, 3]}", "{cf: unpack}"},
		"converted":                        {"{data_type: float64, chunks: [4, 3]}", "{data_type: float64}"},
		"converted with a fill value":      {"{data_type: int32, chunks: [4, 6], fill_value: 7}", "{data_type: int32}"},
		"by codecs that compute":           {"{chunks: [4, 3], codecs: [{scale_offset: {offset: 2}}, bytes, gzip]}", "{}"},
		"transposed shards":                {"{chunks: [2, 3], shards: [4, 6], codecs: [{transpose: {order: [1, 0]}}, bytes, crc32c]}", "{}"},
		"shards with the index in front":   {"{chunks: [4, 6], codecs: [{sharding_indexed: {chunk_shape: [2, 3], codecs: [bytes, gzip], index_location: start}}]}", "{}"},
		"only the chunks said again":       {"{chunks: [2, 3], shards: [4, 6], codecs: [bytes, gzip]}", "{chunks: [2, 3]}"},
		"only the codecs said again":       {"{chunks: [2, 3], shards: [4, 6], codecs: [bytes, gzip]}", "{codecs: [bytes, gzip]}"},
		"only the shards said again":       {"{chunks: [2, 3], shards: [4, 6], codecs: [bytes, gzip]}", "{shards: [4, 6]}"},
	} {
		t.Run(name, func(t *testing.T) {
			env := jobtest.Environment()
			job := func(dir, target, options string, from, to int) *jobfile.Job {
				var data []byte
				for i := 6 * from; i < 6*to; i++ {
					data = binary.LittleEndian.AppendUint16(data, uint16(3*i))
				}
				file := fmt.Sprintf("a_%d_%d.raw", from, to)
				if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
					t.Fatal(err)
				}
				j, err := jobfile.Parse("job.yaml", fmt.Appendf(nil, `
zmigrate: 1
source:
  driver: raw
  arrays:
    a: {url: %s, data_type: int16, shape: [%d, 6], dimension_names: [time, x], attributes: {scale_factor: 0.5, add_offset: 10, _FillValue: -1}}
target: {url: %s, existing: append, append: time}
arrays: {a: %s}
`, file, to-from, target, options), dir, jobfile.LoadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				return j
			}
			dir := t.TempDir()
			var digests []digest.Optional
			for _, j := range []*jobfile.Job{
				job(dir, "once.zarr", test.first, 0, 11), job(dir, "out.zarr", test.first, 0, 3),
				job(dir, "out.zarr", test.then, 3, 6), job(dir, "out.zarr", test.first, 6, 11),
			} {
				result, err := execute(t, j, env, Options{})
				if err != nil {
					t.Fatal(err)
				}
				digests = append(digests, result.ByArray[0].Digest)
			}
			if once, all := digests[0], digests[3]; !once.Known || once != all {
				t.Errorf("the digest is %v, at once %v", all, once)
			}
			if diff := cmp.Diff(contents(t, filepath.Join(dir, "once.zarr")), contents(t, filepath.Join(dir, "out.zarr"))); diff != "" {
				t.Errorf("(-at once +appended):\n%s", diff)
			}
			if !strings.HasPrefix(name, "codecs of") {
				return
			}
			other := job(dir, "out.zarr", test.then, 11, 12)
			other.Source.Arrays[0].Attributes[0].Value = []byte("0.25")
			if _, err := execute(t, other, env, Options{}); err == nil || !strings.Contains(err.Error(), "source and target have to have the same packing") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestAppendFromZarr takes rows from a Zarr hierarchy that stores them in the same form as
// the target.
func TestAppendFromZarr(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	for _, n := range []night{{0, 5}, {5, 6}} {
		j := n.job(t, dir, "url: out.zarr, existing: append, append: time", fmt.Sprintf("url: night_%d.zarr", n.first))
		if _, err := execute(t, j, env, Options{}); err != nil {
			t.Fatal(err)
		}
		copied, err := jobfile.Parse("copy.yaml", fmt.Appendf(nil, `
zmigrate: 1
source: {driver: zarr, url: night_%d.zarr}
target: {url: out.zarr, existing: append, append: time}
`, n.first), dir, jobfile.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for again := range 2 {
			result, err := execute(t, copied, env, Options{})
			if err != nil || result.Nothing != (again == 1) {
				t.Fatalf("%+v: %+v, %v", n, result, err)
			}
		}
	}
	if got := days(t, dir, env); got != 11 {
		t.Errorf("%d days", got)
	}
}
