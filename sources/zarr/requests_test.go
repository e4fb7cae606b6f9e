package zarr_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	documents "github.com/zmigrate/zmigrate/zarr"
)

// An array may have millions of chunks; Open asks for a few of them.
func TestIdentityIsCheap(t *testing.T) {
	p := newPlace(t, map[string]string{"zarr.json": v3(t, map[string]any{"shape": []int{1 << 20, 4096}})})
	src := open(t, url, p.options())
	p.taken()
	if _, err := src.Array(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	asked := p.taken()
	if len(asked) != 16 || !slices.Contains(asked, "stat c/0/0") || !slices.Contains(asked, "stat c/524287/1023") {
		t.Errorf("requests %q", asked)
	}
}

// The requests for regions: a chunk takes one request, an uncompressed chunk is read by
// rows, and a missing chunk is asked for twice.
func TestRequests(t *testing.T) {
	grid := func(rows, columns int) map[string]any {
		return map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{rows, columns}}}
	}
	const mib = 1 << 20
	p := newPlace(t, map[string]string{
		"zarr.json":        group,
		"small/zarr.json":  v3(t, nil),
		"small/c/0/0":      half,
		"large/zarr.json":  v3(t, map[string]any{"shape": []int{4, mib}, "chunk_grid": grid(4, mib/2)}),
		"large/c/0/0":      strings.Repeat("\x01", 4*mib/2),
		"packed/zarr.json": v3(t, map[string]any{"shape": []int{4, mib}, "chunk_grid": grid(4, mib/2), "codecs": []any{"bytes", "crc32c"}}),
	})
	src := open(t, url, p.options())
	for _, test := range []struct {
		array        string
		start, shape []int
		want         []string
		most         int // bytes read
	}{
		{"small", []int{0, 0}, []int{2, 4}, []string{"read small/c/0/0"}, 8},
		{"small", []int{1, 1}, []int{1, 2}, []string{"read small/c/0/0"}, 8},
		{"small", []int{1, 1}, []int{2, 2}, []string{"read small/c/0/0", "read small/c/1/0", "stat small/c/1/0"}, 8},
		{"large", []int{0, 0}, []int{4, mib / 2}, []string{"read large/c/0/0"}, 2 * mib},
		{"large", []int{1, 0}, []int{1, 1000}, []string{"stat large/c/0/0", "read large/c/0/0"}, 1000},
		{"large", []int{2, 0}, []int{1, 1000}, []string{"read large/c/0/0"}, 1000},
		{"large", []int{2, mib / 2}, []int{1, 1000}, []string{"stat large/c/0/1", "stat large/c/0/1"}, 0},
		{"large", []int{3, mib / 2}, []int{1, 1000}, nil, 0},
		{"packed", []int{3, 0}, []int{1, 1}, []string{"read packed/c/0/0", "stat packed/c/0/0"}, 0},
	} {
		a, err := src.Array(t.Context(), test.array)
		if err != nil {
			t.Fatal(err)
		}
		p.taken()
		if err := a.ReadRegion(t.Context(), ndarray.New(dtype.Uint8, test.shape), test.start); err != nil {
			t.Fatal(err)
		}
		got := p.taken()
		if test.array == "small" { // several chunks are read at once, in any order
			slices.Sort(got)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s at %v of shape %v: requests (-want +got):\n%s", test.array, test.start, test.shape, diff)
		}
	}
}

// Readers that want the same shard at the same time read its index once. Later readers
// do not read the index.
func TestRequestsOfShards(t *testing.T) {
	const n = 1 << 19
	inner := map[string]any{"chunk_shape": []int{1, n}, "codecs": []any{"bytes", "crc32c"}}
	text := v3(t, map[string]any{
		"shape": []int{16, n}, "codecs": []any{map[string]any{"name": "sharding_indexed", "configuration": inner}},
		"chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{16, n}}},
	})
	meta, err := documents.ParseArray([]byte(text), dtype.Standard())
	if err != nil {
		t.Fatal(err)
	}
	chain, err := standard.Registry(dtype.Standard()).Bind(meta.Codecs, codecs.Chunk{Type: meta.Type, Shape: meta.Grid.Chunk, Fill: meta.Fill})
	if err != nil {
		t.Fatal(err)
	}
	whole := ndarray.New(dtype.Uint8, []int{16, n})
	for i := range whole.Data {
		whole.Data[i] = byte(i/n) + 100
	}
	data, _, err := chain.Encode(&ndarray.Pool{}, whole)
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, map[string]string{"zarr.json": text, "c/0/0": string(data)})
	src := open(t, url, p.options())
	a, err := src.Array(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]int{{1, n}, {16, n}}, [][]int{a.Info().Chunks, a.Info().Shards}); diff != "" {
		t.Errorf("chunks and shards (-want +got):\n%s", diff)
	}
	p.taken()
	var readers sync.WaitGroup
	for i := range 16 {
		readers.Go(func() {
			got := ndarray.New(dtype.Uint8, []int{1, n})
			if err := a.ReadRegion(t.Context(), got, []int{i, 0}); err != nil || !ndarray.Uniform(got, dtype.Scalar{byte(i) + 100}) {
				t.Errorf("row %d differs (%v)", i, err)
			}
		})
	}
	readers.Wait()
	counts := map[string]int{}
	for _, request := range p.taken() {
		counts[request]++
	}
	if diff := cmp.Diff(map[string]int{"stat c/0/0": 1, "read c/0/0": 1 + 16}, counts); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if err := a.ReadRegion(t.Context(), ndarray.New(dtype.Uint8, []int{16, n}), []int{0, 0}); err != nil {
		t.Fatal(err)
	}
	// With eight inner chunks, a read would exceed 4 MiB a little.
	if reads := p.taken(); len(reads) != 3 {
		t.Errorf("requests for the whole shard: %q, want 3", reads)
	}
}
