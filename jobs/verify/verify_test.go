package verify_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/jobs/run"
	"github.com/zmigrate/zmigrate/jobs/verify"
)

// jobText is a job over arrays of several kinds: a plain array, one with shards, one with a
// chunk of zeros that is not stored, one with a lossy codec, and one whose chunks at the
// edges are padded.
const jobText = `
zmigrate: 1
source:
  driver: raw
  arrays:
    plain: {url: f.raw, data_type: float32, shape: [10, 6], dimension_names: [y, x], attributes: {units: m}}
    group/sharded: {url: f.raw, data_type: float32, shape: [10, 6]}
    sparse: {url: z.raw, data_type: int16, shape: [120]}
    lossy: {url: f.raw, data_type: float32, shape: [10, 6]}
    scalar: {url: f.raw, data_type: uint8, shape: [], offset: 239}
target: {url: out.zarr}
arrays:
  plain: {chunks: [4, 4], codecs: [bytes, {gzip: {level: 1}}]}
  group/sharded: {chunks: [2, 2], shards: [4, 4], codecs: [transpose: {order: [1, 0]}, bytes, crc32c]}
  sparse: {chunks: [40], codecs: [bytes]}
  scalar: {codecs: [bytes]}
  lossy: {chunks: [4, 4], codecs: [{zfp: {mode: fixed_accuracy, tolerance: 0.5}}]}
`

// migrated runs the job in a new folder.
func migrated(t *testing.T) (*jobfile.Job, string) {
	t.Helper()
	dir := t.TempDir()
	var data, zeros []byte
	for i := range 60 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i)+0.25))
	}
	for i := range 120 {
		zeros = binary.LittleEndian.AppendUint16(zeros, uint16(max(0, i-80)))
	}
	for name, data := range map[string][]byte{"f.raw": data, "z.raw": zeros} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j := jobtest.Parse(t, dir, jobText)
	begin(t, j, run.Options{})
	return j, filepath.Join(dir, "out.zarr")
}

func begin(t *testing.T, j *jobfile.Job, opt run.Options) {
	t.Helper()
	p, err := plan.New(t.Context(), j, jobtest.Environment())
	if err != nil {
		t.Fatal(err)
	}
	_, err = run.Run(t.Context(), p, jobtest.Environment(), opt)
	if err := errors.Join(err, p.Close()); err != nil && opt.Stop == nil {
		t.Fatal(err)
	}
}

func verified(t *testing.T, j *jobfile.Job, opt verify.Options) *verify.Result {
	t.Helper()
	r, err := verify.Verify(t.Context(), j, jobtest.Environment(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// objectsOf returns the objects below a folder by their keys.
func objectsOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	objects := map[string][]byte{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		key, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		objects[filepath.ToSlash(key)], err = os.ReadFile(name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// TestSound verifies a target that is as it was written.
func TestSound(t *testing.T) {
	t.Parallel()
	j, dir := migrated(t)
	before := objectsOf(t, dir)
	for _, level := range verify.Levels() {
		r := verified(t, j, verify.Options{Level: level})
		if r.Count != 0 || r.Arrays != 5 || r.Objects != 6+6+1+6+1 || r.Empty != 2 {
			t.Errorf("%s: %+v", level, r)
		}
		want, byValues := r.Objects, 0
		switch level {
		case verify.Quick:
			want = 0
		case verify.Decoded, verify.Source:
			byValues = r.Objects - 6 // the lossy ones
		case verify.Stored:
		}
		if r.Read != want || r.ByValues != byValues || r.ByChecksums != want-byValues {
			t.Errorf("%s: %d read, %d by values, %d by checksums, want %d and %d", level, r.Read, r.ByValues, r.ByChecksums, want, byValues)
		}
	}
	after := objectsOf(t, dir)
	if len(after) != len(before) {
		t.Errorf("%d objects after the verification, %d before", len(after), len(before))
	}
}

// TestProved damages an object. It is read, and does not count as proved.
func TestProved(t *testing.T) {
	t.Parallel()
	j, dir := migrated(t)
	data := objectsOf(t, dir)["plain/c/0/1"]
	data[len(data)/2] ^= 1
	replace(t, dir, "plain/c/0/1", data)
	for level, byValues := range map[verify.Level]int{verify.Stored: 0, verify.Decoded: 20 - 6 - 1} {
		r := verified(t, j, verify.Options{Level: level})
		if r.Count != 1 || r.Read != 20 || r.ByValues != byValues || r.ByChecksums != 19-byValues {
			t.Errorf("%s: %+v", level, r)
		}
	}
}

// TestLargeObjects has objects that do not fit into the memory for one object: one with inner
// chunks, and one that is a single chunk.
func TestLargeObjects(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := make([]byte, 0, 20<<20)
	for i := range 5 << 20 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i)))
	}
	if err := os.WriteFile(filepath.Join(dir, "f.raw"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	j := jobtest.Parse(t, dir, `
zmigrate: 1
source:
  driver: raw
  arrays:
    sharded: {url: f.raw, data_type: float32, shape: [5120, 1024]}
    whole: {url: f.raw, data_type: float32, shape: [5120, 1024]}
target: {url: out.zarr}
arrays:
  sharded: {chunks: [640, 256], shards: [5120, 1024], codecs: [bytes, crc32c]}
  whole: {chunks: [5120, 1024], codecs: [bytes]}
`)
	begin(t, j, run.Options{})
	target := filepath.Join(dir, "out.zarr")
	sound := objectsOf(t, target)
	j.Run.Memory = 72 << 20
	for _, level := range []verify.Level{verify.Stored, verify.Decoded} {
		r := verified(t, j, verify.Options{Level: level})
		if r.Count != 0 || r.Read != 2 || level == verify.Decoded && r.ByValues != 2 {
			t.Errorf("%s: %+v", level, r)
		}
	}
	random := rand.New(rand.NewPCG(20, 2))
	for range 3 {
		for key, data := range sound {
			if strings.HasSuffix(key, "zarr.json") {
				continue
			}
			damaged := slices.Clone(data)
			damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
			replace(t, target, key, damaged)
		}
		r := verified(t, j, verify.Options{})
		if r.Count != 2 || slices.ContainsFunc(r.Differences, func(d verify.Difference) bool { return d.Kind != verify.Checksum }) {
			t.Fatalf("%+v", r)
		}
	}
	for key, data := range sound {
		replace(t, target, key, data)
	}
	document := string(sound["whole/zarr.json"])
	replace(t, target, "whole/zarr.json", []byte(strings.Replace(document, "little", "big", 1)))
	r := verified(t, j, verify.Options{})
	if !slices.ContainsFunc(r.Differences, func(d verify.Difference) bool { return d.Kind == verify.Values && d.Array == "whole" }) || r.ByValues != 1 {
		t.Errorf("another byte order: %+v", r)
	}
}

// TestDigests compares the digests of arrays with those in the record of completion. Those of
// the floating-point arrays are all of the same values.
func TestDigests(t *testing.T) {
	t.Parallel()
	j, dir := migrated(t)
	r := verified(t, j, verify.Options{Level: verify.Quick})
	text, err := os.ReadFile(filepath.Join(dir+".zmigrate", "done.json"))
	if err != nil {
		t.Fatal(err)
	}
	done, manifest, err := run.ReadCompletion(text)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]digest.Optional{}
	for i, a := range done.Arrays {
		if name := manifest.Arrays[i].Target; a.Digest.Known {
			want[name] = a.Digest
		}
	}
	if diff := cmp.Diff(want, r.Digests); diff != "" {
		t.Errorf("(-record +verification):\n%s", diff)
	}
	if len(want) != 4 || want["plain"] != want["group/sharded"] {
		t.Errorf("digests %v", want)
	}
}

// TestFlippedBits flips one bit of each object, many times. Every one of them is found. The flips are the same each
// time. The root document has copies of the other documents. If a document and its copy had the same flip, they would
// agree, and only the document would be reported.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	j, dir := migrated(t)
	sound := objectsOf(t, dir)
	random := rand.New(rand.NewPCG(20, 1))
	keys := slices.Sorted(maps.Keys(sound))
	flips := 0
	for round := range 100 {
		for _, key := range keys {
			damaged := slices.Clone(sound[key])
			damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
			replace(t, dir, key, damaged)
			flips++
		}
		level := []verify.Level{verify.Stored, verify.Decoded}[round%2]
		r := verified(t, j, verify.Options{Level: level})
		found := map[string]bool{}
		for _, d := range r.Differences {
			found[d.Key] = true
		}
		for key, data := range sound {
			if !found[key] && !sameDocument(t, dir, key, data) {
				t.Errorf("%s, round %d: a flipped bit in %s is not found", level, round, key)
			}
			replace(t, dir, key, data)
		}
	}
	t.Logf("%d flips", flips)
	if r := verified(t, j, verify.Options{}); r.Count != 0 {
		t.Errorf("after the last round: %+v", r.Differences)
	}
}

// sameDocument reports whether a document that was changed still says the same: a flipped
// bit made one space of it another one.
func sameDocument(t *testing.T, dir, key string, was []byte) bool {
	t.Helper()
	now, err := os.ReadFile(filepath.Join(dir, key))
	if err != nil {
		t.Fatal(err)
	}
	return strings.HasSuffix(key, "zarr.json") && manifest.DocumentDigest(now) == manifest.DocumentDigest(was)
}

func replace(t *testing.T, dir, key string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, key), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDifferences damages a target in several ways. Each way leads to a difference of its own
// kind.
func TestDifferences(t *testing.T) {
	t.Parallel()
	edit := func(key, old, to string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			data, err := os.ReadFile(filepath.Join(dir, key))
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(data), old, to, 1)
			if changed == string(data) {
				t.Fatalf("%s has no %q", key, old)
			}
			replace(t, dir, key, []byte(changed))
		}
	}
	remove := func(key string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Remove(filepath.Join(dir, key)); err != nil {
				t.Fatal(err)
			}
		}
	}
	put := func(key, data string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, key)), 0o700); err != nil {
				t.Fatal(err)
			}
			replace(t, dir, key, []byte(data))
		}
	}
	const two = "the shape is [10 7], and [10 6] was written"
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		quick  string // the differences of the level quick, as "kind key"
		text   string // in one of them
		deeper string // further ones of the level decoded
	}{
		{"chunk deleted", remove("plain/c/1/0"), "absent plain/c/1/0", `array "plain", chunk [1 0]: the object of`, ""},
		{"document deleted", remove("plain/zarr.json"), "absent plain/zarr.json", "readers do not see the node", ""},
		{"group deleted", remove("group/zarr.json"), "absent group/zarr.json", "readers do not see the node", ""},
		{"chunk truncated", put("lossy/c/0/0", "x"), "size lossy/c/0/0", "1 bytes, and", ""},
		{"fill-only chunk written", put("sparse/c/0", "x"), "stray sparse/c/0", `array "sparse", chunk [0]`, ""},
		{"chunk outside the grid", put("plain/c/9/9", "x"), "stray plain/c/9/9", "has not written", ""},
		{"file of nobody", put("group/note.txt", "x"), "stray group/note.txt", "has not written", ""},
		{"array of another", put("other/zarr.json", `{"zarr_format":3,"node_type":"group"}`), "", "", ""},
		{"chunk of another", func(t *testing.T, dir string) {
			t.Helper()
			put("other/zarr.json", `{"zarr_format":3,"node_type":"array"}`)(t, dir)
			put("other/c/0", "x")(t, dir)
		}, "", "", ""},
		{"attribute edited", edit("plain/zarr.json", `"units": "m"`, `"units": "K"`), "document plain/zarr.json", "are not those that were written", ""},
		{"shape edited", edit("plain/zarr.json", "    6\n", "    7\n"), "document plain/zarr.json", two, ""},
		{"fill value edited", edit("sparse/zarr.json", `"fill_value": 0`, `"fill_value": 1`), "document sparse/zarr.json", "are not those that were written", ""},
		{"codecs edited", func(t *testing.T, dir string) {
			t.Helper()
			data, err := os.ReadFile(filepath.Join(dir, "group/sharded/zarr.json"))
			if err != nil {
				t.Fatal(err)
			}
			turned := regexp.MustCompile(`"order": \[\s*1,\s*0`).ReplaceAll(data, []byte(`"order": [0, 1`))
			replace(t, dir, "group/sharded/zarr.json", turned)
		}, "document group/sharded/zarr.json", "are not those that were written", "values group/sharded/c/0/0, values group/sharded/c/0/1, values group/sharded/c/1/0, values group/sharded/c/1/1, values group/sharded/c/2/0, values group/sharded/c/2/1"},
		{"consolidated metadata edited", edit("zarr.json", `"units": "m"`, `"units": "K"`), "document zarr.json", "contradict its own document", ""},
		{"root attributes edited", edit("zarr.json", `"attributes": {}`, `"attributes": {"a": 1}`), "document zarr.json", "the metadata of the group", ""},
		{"document spaced anew", edit("plain/zarr.json", "\n", " \n\n"), "", "", ""},
		{"consolidated metadata removed", func(t *testing.T, dir string) {
			t.Helper()
			replace(t, dir, "zarr.json", []byte(`{"zarr_format":3,"node_type":"group","attributes":{}}`))
		}, "document zarr.json", "the metadata of the group", ""},
		{"consolidated metadata incomplete", edit("zarr.json", `"lossy": {`, `"lassy": {`), "document zarr.json, document zarr.json", "lack the array \"lossy\"", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j, dir := migrated(t)
			c.damage(t, dir)
			for _, level := range verify.Levels() {
				r := verified(t, j, verify.Options{Level: level})
				var list, texts []string
				for _, d := range r.Differences {
					// Files have a time of their own. What damage does to values is in TestSource.
					if d.Kind == verify.Version || level == verify.Source && (d.Kind == verify.OtherValues || d.Kind == verify.Undecodable) {
						continue
					}
					list, texts = append(list, fmt.Sprintf("%s %s", d.Kind, d.Key)), append(texts, d.String())
				}
				var want []string
				for _, part := range []string{c.quick, c.deeper} {
					if part != "" && (part == c.quick || level == verify.Decoded || level == verify.Source) {
						want = append(want, strings.Split(part, ", ")...)
					}
				}
				slices.Sort(list)
				slices.Sort(want)
				if !slices.Equal(list, want) || !strings.Contains(strings.Join(texts, "\n"), c.text) {
					t.Errorf("%s: %q\n%q, want %q with %q", level, list, texts, want, c.text)
				}
			}
		})
	}
}

// TestSource compares with the source: chunks of a target that hold other values, and a
// source that has changed.
func TestSource(t *testing.T) {
	t.Parallel()
	j, dir := migrated(t)
	r := verified(t, j, verify.Options{Level: verify.Source})
	if r.Count != 0 || r.Elements != 3*60+120+1 || len(r.Deviations) != 1 {
		t.Fatalf("%+v", r)
	}
	if d := r.Deviations[0]; d.Array != "lossy" || d.Elements != 60 || d.Bound != 0.5 || d.Unequal > 0 && (float64(d.Max) > d.Bound || d.RMS > d.Max || d.At == nil) {
		t.Errorf("%+v", d)
	}
	sound := objectsOf(t, dir)
	replace(t, dir, "plain/c/1/0", sound["plain/c/0/0"])
	replace(t, dir, "lossy/c/1/1", sound["lossy/c/0/1"])
	replace(t, dir, "group/sharded/c/0/0", sound["group/sharded/c/1/0"])
	replace(t, dir, "scalar/c", []byte{7})
	replace(t, dir, "sparse/c/2", sound["sparse/c/2"][:79])
	replace(t, dir, "sparse/c/0", make([]byte, 80)) // as the fill value, but it should not be there
	if err := os.Remove(filepath.Join(dir, "lossy/c/0/0")); err != nil {
		t.Fatal(err)
	}
	r = verified(t, j, verify.Options{Level: verify.Source})
	texts := map[string]string{}
	for _, d := range r.Differences {
		if d.Kind == verify.OtherValues {
			texts[d.Key] = d.Text
		}
	}
	for key, want := range map[string]string{
		"plain/c/1/0":         "16 of 16 elements are not those of the source: element [4 0] is 0.25, and 24.25 in the source",
		"lossy/c/1/1":         "8 of 8 elements are not those of the source: element [4 4] is ",
		"group/sharded/c/0/0": "16 of 16 elements are not those of the source: element [0 0] is 24.25, and 0.25 in the source",
		"scalar/c":            "1 of 1 elements are not those of the source: element [] is 7, and 66 in the source",
		"lossy/c/0/0":         "the codecs may change a value by 0.5",
	} {
		if !strings.Contains(texts[key], want) {
			t.Errorf("%s: %q, want %q", key, texts[key], want)
		}
		delete(texts, key)
	}
	// sparse/c/2 cannot be decoded, so nothing of it is compared.
	if len(texts) > 0 || r.Elements != 3*60+120+1-40 {
		t.Errorf("%q, %d elements compared", texts, r.Elements)
	}
	for key := range sound {
		if strings.HasPrefix(key, "lossy/c/") {
			replace(t, dir, key, nil)
		}
	}
	r = verified(t, j, verify.Options{Level: verify.Source})
	if d := r.Deviations[0]; d.Elements != 0 || d.RMS != 0 || d.At != nil {
		t.Errorf("no chunk can be decoded: %+v", d)
	}

	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "z.raw"), make([]byte, 240), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := verify.Verify(t.Context(), j, jobtest.Environment(), verify.Options{Level: verify.Source}); !errors.Is(err, verify.ErrSourceChanged) || !strings.Contains(err.Error(), "z.raw") {
		t.Errorf("%v", err)
	}
	if _, err := verify.Verify(t.Context(), j, jobtest.Environment(), verify.Options{Level: verify.Source, AnyJob: true}); err == nil || !strings.Contains(err.Error(), "needs the job file") {
		t.Errorf("%v", err)
	}
}

// TestNoRecord has targets that cannot be verified, for several reasons.
// TestAnything verifies arrays whose codecs make a number infinite or NaN a number, as the job
// says, and one whose codec leaves NaN other bits. It then makes a number of one of them
// infinite, which its codec does not do.
func TestAnything(t *testing.T) {
	dir := t.TempDir()
	var wide, narrow []byte
	for _, x := range []float64{1.5, math.NaN(), 1e300, -1e300} {
		wide = binary.LittleEndian.AppendUint64(wide, math.Float64bits(x))
	}
	narrow = binary.LittleEndian.AppendUint16(narrow, 0xfe00) // the NaN of x86
	for name, data := range map[string][]byte{"wide.raw": wide, "narrow.raw": narrow} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j := jobtest.Parse(t, dir, `
zmigrate: 1
source:
  driver: raw
  arrays:
    clamped: {url: wide.raw, data_type: float64, shape: [4]}
    mapped: {url: wide.raw, data_type: float64, shape: [4]}
    nan: {url: narrow.raw, data_type: float16, shape: [1]}
    rounded: {url: wide.raw, data_type: float64, shape: [4]}
target: {url: out.zarr}
defaults: {chunks: [4]}
arrays:
  clamped: {codecs: [{cast_value: {data_type: float32, out_of_range: clamp}}, bytes]}
  mapped: {codecs: [{cast_value: {data_type: int16, out_of_range: clamp, scalar_map: {encode: [["NaN", 0]]}}}, bytes]}
  nan: {codecs: [{cast_value: {data_type: float32}}, bytes]}
  rounded: {codecs: [{numcodecs.bitround: {keepbits: 3}}, bytes]}
`)
	begin(t, j, run.Options{})
	for _, level := range []verify.Level{verify.Decoded, verify.Source} {
		if r := verified(t, j, verify.Options{Level: level}); len(r.Differences) > 0 {
			t.Errorf("%v: %+v", level, r.Differences)
		}
	}
	out := filepath.Join(dir, "out.zarr")
	infinite := objectsOf(t, out)["rounded/c/0"]
	binary.LittleEndian.PutUint64(infinite, math.Float64bits(math.Inf(1)))
	replace(t, out, "rounded/c/0", infinite)
	const want = "and 1.5 in the source; the codecs may change a number, but not to infinity or NaN"
	r := verified(t, j, verify.Options{Level: verify.Source})
	if !slices.ContainsFunc(r.Differences, func(d verify.Difference) bool { return strings.Contains(d.Text, want) }) {
		t.Errorf("%+v, want %q", r.Differences, want)
	}
}

func TestNoRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.raw"), make([]byte, 240), 0o600); err != nil {
		t.Fatal(err)
	}
	const text = "zmigrate: 1\nsource: {driver: raw, arrays: {a: {url: f.raw, data_type: float32, shape: [60]}}}\ntarget: {url: out.zarr}\ndefaults: {chunks: [10]}\n"
	j := jobtest.Parse(t, dir, text)
	check := func(j *jobfile.Job, opt verify.Options, cause error, message string) {
		t.Helper()
		_, err := verify.Verify(t.Context(), j, jobtest.Environment(), opt)
		if !errors.Is(err, cause) || cause != nil && !strings.Contains(err.Error(), message) {
			t.Errorf("%v, want %v with %q", err, cause, message)
		}
	}
	check(j, verify.Options{}, verify.ErrNoRecord, "was not written by this job")
	stop := make(chan struct{})
	close(stop)
	begin(t, j, run.Options{Stop: stop})
	check(j, verify.Options{}, verify.ErrUnfinished, "run the job again")
	begin(t, j, run.Options{})
	check(j, verify.Options{}, nil, "")
	other := jobtest.Parse(t, dir, text+"run: {memory: 64MiB}\n")
	check(other, verify.Options{}, nil, "") // the same target
	other = jobtest.Parse(t, dir, strings.Replace(text, "[10]", "[20]", 1))
	check(other, verify.Options{}, verify.ErrOtherJob, "defaults.chunks: was [10], is [20]")
	check(other, verify.Options{AnyJob: true}, nil, "")

	checkpoint, err := store.Open(t.Context(), filepath.Join(dir, "out.zarr.zmigrate"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lock, err := journal.Acquire(t.Context(), checkpoint, journal.LockOptions{Owner: journal.ThisProcess("another run")})
	if err != nil {
		t.Fatal(err)
	}
	var held *journal.HeldError
	if _, err := verify.Verify(t.Context(), j, jobtest.Environment(), verify.Options{}); !errors.As(err, &held) {
		t.Errorf("%v while the target is being written", err)
	}
	if err := errors.Join(lock.Release(t.Context(), false), checkpoint.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestSample verifies parts of a target. The seed chooses them.
func TestSample(t *testing.T) {
	t.Parallel()
	j, dir := migrated(t)
	for key, data := range objectsOf(t, dir) {
		if !strings.HasSuffix(key, "zarr.json") {
			replace(t, dir, key, append(data[:len(data)-1:len(data)-1], ^data[len(data)-1]))
		}
	}
	chosen := map[string]bool{}
	for seed := range uint64(30) {
		a := verified(t, j, verify.Options{Sample: 0.3, Seed: seed})
		b := verified(t, j, verify.Options{Sample: 0.3, Seed: seed, Level: verify.Stored})
		if a.Count != b.Count || a.Read != a.Count || a.Read == a.Objects {
			t.Errorf("seed %d: %d and %d of %d objects", seed, a.Count, b.Count, a.Objects)
		}
		for _, d := range a.Differences {
			chosen[d.Key] = true
		}
	}
	if r := verified(t, j, verify.Options{Sample: 1e-9}); r.Read != 1 {
		t.Errorf("a very small sample has %d objects", r.Read)
	}
	if len(chosen) != 20 {
		t.Errorf("%d of 20 objects were chosen by any of 30 seeds", len(chosen))
	}
}

// TestSampleOfSource compares parts of each array with the source. What is announced is observed.
func TestSampleOfSource(t *testing.T) {
	t.Parallel()
	j, _ := migrated(t)
	all := verified(t, j, verify.Options{Level: verify.Source}).Elements
	different := map[int64]bool{}
	for _, sample := range []float64{1e-9, 0.5, 1} {
		for seed := range uint64(10) {
			var mu sync.Mutex
			var parts, seen []int64
			opt := verify.Options{Level: verify.Source, Sample: sample, Seed: seed, Begin: func(n int, bytes int64) {
				parts, seen = append(parts, int64(n), bytes), append(seen, 0, 0)
			}, Observe: func(bytes int64) {
				mu.Lock()
				defer mu.Unlock()
				seen[len(seen)-2]++
				seen[len(seen)-1] += bytes
			}}
			r := verified(t, j, opt)
			if again := verified(t, j, verify.Options{Level: verify.Source, Sample: sample, Seed: seed}); again.Elements != r.Elements {
				t.Errorf("the same seed compares %d and %d elements", r.Elements, again.Elements)
			}
			if len(parts) != 4 || !slices.Equal(parts[2:], seen[2:]) || sample == 1 && !slices.Equal(parts, seen) {
				t.Errorf("sample %g: announced %v, seen %v", sample, parts, seen)
			}
			if r.Count != 0 || len(r.Deviations) != 1 || r.Deviations[0].Elements == 0 || (r.Elements < all) != (sample < 1) {
				t.Errorf("sample %g: %d of %d elements, %+v", sample, r.Elements, all, r.Deviations)
			}
			different[r.Elements] = true
		}
	}
	if len(different) < 4 {
		t.Errorf("all seeds compare %v elements", different)
	}
}

// TestMemory refuses to decode objects that take more memory than the job allows, and reads
// objects in pieces whose checksums alone are compared.
func TestMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.raw"), make([]byte, 24<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	text := "zmigrate: 1\nsource: {driver: raw, arrays: {a: {url: f.raw, data_type: uint8, shape: [25165824]}}}\ntarget: {url: out.zarr, store_empty_chunks: true}\ndefaults: {chunks: [25165824], codecs: [bytes]}\n"
	begin(t, jobtest.Parse(t, dir, text), run.Options{})
	small := jobtest.Parse(t, dir, text+"run: {memory: 20MiB}\n")
	if _, err := verify.Verify(t.Context(), small, jobtest.Environment(), verify.Options{}); err == nil || !strings.Contains(err.Error(), "raise it") {
		t.Errorf("%v", err)
	}
	if r := verified(t, jobtest.Parse(t, dir, text+"run: {memory: 128MiB}\n"), verify.Options{}); r.Count != 0 || r.ByValues != 1 {
		t.Errorf("%+v", r)
	}
}
