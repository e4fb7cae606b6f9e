package stages

import (
	"context"
	"errors"
	"hash/crc32"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/zarr"
)

func TestRunDoesEveryUnitOnce(t *testing.T) {
	noLeaks(t)
	shapes := []struct {
		shape, chunk, block []int
	}{
		{[]int{}, []int{}, nil},
		{[]int{0}, []int{4}, nil},
		{[]int{5, 0, 3}, []int{2, 2, 2}, []int{1, 1, 2}},
		{[]int{7}, []int{1}, nil},
		{[]int{20, 30}, []int{4, 7}, nil},
		{[]int{20, 30}, []int{4, 7}, []int{2, 3}},
		{[]int{9, 8, 7}, []int{2, 3, 4}, []int{3, 1, 2}},
		{[]int{9, 8, 7}, []int{2, 3, 4}, []int{5, 3, 2}}, // the whole array at once
	}
	var tasks []Task
	var writers []*memoryWriter
	for _, s := range shapes {
		x, w := task(t, counted(s.shape...), s.chunk...)
		x.Block = s.block
		tasks, writers = append(tasks, x), append(writers, w)
	}
	var l ledger
	var seen atomic.Int64
	c := config(&l)
	c.Observe = func(e Event) { seen.Add(e.Read) }
	if err := Run(t.Context(), c, List(tasks)); err != nil {
		t.Fatal(err)
	}
	elements := 0
	for i, x := range tasks {
		n := x.Grid.Len()
		var all []int
		for unit := range n {
			all = append(all, unit)
		}
		if diff := cmp.Diff(all, l.units(i)); diff != "" {
			t.Errorf("shape %v: committed units (-want +got):\n%s", shapes[i].shape, diff)
		}
		for key, times := range writers[i].puts {
			if times != 1 {
				t.Errorf("shape %v: %s was put %d times", shapes[i].shape, key, times)
			}
		}
		if len(writers[i].objects) != n {
			t.Errorf("shape %v: %d objects, want %d", shapes[i].shape, len(writers[i].objects), n)
		}
		size, _ := ndarray.Elements(shapes[i].shape)
		elements += size
	}
	for _, r := range l.receipts {
		key := zarr.KeyEncoding{}.Key(tasks[r.Array].Grid.Index(r.Unit))
		data := writers[r.Array].objects[key]
		want := sinks.Receipt{Array: r.Array, Unit: r.Unit, Key: key, Bytes: int64(len(data)), Sum: crc32.ChecksumIEEE(data)}
		if r != want {
			t.Errorf("receipt %+v, want %+v", r, want)
		}
	}
	if got := seen.Load(); got != int64(2*elements) {
		t.Errorf("observed %d bytes of elements, want %d", got, 2*elements)
	}
}

func TestEdgesArePaddedWithTheFillValue(t *testing.T) {
	for _, test := range []struct {
		name                string
		shape, chunk, block []int
	}{
		{"2-D", []int{5, 7}, []int{2, 3}, nil},
		{"2-D, chunk larger than the array", []int{3, 2}, []int{5, 4}, nil},
		{"2-D, blocks over the edge", []int{5, 7}, []int{2, 3}, []int{2, 2}},
		{"3-D", []int{3, 4, 5}, []int{2, 3, 2}, nil},
		{"3-D, blocks over all edges", []int{3, 4, 5}, []int{2, 3, 2}, []int{2, 2, 3}},
		{"3-D, blocks along the middle", []int{5, 7, 3}, []int{1, 2, 2}, []int{1, 4, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := counted(test.shape...)
			x, w := task(t, s, test.chunk...)
			x.Block = test.block
			var l ledger
			if err := Run(t.Context(), config(&l), List{x}); err != nil {
				t.Fatal(err)
			}
			for unit := range x.Grid.Len() {
				index := x.Grid.Index(unit)
				if diff := cmp.Diff(little(chunkOf(s, x.Grid, index)), w.objects[zarr.KeyEncoding{}.Key(index)]); diff != "" {
					t.Errorf("chunk %v (-want +got):\n%s", index, diff)
				}
			}
		})
	}
}

// TestEdgesArePaddedWithNeighbours has a codec that asks for the nearest value. Chunks
// without elements of the array still hold the fill value, and are not stored.
func TestEdgesArePaddedWithNeighbours(t *testing.T) {
	// Lossy by its mode, and exact all the same for integers of 16 bits.
	const zfp = `{"name":"zfp","configuration":{"mode":"fixed_precision","precision":64}}`
	chain := func(shard []int) *codecs.Chain {
		spec := codecs.Spec{Name: "sharding_indexed", Configuration: []byte(`{"chunk_shape":[3,4],"codecs":[` + zfp + `]}`)}
		if shard == nil {
			shard, spec = []int{3, 4}, codecs.Spec{Name: "zfp", Configuration: []byte(`{"mode":"fixed_precision","precision":64}`)}
		}
		c, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec}, codecs.Chunk{Type: dtype.Uint16, Shape: shard, Fill: fillValue})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, test := range []struct {
		name         string
		shard, block []int
		convert      bool
	}{
		{"chunks", nil, nil, false},
		{"blocks", nil, []int{2, 2}, false},
		{"shards", []int{9, 16}, nil, false},
		{"blocks in shards", []int{9, 16}, []int{2, 4}, false},
		{"converted", []int{9, 16}, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := counted(10, 22)
			x, w := task(t, s, 3, 4)
			x.Chain, x.Block = chain(test.shard), test.block
			x.Grid.Chunk = x.Chain.Chunk().Shape
			if test.convert {
				x.Source, x.Convert = widened(s), narrowing{}
			}
			var l ledger
			if err := Run(t.Context(), config(&l), List{x}); err != nil {
				t.Fatal(err)
			}
			var pool ndarray.Pool
			for unit := range x.Grid.Len() {
				index := x.Grid.Index(unit)
				got := ndarray.New(dtype.Uint16, x.Grid.Chunk)
				if err := x.Chain.Decode(&pool, got, w.objects[zarr.KeyEncoding{}.Key(index)]); err != nil {
					t.Fatal(err)
				}
				values, _ := ndarray.As[uint16](got)
				for k, v := range values {
					row, column := index[0]*x.Grid.Chunk[0]+k/x.Grid.Chunk[1], index[1]*x.Grid.Chunk[1]+k%x.Grid.Chunk[1]
					want := uint16(min(row, 9)*22 + min(column, 21) + 1)
					if row >= 12 || column >= 24 { // beyond the last inner chunks of the array
						want = 0xfefe
					}
					if v != want {
						t.Fatalf("chunk %v: element [%d %d] is %d, want %d", index, row, column, v, want)
					}
				}
			}
		})
	}
}

func TestUniformChunks(t *testing.T) {
	s := counted(4, 6)
	for _, chunk := range []ndarray.Region{
		{Start: []int{0, 0}, Shape: []int{2, 4}}, // chunk 0 0
		{Start: []int{2, 4}, Shape: []int{2, 2}}, // chunk 1 1, as far as it is in the array
	} {
		ndarray.Fill(s.array.Sub(chunk), fillValue)
	}
	for _, test := range []struct {
		keep bool
		want []string
	}{
		{false, []string{"c/0/1", "c/1/0"}},
		{true, []string{"c/0/0", "c/0/1", "c/1/0", "c/1/1"}},
	} {
		x, w := task(t, s, 2, 4)
		x.KeepEmpty = test.keep
		var l ledger
		if err := Run(t.Context(), config(&l), List{x}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, w.keys()); diff != "" {
			t.Errorf("keep %v: objects (-want +got):\n%s", test.keep, diff)
		}
		if diff := cmp.Diff([]int{0, 1, 2, 3}, l.units(0)); diff != "" {
			t.Errorf("keep %v: committed (-want +got):\n%s", test.keep, diff)
		}
		for _, r := range l.receipts {
			if _, stored := w.objects[zarr.KeyEncoding{}.Key(x.Grid.Index(r.Unit))]; stored == r.Empty || r.Empty && r.Bytes != 0 {
				t.Errorf("keep %v: receipt %+v, stored: %v", test.keep, r, stored)
			}
		}
	}
}

func TestDoneUnitsAreSkipped(t *testing.T) {
	for _, block := range [][]int{nil, {2, 2}} {
		s := counted(6, 6)
		x, w := task(t, s, 2, 2)
		x.Block = block
		x.Done = func(unit int) bool { return unit%2 == 0 || unit < 3 }
		var l ledger
		if err := Run(t.Context(), config(&l), List{x}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int{3, 5, 7}, l.units(0)); diff != "" {
			t.Errorf("block %v: committed (-want +got):\n%s", block, diff)
		}
		if diff := cmp.Diff([]string{"c/1/0", "c/1/2", "c/2/1"}, w.keys()); diff != "" {
			t.Errorf("block %v: objects (-want +got):\n%s", block, diff)
		}
	}
}

func TestStopFinishesWhatWasBegun(t *testing.T) {
	for _, at := range []int{0, 1, 5, 63} {
		noLeaks(t)
		s := counted(64, 8)
		x, w := task(t, s, 1, 8)
		stop := make(chan struct{})
		if at == 0 {
			close(stop)
		}
		var begun, puts atomic.Int64
		s.before = func(context.Context, []int) error {
			begun.Add(1)
			return nil
		}
		w.after = func([]int) {
			if puts.Add(1) == int64(at) {
				close(stop)
			}
		}
		var l ledger
		c := config(&l)
		c.Stop = stop
		c.Memory = 4 * x.Cost()
		err := Run(t.Context(), c, List{x})
		done := len(l.units(0))
		if done < 64 && !errors.Is(err, ErrStopped) || done == 64 && err != nil {
			t.Errorf("stopped at %d: %d of 64 units, error %v", at, done, err)
		}
		if begun.Load() != int64(done) || len(w.objects) != done {
			t.Errorf("stopped at %d: %d units begun, %d stored, %d committed", at, begun.Load(), len(w.objects), done)
		}
		if buffer, _, _ := x.cost(1); done > at+c.Memory/buffer { // blocks that the budget had admitted
			t.Errorf("stopped at %d: went on to %d", at, done)
		}
	}
}

// TestTypeUnderAnotherName: the source's type has another name than the chain's, and the
// same bytes. The source is read with its own type.
func TestTypeUnderAnotherName(t *testing.T) {
	s := counted(5, 7)
	s.info.Type, s.array.Type = dtype.Int16, dtype.Int16
	x, w := task(t, s, 2, 3)
	var l ledger
	if err := Run(t.Context(), config(&l), List{x}); err != nil {
		t.Fatal(err)
	}
	checkDecoded(t, s, x, w)
}
