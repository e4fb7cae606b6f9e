package plan

import (
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// largeShard is the size, in bytes of elements, from which on a note says that an interrupted
// shard is begun anew.
const largeShard = 256 << 20

// noteShards notes what the shards of an array cost: memory, if shards can only be encoded
// whole, and time, if a run ends in the middle of a large shard.
func (b *builder) noteShards(a *Array) {
	container := a.Chain.Container()
	if container == "" {
		return
	}
	n, _ := ndarray.Bytes(a.Meta.Type, a.Meta.Grid.Chunk)
	if _, ok := a.Chain.InnerChunks(); !ok && a.stored == nil {
		b.note("shards are encoded whole, %d bytes each, because of the codecs around %s", n, container)
	}
	if n >= largeShard {
		b.note("each shard holds %d bytes of elements: one that is in work when a run is killed is begun anew", n)
	}
}
