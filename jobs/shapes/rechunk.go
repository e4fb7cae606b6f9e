package shapes

import (
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/stages"
)

// MaxChunks is the most objects that one array can have. A run holds a bit for each, which
// is 32 MiB at this bound.
const MaxChunks = 1 << 28

// Once returns a shape of chunks with which each source chunk is decoded only once in so many
// bytes of memory. It halves the chunks of the task, always along the dimension in which a
// chunk spans the most source chunks, until that is so. source is the shape of the source's
// chunks. Once returns nil for shards, and if it finds no such shape.
func Once(task stages.Task, source []int, memory int64, registry *codecs.Registry) []int {
	if _, sharded := task.Chain.Shards(); sharded {
		return nil
	}
	in, specs := task.Chain.Chunk(), task.Chain.Specs()
	chunk := slices.Clone(in.Shape)
	spans := func(dim int) float64 { return float64(chunk[dim]) / float64(source[dim]) }
	for {
		longest := 0
		for dim := range chunk {
			if spans(dim) > spans(longest) {
				longest = dim
			}
		}
		if len(chunk) == 0 || spans(longest) <= 1 {
			return nil
		}
		chunk[longest] = (chunk[longest] + 1) / 2
		in.Shape = slices.Clone(chunk)
		chain, err := registry.Bind(specs, in)
		if err != nil {
			return nil // the codecs are for other shapes
		}
		task.Grid.Chunk, task.Chain = in.Shape, chain
		if task.Grid.Len() > MaxChunks {
			return nil
		}
		if least, ok := task.DecodeOnce(); ok && int64(least) <= memory {
			return in.Shape
		}
	}
}
