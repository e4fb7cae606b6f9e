package zarr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestDivide checks that the parts of a part cover each of its elements once, and that each lies
// in one box.
func TestDivide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		box := []int{1 + r.IntN(4), 1 + r.IntN(4)}
		p := part{start: []int{r.IntN(9), r.IntN(9)}, at: ndarray.Region{Start: []int{r.IntN(5), r.IntN(5)}, Shape: []int{1 + r.IntN(9), 1 + r.IntN(9)}}}
		seen := map[[2]int]int{}
		for _, one := range p.divide(box) {
			for k, n := range box {
				if one.start[k]/n != (one.start[k]+one.at.Shape[k]-1)/n {
					t.Fatalf("boxes of %v: the part %v lies in several", box, one)
				}
				if one.start[k]-one.at.Start[k] != p.start[k]-p.at.Start[k] {
					t.Fatalf("boxes of %v: the part %v of %v is elsewhere", box, one, p)
				}
			}
			for i := range one.at.Shape[0] {
				for j := range one.at.Shape[1] {
					seen[[2]int{one.at.Start[0] + i - p.at.Start[0], one.at.Start[1] + j - p.at.Start[1]}]++
				}
			}
		}
		for i := range p.at.Shape[0] {
			for j := range p.at.Shape[1] {
				if seen[[2]int{i, j}] != 1 {
					t.Fatalf("boxes of %v: element %d, %d of %v is in %d parts", box, i, j, p, seen[[2]int{i, j}])
				}
			}
		}
		if n := p.at.Shape[0] * p.at.Shape[1]; len(seen) != n {
			t.Fatalf("boxes of %v: %d elements of %d", box, len(seen), n)
		}
	}
}

// TestParallel reads regions of shards of several boxes, one of which is missing and one of which
// lacks inner chunks, several parts at once.
func TestParallel(t *testing.T) {
	const rows, columns = 24, 1 << 19
	inner := json.RawMessage(fmt.Sprintf(`{"chunk_shape":[2,%d],"codecs":["bytes"]}`, columns/2))
	in := codecs.Chunk{Type: dtype.Uint8, Shape: []int{rows, columns}, Fill: dtype.Scalar{7}}
	objects := map[string]string{"zarr.json": fmt.Sprintf(`{"zarr_format":3,"node_type":"array","shape":[%d,%d],"data_type":"uint8","fill_value":7,
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[%d,%d]}},"chunk_key_encoding":{"name":"default"},
		"codecs":[{"name":"sharding_indexed","configuration":%s}]}`, rows, 3*columns-1000, rows, columns, inner)}
	s := memorySource(t, objects, Options{})
	chain, err := s.codecs.Bind([]codecs.Spec{{Name: "sharding_indexed", Configuration: inner}}, in)
	if err != nil {
		t.Fatal(err)
	}
	whole := ndarray.New(in.Type, []int{rows, 3 * columns})
	ndarray.Fill(whole, in.Fill)
	for _, shard := range []int{0, 2} {
		part := whole.Sub(ndarray.Region{Start: []int{0, shard * columns}, Shape: in.Shape})
		for i := range rows {
			if i == 4 || i == 5 {
				continue
			}
			row := part.Sub(ndarray.Region{Start: []int{i, 0}, Shape: []int{1, columns}})
			ndarray.Fill(row.Sub(ndarray.Region{Start: []int{0, i}, Shape: []int{1, columns - 2*i}}), dtype.Scalar{byte(100 + i + shard)})
		}
		data, _, err := chain.Encode(&ndarray.Pool{}, part)
		if err != nil {
			t.Fatal(err)
		}
		objects[fmt.Sprintf("c/0/%d", shard)] = string(data)
	}
	const parallel = 3
	array := func(options Options) *array {
		a, err := memorySource(t, objects, options).Array(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return a.(storedArray).array
	}
	a := array(Options{Parallel: parallel})
	if got, want := a.Info().Memory, parallel*array(Options{Parallel: 1}).Info().Memory; got != want || slices.Equal(a.box, in.Shape) || a.box == nil {
		t.Errorf("boxes of shape %v, memory of %d, want %d", a.box, got, want)
	}
	for _, r := range []ndarray.Region{
		{Start: []int{0, 0}, Shape: a.Info().Shape},
		{Start: []int{0, 0}, Shape: in.Shape},
		{Start: []int{3, columns - 10}, Shape: []int{18, columns + 20}},
		{Start: []int{5, columns / 2}, Shape: []int{1, 1}},
	} {
		got, want := ndarray.New(in.Type, r.Shape), ndarray.New(in.Type, r.Shape)
		if err := a.ReadRegion(t.Context(), got, r.Start); err != nil {
			t.Fatal(err)
		}
		if ndarray.Copy(want, whole.Sub(r)); !bytes.Equal(got.Data, want.Data) {
			t.Errorf("the region at %v of shape %v differs", r.Start, r.Shape)
		}
	}
}
