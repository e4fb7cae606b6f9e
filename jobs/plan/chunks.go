package plan

import (
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// chunks returns the shape of chunks, or of inner chunks if there are shards. It takes the
// shape from the job or the source, or chooses one.
func (b *builder) chunks(t dtype.Type) []int {
	c := b.options.Chunks
	keeps := c.Keep || !c.Auto && (b.keepsChunks() || b.options.Codecs.Keep)
	switch {
	case c.Shape != nil:
		return c.Shape
	case keeps && b.info.Chunks != nil:
		return b.info.Chunks
	case b.options.Access != "":
		return b.accessChunks(t)
	}
	earlier := b.earlierChunks(t)
	chosen := earlier
	if b.options.Shards == nil && !b.earlier {
		chosen = b.autoChunks(t)
	}
	b.chose = b.chose || !slices.Equal(chosen, earlier)
	return chosen
}

// earlierChunks returns the chunks that earlier versions of this program chose, which did
// not look at the chunks of the source.
func (b *builder) earlierChunks(t dtype.Type) []int {
	if b.options.Chunks.Auto || b.info.Chunks == nil {
		return zarr.AutoChunks(b.info.Shape, b.options.Shards, zarr.ItemBytes(t, b.info.ItemBytes))
	}
	return b.info.Chunks
}

// autoChunks chooses chunks by the shape of the array and by the chunks of the source. A
// coordinate of one dimension is one chunk, because readers load all of it at once.
func (b *builder) autoChunks(t dtype.Type) []int {
	size, units := zarr.ItemBytes(t, b.info.ItemBytes), b.units()
	if len(b.info.Shape) == 1 && (b.coordinate || isCoordinate(b.array.Info())) {
		n := max(b.info.Shape[0], 1)
		if units != nil {
			n = max(n, units[0])
		}
		if n <= zarr.MostAutoBytes/size {
			return []int{n}
		}
	}
	return b.shaped(b.info.Shape, nil, units, size)
}

// accessChunks chooses chunks for the access that the job names, also within shards.
func (b *builder) accessChunks(t dtype.Type) []int {
	shards := b.options.Shards
	if shards == nil {
		return b.autoChunks(t)
	}
	return b.within(shards, zarr.ItemBytes(t, b.info.ItemBytes))
}

// within chooses the shape of chunks that a shard holds.
func (b *builder) within(shard []int, size int) []int {
	if b.options.Access == "" {
		return zarr.AutoChunks(shard, shard, size)
	}
	chunk := b.shaped(shard, nil, nil, size)
	for i, n := range shard {
		chunk[i] = zarr.DivisorNear(n, chunk[i])
	}
	return chunk
}

// shaped chooses a shape of chunks for an array of the given shape, and for the access that
// the job names, if any. given, units and size are those of [zarr.AutoChunksWith].
func (b *builder) shaped(shape, given, units []int, size int) []int {
	if b.options.Access == "" {
		return zarr.AutoChunksWith(shape, given, units, size)
	}
	time := slices.IndexFunc(b.array.Info().DimensionNames, func(name string) bool { return b.times[name] })
	return zarr.AccessChunks(b.options.Access, time, shape, given, units, size)
}

// units returns the extents of the source's chunks, of which chosen chunks are multiples;
// nil: there are none. Along the dimension by which files are joined, the unit is 1 if each
// file is one chunk long: such a chunk says nothing but the length of the file.
func (b *builder) units() []int {
	if b.info.Chunks == nil {
		return nil
	}
	units := slices.Clone(b.info.Chunks)
	concat := b.plan.Job.Source.Concat
	if i := slices.Index(b.array.Info().DimensionNames, concat); concat != "" && i >= 0 {
		if b.plan.fileCount == 0 {
			for range b.plan.source.Files() {
				b.plan.fileCount++
			}
		}
		if n := b.plan.fileCount; n > 1 && units[i] >= (b.info.Shape[i]+n-1)/n {
			units[i] = 1
		}
	}
	return units
}

// unitsWithin returns units for arrays without shards. For chunks within shards it returns
// nil, because shards need not be multiples of the source's chunks.
func (b *builder) unitsWithin(shards []int) []int {
	if shards != nil || b.options.Shards != nil || b.earlier {
		return nil
	}
	return b.units()
}

// keepsChunks reports whether the source's chunks are the default.
func (b *builder) keepsChunks() bool { return b.plan.Job.Driver().Codecs == sources.CodecsByDefault }
