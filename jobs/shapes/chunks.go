package shapes

import (
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Chooser chooses the shapes of the chunks and shards of one array.
type Chooser struct {
	Job     *jobfile.Job
	Options *jobfile.ArrayOptions // of the array; Extents, Follow and SkipOtherRanks change them
	// Source describes the array of the source. Info describes it with the names that its
	// dimensions get in the target.
	Source, Info *sources.Info
	Coordinate   bool            // another array names this one as a coordinate
	Times        map[string]bool // the dimensions whose coordinates are times of CF
	Earlier      bool            // choose chunks as earlier versions of this program did
	Files        func() int      // counts the files of the source
}

// Chunks returns the shape of chunks, or of inner chunks if there are shards. It takes the
// shape from the job or the source, or chooses one. differs is set if earlier versions of this
// program chose another one.
func (c *Chooser) Chunks(t dtype.Type) (shape []int, differs bool) {
	o := c.Options.Chunks
	keeps := o.Keep || !o.Auto && (c.keepsChunks() || c.Options.Codecs.Keep)
	switch {
	case o.Shape != nil:
		return o.Shape, false
	case keeps && c.Info.Chunks != nil:
		return c.Info.Chunks, false
	case c.Options.Access != "":
		return c.accessChunks(t), false
	}
	earlier := c.earlierChunks(t)
	chosen := earlier
	if c.Options.Shards == nil && !c.Earlier {
		chosen = c.autoChunks(t)
	}
	return chosen, !slices.Equal(chosen, earlier)
}

// earlierChunks returns the chunks that earlier versions of this program chose, which did
// not look at the chunks of the source.
func (c *Chooser) earlierChunks(t dtype.Type) []int {
	if c.Options.Chunks.Auto || c.Info.Chunks == nil {
		return zarr.AutoChunks(c.Info.Shape, c.Options.Shards, zarr.ItemBytes(t, c.Info.ItemBytes))
	}
	return c.Info.Chunks
}

// autoChunks chooses chunks by the shape of the array and by the chunks of the source. A
// coordinate of one dimension is one chunk, because readers load all of it at once.
func (c *Chooser) autoChunks(t dtype.Type) []int {
	size, units := zarr.ItemBytes(t, c.Info.ItemBytes), c.units()
	if len(c.Info.Shape) == 1 && (c.Coordinate || slices.Equal(c.Source.DimensionNames, []string{path.Base(c.Source.Path)})) {
		n := max(c.Info.Shape[0], 1)
		if units != nil {
			n = max(n, units[0])
		}
		if n <= zarr.MostAutoBytes/size {
			return []int{n}
		}
	}
	return c.shaped(c.Info.Shape, nil, units, size)
}

// accessChunks chooses chunks for the access that the job names, also within shards.
func (c *Chooser) accessChunks(t dtype.Type) []int {
	shards := c.Options.Shards
	if shards == nil {
		return c.autoChunks(t)
	}
	return c.within(shards, zarr.ItemBytes(t, c.Info.ItemBytes))
}

// within chooses the shape of chunks that a shard holds.
func (c *Chooser) within(shard []int, size int) []int {
	if c.Options.Access == "" {
		return zarr.AutoChunks(shard, shard, size)
	}
	chunk := c.shaped(shard, nil, nil, size)
	for i, n := range shard {
		chunk[i] = zarr.DivisorNear(n, chunk[i])
	}
	return chunk
}

// shaped chooses a shape of chunks for an array of the given shape, and for the access that
// the job names, if any. given, units and size are those of [zarr.AutoChunksWith].
func (c *Chooser) shaped(shape, given, units []int, size int) []int {
	if c.Options.Access == "" {
		return zarr.AutoChunksWith(shape, given, units, size)
	}
	time := slices.IndexFunc(c.Source.DimensionNames, func(name string) bool { return c.Times[name] })
	return zarr.AccessChunks(c.Options.Access, time, shape, given, units, size)
}

// units returns the extents of the source's chunks, of which chosen chunks are multiples;
// nil: there are none. Along the dimension by which files are joined, the unit is 1 if each
// file is one chunk long: such a chunk says nothing but the length of the file.
func (c *Chooser) units() []int {
	if c.Info.Chunks == nil {
		return nil
	}
	units := slices.Clone(c.Info.Chunks)
	concat := c.Job.Source.Concat
	if i := slices.Index(c.Source.DimensionNames, concat); concat != "" && i >= 0 {
		if n := c.Files(); n > 1 && units[i] >= (c.Info.Shape[i]+n-1)/n {
			units[i] = 1
		}
	}
	return units
}

// unitsWithin returns units for arrays without shards. For chunks within shards it returns
// nil, because shards need not be multiples of the source's chunks.
func (c *Chooser) unitsWithin(shards []int) []int {
	if shards != nil || c.Options.Shards != nil || c.Earlier {
		return nil
	}
	return c.units()
}

// keepsChunks reports whether the source's chunks are the default.
func (c *Chooser) keepsChunks() bool { return c.Job.Driver().Codecs == sources.CodecsByDefault }
