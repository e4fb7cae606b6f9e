package stages

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

func keyOf(x Task, unit int) string { return zarr.KeyEncoding{}.Key(x.Grid.Index(unit)) }

// sample draws a task: a shape of up to four dimensions, chunks that may be
// larger than the array, a block, a chain, and patches of fill value.
func sample(t *testing.T, r *rand.Rand) (*memorySource, Task, *memoryWriter) {
	rank := r.IntN(5)
	shape, chunk, block := make([]int, rank), make([]int, rank), make([]int, rank)
	for i := range rank {
		shape[i], chunk[i], block[i] = 1+r.IntN(12), 1+r.IntN(6), 1+r.IntN(4)
	}
	s := counted(shape...)
	for range r.IntN(4) {
		patch := ndarray.Region{Start: make([]int, rank), Shape: make([]int, rank)}
		for i := range rank {
			patch.Start[i] = r.IntN(shape[i])
			patch.Shape[i] = 1 + r.IntN(shape[i]-patch.Start[i])
		}
		ndarray.Fill(s.array.Sub(patch), fillValue)
	}
	x, w := task(t, s, chunk...)
	chains := [][]string{
		{"bytes"}, {"transpose", "bytes"}, {"bytes", "zstd"}, {"bytes", "crc32c"},
		{"transpose", "bytes", "gzip"}, {"transpose", "bytes", "zstd", "crc32c"},
	}
	x.Chain = bind(t, chunk, chains[r.IntN(len(chains))]...)
	if r.IntN(3) > 0 {
		x.Block = block
	}
	x.KeepEmpty = r.IntN(2) == 0
	x.AtOnce = r.IntN(5)
	if rank > 0 && r.IntN(2) == 0 {
		inShards(t, r, &x)
	}
	return s, x, w
}

// inLayers makes a task write its chunks layer by layer, if the chain allows it. The last
// dimensions of a layer are the chunk's, and blocks have several chunks along these.
func inLayers(r *rand.Rand, x *Task) {
	chunk := x.Chain.Chunk().Shape
	rank := len(chunk)
	if _, ok := x.Chain.Layer(chunk); !ok || rank == 0 {
		return
	}
	dim := r.IntN(rank)
	divided := divisors(chunk[dim])
	shape := layerShape(chunk, dim, divided[r.IntN(len(divided))])
	x.Layer, _ = x.Chain.Layer(shape)
	x.Block = ones(rank)
	for i, n := range shape {
		if n == chunk[i] {
			x.Block[i] = 1 + r.IntN(4)
		}
	}
}

// inShards makes the chunks of a task inner chunks of shards, sometimes of transposed
// ones.
func inShards(t *testing.T, r *rand.Rand, x *Task) {
	t.Helper()
	inner := x.Chain
	var specs []codecs.Spec
	if r.IntN(3) == 0 {
		order := r.Perm(len(x.Grid.Chunk))
		specs = []codecs.Spec{{Name: "transpose", Configuration: fmt.Appendf(nil, `{"order":[%s]}`, join(order))}}
		cell := inner.Chunk()
		cell.Shape = nil
		for _, from := range order {
			cell.Shape = append(cell.Shape, x.Grid.Chunk[from])
		}
		var err error
		if inner, err = standard.Registry(dtype.Standard()).Bind(inner.Specs(), cell); err != nil {
			t.Fatal(err)
		}
	}
	spec, err := standard.Sharding(inner)
	if err != nil {
		t.Fatal(err)
	}
	if r.IntN(3) == 0 {
		spec.Configuration = append(spec.Configuration[:len(spec.Configuration)-1], `,"index_location":"start"}`...)
	}
	in := x.Chain.Chunk()
	in.Shape = slices.Clone(in.Shape)
	x.Block = ones(len(in.Shape))
	open := true // the next dimension, from the last one on, may be longer than one
	for i := range slices.Backward(in.Shape) {
		n := 1 + r.IntN(4)
		in.Shape[i] *= n
		if open {
			x.Block[i] = 1 + r.IntN(n)
			open = x.Block[i] == n
		}
	}
	if x.Chain, err = standard.Registry(dtype.Standard()).Bind(append(specs, spec), in); err != nil {
		t.Fatal(err)
	}
	x.Grid.Chunk = in.Shape
}

// narrowing is a [sources.Converter] of int64 elements to those of 16 bits.
type narrowing struct{}

func (narrowing) Encode(dst, src ndarray.Array) error {
	wide := ndarray.New(src.Type, src.Shape)
	ndarray.Copy(wide, src)
	to := ndarray.New(dst.Type, dst.Shape)
	for i := range to.Len() {
		binary.NativeEndian.PutUint16(to.Data[2*i:], uint16(binary.NativeEndian.Uint64(wide.Data[8*i:])))
	}
	ndarray.Copy(dst, to)
	return nil
}

// widened makes a source of 16-bit elements one of int64 elements, which differ in their
// upper bits.
func widened(s *memorySource) *memorySource {
	wide := &memorySource{info: s.info, array: ndarray.New(dtype.Int64, s.array.Shape)}
	wide.info.Type = dtype.Int64
	for i := range wide.array.Len() {
		v := uint64(i)<<16 | uint64(binary.NativeEndian.Uint16(s.array.Data[2*i:]))
		binary.NativeEndian.PutUint64(wide.array.Data[8*i:], v)
	}
	return wide
}

// TestObjectsAreTheSame runs random tasks twice: one unit after the other, and with
// random workers, budgets, blocks and numbers of cells that are encoded at once. Some
// sources have to be converted, and some chunks are written layer by layer. The objects are
// the same, and each decodes to the elements of the source.
func TestObjectsAreTheSame(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 3))
			s, x, w := sample(t, r)
			plain, alone := x, &memoryWriter{}
			plain.Block, plain.Writer, plain.Stream = nil, alone, alone.stream
			var l, lAlone ledger
			c := config(&lAlone)
			c.Read, c.Encode, c.Write = 1, 1, 1
			if err := Run(t.Context(), c, List{plain}); err != nil {
				t.Fatal(err)
			}
			c = config(&l)
			c.Read, c.Encode, c.Write = 1+r.IntN(8), 1+r.IntN(8), 1+r.IntN(8)
			if r.IntN(3) == 0 {
				x.Source, x.Convert = widened(s), narrowing{}
			} else if r.IntN(2) == 0 {
				inLayers(r, &x)
			}
			c.Memory = x.Cost() + r.IntN(4)*r.IntN(x.Cost())
			if err := Run(t.Context(), c, List{x}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(alone.objects, w.objects); diff != "" {
				t.Errorf("objects (-one at a time +together):\n%s", diff)
			}
			if n := w.open.Load() + alone.open.Load(); n != 0 {
				t.Errorf("%d streams were not ended", n)
			}
			if diff := cmp.Diff(lAlone.units(0), l.units(0)); diff != "" {
				t.Errorf("committed units (-one at a time +together):\n%s", diff)
			}
			checkDecoded(t, s, x, w)
		})
	}
}

func checkDecoded(t *testing.T, s *memorySource, x Task, w *memoryWriter) {
	t.Helper()
	var pool ndarray.Pool
	empty := slices.Repeat(fillValue, ndarray.New(x.Chain.Chunk().Type, x.Grid.Chunk).Len())
	for unit := range x.Grid.Len() {
		want := chunkOf(s, x.Grid, x.Grid.Index(unit))
		data, stored := w.objects[keyOf(x, unit)]
		if !stored {
			if x.KeepEmpty || !slices.Equal(want, empty) {
				t.Errorf("chunk %v is missing", x.Grid.Index(unit))
			}
			continue
		}
		got := ndarray.New(x.Chain.Chunk().Type, x.Grid.Chunk)
		if err := x.Chain.Decode(&pool, got, data); err != nil {
			t.Errorf("chunk %v: %v", x.Grid.Index(unit), err)
		} else if !slices.Equal(want, got.Data) {
			t.Errorf("chunk %v (-want +got):\n%s", x.Grid.Index(unit), cmp.Diff(want, got.Data))
		}
	}
}
