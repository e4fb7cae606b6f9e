package run

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/stages"
)

// valuesOf returns the digest of the values of the array g/v.
func valuesOf(t *testing.T, dir string) digest.Optional {
	t.Helper()
	array, values := readArray(t, filepath.Join(dir, "out.zarr"), "g/v", jobtest.Environment())
	whole := ndarray.New(dtype.Float32, array.Grid.Shape)
	to, _ := ndarray.As[float32](whole)
	copy(to, values)
	return digest.Optional{Sum: digest.Of(whole, []int{0, 0}), Known: true}
}

// TestDigestOfAllRows appends rows. The record has the digest of all rows, however the last
// chunk of a run is filled, and also if a run was interrupted.
func TestDigestOfAllRows(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	stop := make(chan struct{})
	close(stop)
	for _, n := range []night{{0, 3}, {3, 1}, {4, 5}, {9, 2}} {
		if n.first > 3 {
			if _, err := execute(t, n.job(t, dir), env, Options{Stop: stop}); !errors.Is(err, stages.ErrStopped) {
				t.Fatal(err)
			}
		}
		result, err := execute(t, n.job(t, dir), env, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range result.ByArray {
			if !a.Digest.Known {
				t.Errorf("%+v: no digest of array %d", n, i)
			}
		}
		if want := valuesOf(t, dir); result.ByArray[1].Digest != want {
			t.Errorf("%+v: %+v, want the digest %v", n, result.ByArray, want)
		}
	}
}

// TestDigestOfForeignRows appends rows to a target whose checkpoint is gone or has no digests,
// or to which somebody else has appended. The digest of all rows is not known, then and later.
func TestDigestOfForeignRows(t *testing.T) {
	elsewhere := []string{"existing: append, append: time}", "existing: append, append: time}\nrun: {checkpoint: {url: elsewhere}}"}
	for name, between := range map[string]func(t *testing.T, dir string){
		"the checkpoint is gone": func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, "out.zarr.zmigrate")); err != nil {
				t.Fatal(err)
			}
		},
		"an earlier version has made the record": func(t *testing.T, dir string) {
			name := filepath.Join(dir, "out.zarr.zmigrate", "done.json")
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text = regexp.MustCompile(`,"digest":"[0-9a-f]{16}"}`).ReplaceAll(text, []byte("}"))
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"another job appends": func(t *testing.T, dir string) {
			if _, err := execute(t, night{4, 2}.job(t, dir, elsewhere...), jobtest.Environment(), Options{}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), jobtest.Environment()
			if _, err := execute(t, night{0, 4}.job(t, dir), env, Options{}); err != nil {
				t.Fatal(err)
			}
			between(t, dir)
			stop := make(chan struct{})
			close(stop)
			first := 4
			if name == "another job appends" {
				first = 6
			}
			for _, n := range []night{{first, 1}, {first + 1, 3}} {
				if _, err := execute(t, n.job(t, dir), env, Options{Stop: stop}); !errors.Is(err, stages.ErrStopped) {
					t.Fatal(err)
				}
				result, err := execute(t, n.job(t, dir), env, Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range result.ByArray {
					if a.Digest.Known {
						t.Errorf("%+v: %+v", n, result.ByArray)
					}
				}
			}
		})
	}
}

// TestDigestOfEmptyChunks has chunks that are not stored. They count as fill values.
func TestDigestOfEmptyChunks(t *testing.T) {
	for name, job := range map[string]string{
		"all chunks are looked at": "}\ntarget: {url: out, store_empty_chunks: true}\nrun: {path: decode}",
		"few are stored":           "}\ntarget: {url: out}\nrun: {path: decode}",
		"carried through":          "}\ntarget: {url: out}\nrun: {digest: all}",
	} {
		t.Run(name, func(t *testing.T) {
			const n = 1500
			whole := ndarray.New(dtype.Float64, []int{2*n - 1})
			values, _ := ndarray.As[float64](whole)
			for i := range values {
				values[i] = 7
			}
			copy(values[2:], []float64{5, 6})
			values[2*n-2] = 5
			result, err := execute(t, sparseZarr(t, n, "7", job), jobtest.Environment(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := digest.Optional{Sum: digest.Of(whole, []int{0}), Known: true}
			if diff := cmp.Diff(want, result.ByArray[0].Digest); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("none are taken", func(t *testing.T) {
		result, err := execute(t, sparseZarr(t, 4, "7", "}\ntarget: {url: out}\nrun: {path: decode, digest: none}"), jobtest.Environment(), Options{})
		if err != nil || result.ByArray[0].Digest.Known {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

// TestDigestAttributeOfTheLastRun appends rows to arrays that have the digests of their values
// as an attribute, and each append changes it. A chunk of the last append is lost afterwards,
// and a repair writes it again.
func TestDigestAttributeOfTheLastRun(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	edit := []string{"append: time}", "append: time, digest_attribute: true}"}
	for _, n := range []night{{0, 3}, {3, 1}, {4, 5}} {
		if _, err := execute(t, n.job(t, dir, edit...), env, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	lost := filepath.Join(dir, "out.zarr", "g", "v", "c", "2", "0")
	was, err := os.ReadFile(lost)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(lost); err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, night{4, 5}.job(t, dir, edit...), env, Options{Repair: []string{"g/v/c/2/0"}}); err != nil {
		t.Fatal(err)
	}
	if is, err := os.ReadFile(lost); err != nil || !bytes.Equal(is, was) {
		t.Errorf("%x, %v, want %x", is, err, was)
	}
}

// TestDigestOfEmptyShards has shards that are not stored, and a lossy codec in the others. The
// fill values count as that codec makes them.
func TestDigestOfEmptyShards(t *testing.T) {
	dir := t.TempDir()
	var data []byte
	whole := ndarray.New(dtype.Float32, []int{16})
	rounded, _ := ndarray.As[float32](whole)
	for i := range rounded {
		v := float32(0)
		if i >= 8 {
			v, rounded[i] = 1.3, 1.3125
		}
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	if err := os.WriteFile(filepath.Join(dir, "v.raw"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	j := jobtest.Parse(t, dir, `
zmigrate: 1
source: {driver: raw, arrays: {v: {url: v.raw, data_type: float32, shape: [16]}}}
target: {url: out.zarr}
arrays: {v: {chunks: [2], shards: [8], codecs: [{numcodecs.quantize: {digits: 1}}, bytes]}}
`)
	result, err := execute(t, j, jobtest.Environment(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := digest.Optional{Sum: digest.Of(whole, []int{0}), Known: true, Behind: 1}
	if got := result.ByArray[0].Digest; got != want || result.Empty != 1 {
		t.Errorf("%+v, %d empty, want %+v", got, result.Empty, want)
	}
}
