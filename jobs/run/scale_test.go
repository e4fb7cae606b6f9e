package run

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/zarr"
)

// smallArray is the document of an array of one chunk, without its long name.
const smallArray = `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32",
	"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},
	"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},
	"fill_value":0,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],
	"attributes":{"units":"m","long_name":%q},"dimension_names":["x"]}`

// consolidated is the document of a group with these entries of consolidated metadata.
func consolidated(nodes []string) string {
	return fmt.Sprintf(`{"zarr_format":3,"node_type":"group","attributes":{},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{%s}}}`,
		strings.Join(nodes, ","))
}

// manyArrays returns a job over a Zarr v3 hierarchy with consolidated metadata. The
// hierarchy has an array of one chunk at each of the given paths.
func manyArrays(t *testing.T, paths []string) *jobfile.Job {
	t.Helper()
	dir := t.TempDir()
	const group = `{"zarr_format":3,"node_type":"group","attributes":{}}`
	var nodes []string
	for _, p := range zarr.Parents(paths)[1:] {
		nodes = append(nodes, fmt.Sprintf("%q:%s", p, group))
	}
	for i, p := range paths {
		nodes = append(nodes, fmt.Sprintf("%q:%s", p, fmt.Sprintf(smallArray, fmt.Sprint("array ", i))))
		chunk := filepath.Join(dir, "in", filepath.FromSlash(p), "c", "0")
		if err := os.MkdirAll(filepath.Dir(chunk), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(chunk, bytes.Repeat([]byte{byte(i + 1)}, 16), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "in", "zarr.json"), []byte(consolidated(nodes)), 0o600); err != nil {
		t.Fatal(err)
	}
	j := jobtest.Parse(t, dir, "zmigrate: 1\nsource: {driver: zarr, url: in}\ntarget: {url: out}\n")
	return j
}

func flat(n int) (paths []string) {
	for i := range n {
		paths = append(paths, fmt.Sprintf("a%05d", i))
	}
	return paths
}

// nested are paths of arrays, one in each of groups within each other.
func nested(n int) (paths []string) {
	group := ""
	for range n {
		group += "g/"
		paths = append(paths, group+"x")
	}
	return paths
}

// allocations counts those of a function.
func allocations(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.Mallocs - before.Mallocs)
}

// Twice as many arrays take at most twice the work, in groups side by side or within each
// other. The work for each array is bounded, too. That holds for a plan, for a run, and for
// a run with nothing to do.
func TestManyArraysAreLinear(t *testing.T) {
	type work struct{ plan, run, again, record int }
	measure := func(paths []string) (w work) {
		j, env := manyArrays(t, paths), jobtest.Environment()
		w.plan = allocations(func() {
			p, err := plan.New(t.Context(), j, env)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
		run := func(nothing bool) int {
			return allocations(func() {
				if result, err := execute(t, j, env, Options{}); err != nil || result.Nothing != nothing {
					t.Fatalf("%+v, %v", result, err)
				}
			})
		}
		w.run, w.again = run(false), run(true)
		info, err := os.Stat(j.Target.URL + ".zmigrate/done.json")
		if err != nil {
			t.Fatal(err)
		}
		w.record = int(info.Size())
		return w
	}
	measure(flat(10)) // what is made once
	for name, test := range map[string]struct {
		paths func(n int) []string
		n     int
		most  work // of one array
	}{
		"flat":   {flat, 150, work{plan: 450, run: 800, again: 550, record: 200}},
		"nested": {nested, 50, work{plan: 600, run: 1000, again: 700, record: 700}},
	} {
		one, two := measure(test.paths(test.n)), measure(test.paths(2*test.n))
		t.Logf("%s: %+v, and twice as many %+v", name, one, two)
		for what, n := range map[string][3]int{
			"allocations of a plan": {one.plan, two.plan, test.most.plan}, "allocations of a run": {one.run, two.run, test.most.run},
			"allocations to find nothing to do": {one.again, two.again, test.most.again}, "bytes of the record": {one.record, two.record, test.most.record},
		} {
			// The paths of a deep hierarchy are themselves longer, the deeper it is.
			if ratio := float64(n[1]) / float64(n[0]); ratio > 2.5 && (name == "flat" || what != "bytes of the record") {
				t.Errorf("%s: %s: %d, and %d for twice as many arrays: %.2f times", name, what, n[0], n[1], ratio)
			}
			if bytes := what == "bytes of the record"; n[1] > 2*test.n*n[2] && (bytes || !underRace) {
				t.Errorf("%s: %s: %d for %d arrays, want at most %d for one", name, what, n[1], 2*test.n, n[2])
			}
		}
	}
}

// The memory and the requests that a plan takes for each further array are bounded: for a
// hierarchy of v3, whose consolidated metadata have the documents, and for one of v2, whose
// documents are read one by one.
func TestMemoryOfPlan(t *testing.T) {
	live := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	for name, test := range map[string]struct {
		write    func(put func(key, text string), n int)
		most     int // bytes of an array
		requests int // for an array
	}{
		"v3": {writeConsolidated, 1300, 1},
		"v2": {writeV2, 1500, 6},
	} {
		t.Run(name, func(t *testing.T) {
			measure := func(n int) (bytes, requests int) {
				t.Helper()
				env := jobtest.Environment()
				env.Memory = &store.Memory{}
				s, err := store.Open(t.Context(), "mem://bucket/in", env.Stores(nil))
				if err != nil {
					t.Fatal(err)
				}
				test.write(func(key, text string) {
					if err := s.Put(t.Context(), key, []byte(text)); err != nil {
						t.Fatal(err)
					}
				}, n)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				var made atomic.Int64
				env.Fault = func(string, string) error { made.Add(1); return nil }
				j := jobtest.Parse(t, t.TempDir(), "zmigrate: 1\nsource: {driver: zarr, url: \"mem://bucket/in\"}\ntarget: {url: out}\n")
				j.Run.PerSecond = 0
				before := live()
				p, err := plan.New(t.Context(), j, env)
				if err != nil {
					t.Fatal(err)
				}
				bytes = live() - before
				if len(p.Arrays) != n {
					t.Errorf("%d arrays, want %d", len(p.Arrays), n)
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
				runtime.KeepAlive(env.Memory)
				return bytes, int(made.Load())
			}
			const n = 1000
			measure(10) // what is made once
			bytes, requests := measure(n)
			twice, more := measure(2 * n)
			each, asks := (twice-bytes)/n, float64(more-requests)/n
			t.Logf("%d bytes and %.3f requests for each further array", each, asks)
			if each > test.most || asks > float64(test.requests)+0.01 {
				t.Errorf("want at most %d bytes and %d requests", test.most, test.requests)
			}
		})
	}
}

// writeConsolidated writes a hierarchy of n arrays of v3, all in consolidated metadata.
func writeConsolidated(put func(key, text string), n int) {
	var nodes []string
	for i, p := range flat(n) {
		nodes = append(nodes, fmt.Sprintf("%q:%s", p, fmt.Sprintf(smallArray, fmt.Sprint("array ", i))))
	}
	put("zarr.json", consolidated(nodes))
}

// writeV2 writes a hierarchy of n arrays of v2, without consolidated metadata.
func writeV2(put func(key, text string), n int) {
	put(".zgroup", `{"zarr_format":2}`)
	for i, p := range flat(n) {
		put(p+"/.zarray", `{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"<i4","compressor":null,"filters":null,"order":"C","fill_value":0}`)
		put(p+"/.zattrs", fmt.Sprintf(`{"units":"m","long_name":"array %d","_ARRAY_DIMENSIONS":["x"]}`, i))
	}
}
