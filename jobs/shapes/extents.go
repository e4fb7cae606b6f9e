package shapes

import (
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// SkipOtherRanks drops shapes of chunks and shards that come from the defaults and have
// another number of dimensions than the array. The notes say so.
func (c *Chooser) SkipOtherRanks() (notes []string) {
	o, rank := c.Options, len(c.Info.Shape)
	if shape := o.Chunks.Shape; shape != nil && o.FromDefaults.Chunks && len(shape) != rank {
		notes = append(notes, fmt.Sprintf("chunks: %v of the defaults is for arrays of %d dimensions, this array has %d and follows its own rule", shape, len(shape), rank))
		o.Chunks = jobfile.Chunks{Auto: o.Access != ""}
	}
	if s := o.Shards; s != nil && o.FromDefaults.Shards && len(s) != rank {
		notes = append(notes, fmt.Sprintf("shards: %v of the defaults is for arrays of %d dimensions, this array has %d and gets none", s, len(s), rank))
		o.Shards = nil
	}
	return notes
}

// dimensionExtents returns the extents that the job gives by the names of dimensions, in
// the source or in the target. 0 stands for auto, and -1 for a dimension that the job
// does not name. dimensionExtents returns nil if the job names no dimension of the array.
func (c *Chooser) dimensionExtents(by jobfile.Extents) []int {
	if len(by) == 0 {
		return nil
	}
	own, target := c.Source.DimensionNames, c.Info.DimensionNames
	if c.Options.DimensionNames != nil {
		target = jobfile.Names(c.Options.DimensionNames)
	}
	list, found := make([]int, len(c.Info.Shape)), false
	for i := range list {
		list[i] = -1
		if named := by.Named(c.Job.ExtentNames(own, target, i)); named != nil {
			list[i], found = named[0].Elements, true
		}
	}
	if !found {
		return nil
	}
	return list
}

// Follow gives dimensions that the job does not name, or leaves to auto, the
// extents that the chunks and shards of an existing array have.
func (c *Chooser) Follow(existing *sources.Info) {
	o := c.Options
	fill := func(by jobfile.Extents, from []int) []int {
		list := c.dimensionExtents(by)
		if list == nil || len(list) != len(from) {
			return nil
		}
		for i, n := range list {
			if n <= 0 {
				list[i] = from[i]
			}
		}
		return list
	}
	if o.Chunks.By != nil {
		o.Chunks = jobfile.Chunks{Shape: fill(o.Chunks.By, existing.Chunks)}
	}
	if o.ShardsBy != nil {
		shards := existing.Shards
		if shards == nil {
			shards = existing.Chunks // agrees then reports that the target has no shards
		}
		o.Shards, o.ShardsBy = fill(o.ShardsBy, shards), nil
	}
}

// Extents turns extents by the names of dimensions into shapes. Along dimensions that
// the job does not name, the chunks have the source's extents if these are kept, and
// otherwise those that auto chooses; shards are one chunk wide.
func (c *Chooser) Extents(t dtype.Type) {
	o := c.Options
	size := zarr.ItemBytes(t, c.Info.ItemBytes)
	chunks, shards := c.dimensionExtents(o.Chunks.By), c.dimensionExtents(o.ShardsBy)
	if o.Chunks.By != nil {
		o.Chunks = jobfile.Chunks{}
	}
	o.ShardsBy = nil
	if chunks == nil && shards == nil {
		return
	}
	if chunks == nil {
		chunks = slices.Repeat([]int{-1}, len(c.Info.Shape))
		if o.Chunks.Shape != nil && len(o.Chunks.Shape) == len(chunks) {
			copy(chunks, o.Chunks.Shape)
		}
	}
	whole := slices.Clone(c.Info.Shape) // the shape that chunks divide: of shards, or of the array
	for i := range chunks {
		switch {
		case chunks[i] == -1 && !o.Chunks.Auto && o.Access == "" && c.keepsChunks() && c.Info.Chunks != nil:
			chunks[i] = c.Info.Chunks[i]
		case chunks[i] == -1:
			chunks[i] = 0
		}
		if shards != nil && shards[i] > 0 {
			whole[i] = shards[i]
		} else if o.Shards != nil && len(o.Shards) == len(chunks) {
			whole[i] = o.Shards[i]
		}
	}
	chunk := c.shaped(whole, chunks, c.unitsWithin(shards), size)
	for i := range chunk {
		if chunks[i] == 0 && (shards != nil && shards[i] > 0 || o.Shards != nil && len(o.Shards) == len(chunks)) {
			chunk[i] = zarr.DivisorNear(whole[i], chunk[i])
		}
		if shards != nil && shards[i] == -1 {
			shards[i] = chunk[i]
		}
	}
	o.Chunks = jobfile.Chunks{Shape: chunk}
	if shards != nil {
		o.Shards = shards
	}
}
