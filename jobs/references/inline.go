package references

import (
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/zarr"
)

const (
	// mostInline bounds the bytes of the elements of an array that is in the table.
	mostInline = 1 << 20
	// smallArray and smallChunk are the bytes up to which an array is in the table although
	// its chunks could be referred to: a request takes longer than reading as many bytes.
	smallArray = 1 << 10
	smallChunk = 512
)

// bounds are the bytes up to which arrays are in the table: mostInline, smallArray and smallChunk,
// except in tests.
type bounds struct{ most, array, chunk int }

// small reports whether an array of that many bytes, in that many chunks, is in the table although
// its chunks could be referred to.
func (b bounds) small(bytes, chunks int) bool {
	return bytes <= b.array || bytes <= b.most && chunks > 1 && bytes/chunks < b.chunk
}

// inlined returns the metadata of an array whose elements are in the table: one chunk, without
// compression.
func inlined(meta zarr.Array) zarr.Array {
	shape := slices.Clone(meta.Grid.Shape)
	for k, n := range shape {
		shape[k] = max(n, 1)
	}
	meta.Grid.Chunk = shape
	meta.Codecs = standard.DefaultChain(meta.Type)[:1]
	return meta
}

// elements returns the elements of an array, encoded as the chunk that inlined describes. It
// returns nil if there are none.
func elements(ctx context.Context, p *plan.Plan, a *plan.Array, registry *codecs.Registry) ([]byte, error) {
	meta := inlined(*a.Meta)
	if slices.Contains(meta.Grid.Shape, 0) {
		return nil, nil
	}
	chain, err := registry.Bind(meta.Codecs, codecs.Chunk{Type: meta.Type, Shape: meta.Grid.Chunk, Fill: meta.Fill})
	if err != nil {
		return nil, err
	}
	source := p.Task(a).Source
	values := ndarray.New(source.Info().Type, meta.Grid.Chunk)
	if values.Heap != nil {
		values.Heap.Account = codecs.NewAccount(mostInline, "a table of references, for one array,")
	}
	if err := source.ReadRegion(ctx, values, make([]int, len(meta.Grid.Shape))); err != nil {
		return nil, err
	}
	if err := values.Heap.Err(); err != nil {
		return nil, err
	}
	values.Type = meta.Type // the same bytes, perhaps under another name
	data, err := chain.AppendEncode(&ndarray.Pool{}, nil, values)
	if err == nil && len(data) > 2*mostInline {
		err = fmt.Errorf("its elements take %s, more than a table may hold", words.Size(int64(len(data))))
	}
	return data, err
}
