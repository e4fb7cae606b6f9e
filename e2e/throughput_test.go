package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs"
)

// TestThroughputWithLatency compares runs from and to a server that answers after 20 ms
// with runs in which it answers at once. Concurrency makes up for the latency, within
// the same memory.
func TestThroughputWithLatency(t *testing.T) {
	if os.Getenv("ZMIGRATE_SPEED") == "" {
		t.Skip("it takes some minutes of a quiet machine: ZMIGRATE_SPEED=1 runs it")
	}
	const far = 20 * time.Millisecond
	b := serve(t)
	p := newProxy(t, b.endpoint, weather{})
	dir := fast(t)
	data := bytes.Repeat(smooth(256*256*256), 16) // 1 GiB, because the requests before the first chunk and after the last take the same time at any size
	write(t, dir, "data.bin", data)
	if err := b.open(t, "").Put(t.Context(), "data.bin", data); err != nil {
		t.Fatal(err)
	}
	program := build(t)
	raw := write(t, dir, "raw.yaml", []byte(`zmigrate: 1
source: {driver: raw, arrays: {a: {url: "${DATA}", data_type: float32, shape: [4096, 256, 256]}}}
target: {url: "${TARGET}"}
defaults: {codecs: [bytes]}
arrays: {a: {chunks: [8, 256, 256]}}
run: {requests: {per_second: 0}}
`))
	again := write(t, dir, "again.yaml", []byte(`zmigrate: 1
source: {driver: zarr, url: "${DATA}"}
target: {url: "${TARGET}"}
defaults: {codecs: [bytes, crc32c]}
run: {requests: {per_second: 0}}
`))
	migrate := func(t *testing.T, job, from, to, set string) time.Duration {
		t.Setenv("DATA", from)
		t.Setenv("TARGET", to)
		return command(t, program, "run", "--progress", "none", "--set", set, job)
	}
	const small, large = "arrays.a.chunks=[2,128,128]", "arrays.a.chunks=[8,256,256]" // 128 KiB, 2 MiB
	migrate(t, raw, "data.bin", b.url("small.zarr"), small)
	local := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		name      string
		job, data string
		from, to  func(string) string
		set       string
	}{
		{"small objects to the server", raw, "data.bin", local, p.url, small},
		{"objects to the server", raw, "data.bin", local, p.url, large},
		{"shards to the server", raw, "data.bin", local, p.url, "arrays.a.shards=[64,256,256]"}, // each has two parts
		{"one shard to the server", raw, "data.bin", local, p.url, "arrays.a.shards=[4096,256,256]"},
		{"ranges from the server", raw, "data.bin", p.url, local, large},
		{"small ranges from the server", raw, "data.bin", p.url, local, "arrays.a.chunks=[1024,16,16]"},
		{"small objects from the server", again, "small.zarr", p.url, local, large},
		{"from the server to the server", again, "small.zarr", p.url, p.url, small},
	} {
		t.Run(c.name, func(t *testing.T) {
			once := func(latency time.Duration) time.Duration {
				p.change(weather{latency: latency})
				defer remove(t, local("out.zarr"), local("out.zarr.zmigrate"))
				defer b.remove(t, "out.zarr")
				return migrate(t, c.job, c.from(c.data), c.to("out.zarr"), c.set)
			}
			var ratios []float64
			for range 3 {
				without, with := once(0), once(far)
				ratios = append(ratios, without.Seconds()/with.Seconds())
				t.Logf("%v without, %v with latency; %s", without.Round(time.Millisecond), with.Round(time.Millisecond), p.made())
			}
			slices.Sort(ratios)
			t.Logf("throughput with latency is %.2f of that without", ratios[1])
			if ratios[1] < 0.8 {
				t.Error("want at least 0.8")
			}
		})
	}
}

// TestRequestsOfASmallRun counts the requests of a run of one chunk to a bucket. Each
// request takes the latency of the network, and most requests wait for the one before.
func TestRequestsOfASmallRun(t *testing.T) {
	const most = 24
	b := serve(t)
	dir := fast(t)
	write(t, dir, "data.bin", smooth(8))
	job := write(t, dir, "one.yaml", fmt.Appendf(nil, `{zmigrate: 1, source: {driver: raw, arrays: {a: {url: data.bin, data_type: float32, shape: [8]}}}, target: {url: %q}}`, b.url("one.zarr")))
	result, err := migrate(t.Context(), job, environment(), jobs.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := result.Requests.Target.Requests; n > most || n < 10 {
		t.Errorf("%d requests, want at most %d; %v", n, most, b.counts)
	}
}

// TestOpeningManyArrays plans the migration of a hierarchy of two hundred arrays on a
// server that answers after 20 ms, with and without consolidated metadata. Most
// requests must be under way at the same time as others.
func TestOpeningManyArrays(t *testing.T) {
	const arrays, latency = 200, 20 * time.Millisecond
	b := serve(t)
	dir := fast(t)
	write(t, dir, "data.bin", smooth(8))
	var described strings.Builder
	for i := range arrays {
		fmt.Fprintf(&described, "    group%d/array%d: {url: data.bin, data_type: float32, shape: [8]}\n", i%7, i)
	}
	job := write(t, dir, "many.yaml", []byte("zmigrate: 1\nsource:\n  driver: raw\n  arrays:\n"+described.String()+"target: {url: out.zarr}\n"))
	for _, consolidated := range []bool{true, false} {
		t.Run(fmt.Sprintf("consolidated=%v", consolidated), func(t *testing.T) {
			from := fmt.Sprintf("many-%v.zarr", consolidated)
			if _, err := migrate(t.Context(), job, environment(), jobs.RunOptions{}, "target.url="+b.url(from), fmt.Sprintf("target.consolidated=%v", consolidated)); err != nil {
				t.Fatal(err)
			}
			p := newProxy(t, b.endpoint, weather{latency: latency})
			again := write(t, dir, "again.yaml", fmt.Appendf(nil, "{zmigrate: 1, source: {driver: zarr, url: %q}, target: {url: again.zarr}, run: {requests: {per_second: 0}}}", p.url(from)))
			j, err := jobs.Load(again, jobs.Environment{})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			plan, err := jobs.NewPlan(t.Context(), j, environment())
			took := time.Since(began)
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Close(); err != nil {
				t.Error(err)
			}
			alone := p.sequential()
			t.Logf("%v, %s, %d of them alone", took, p.made(), alone)
			if len(plan.Arrays) != arrays || alone > arrays/4 {
				t.Errorf("%d arrays, want %d; %d requests were made one after the other", len(plan.Arrays), arrays, alone)
			}
		})
	}
}

// remove empties all folders of the bucket whose names begin with the prefix.
func (b *bucket) remove(t *testing.T, prefix string) {
	t.Helper()
	s := b.open(t, "")
	var keys []string
	err := s.List(t.Context(), prefix, func(o store.Info) error {
		keys = append(keys, o.Key)
		return nil
	})
	for _, key := range keys {
		err = errors.Join(err, s.Delete(t.Context(), key))
	}
	if err != nil {
		t.Fatal(err)
	}
}
