package shapes

import (
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/zarr"
)

// Bounds of the findings about objects, in bytes of elements.
const (
	manyObjects = 1000
	smallObject = 256 << 10
	largeObject = 512 << 20
)

// Codes of findings about objects.
const (
	smallObjects = "small-objects"
	largeObjects = "large-objects"
)

// Judge warns of an array that is stored in very many small objects, because each takes a
// request. It also warns of objects so large that readers of a few elements have to wait. The
// warning is for a field of the options of the array. Without a warning, its code is "". chain
// is that of the planned array, and grid its grid.
func (c *Chooser) Judge(chain *codecs.Chain, grid *zarr.Grid) (field string, warning cf.Finding) {
	if grid.Runs != nil {
		return "", warning // the chunks have several sizes
	}
	chunk, shape := grid.Chunk, grid.Shape
	size := zarr.ItemBytes(chain.Chunk().Type, c.Info.ItemBytes)
	bytes := func(extents []int) float64 {
		n := float64(size)
		for _, extent := range extents {
			n *= float64(extent)
		}
		return n
	}
	objects := grid.Len()
	sharded := chain.Container() != ""
	field = "chunks"
	if c.Options.Shards != nil {
		field = "shards"
	}
	switch average := bytes(shape) / float64(max(objects, 1)); {
	case objects > manyObjects && average < smallObject:
		warning = cf.Finding{Code: smallObjects, Message: fmt.Sprintf("%d objects of %s on average: each takes a request to write and to read", objects, shortly(average))}
		if !sharded || c.Options.Shards != nil {
			warning.Hint = field + ": " + listed(c.shaped(shape, nil, chunk, size))
		}
	case !sharded && bytes(chunk) > largeObject:
		warning = cf.Finding{
			Code:    largeObjects,
			Message: fmt.Sprintf("one object holds %s of elements, which a reader of one element reads and decodes", words.Size(int64(bytes(chunk)))),
			Hint:    fmt.Sprintf("chunks: %s, and shards: %s to keep the number of objects", listed(c.within(chunk, size)), listed(chunk)),
		}
	}
	return field, warning
}

// largeShard is the size, in bytes of elements, from which on a note says that an interrupted
// shard is begun anew.
const largeShard = 256 << 20

// ShardNotes says what the shards of an array cost: memory, if shards can only be encoded
// whole, and time, if a run ends in the middle of a large shard. carried says that the shards
// are carried through.
func ShardNotes(meta *zarr.Array, chain *codecs.Chain, carried bool) (notes []string) {
	container := chain.Container()
	if container == "" {
		return nil
	}
	n, _ := ndarray.Bytes(meta.Type, meta.Grid.Chunk)
	if _, ok := chain.InnerChunks(); !ok && !carried {
		notes = append(notes, fmt.Sprintf("shards are encoded whole, %s each, because of the codecs around %s", words.Size(int64(n)), container))
	}
	if n >= largeShard {
		notes = append(notes, fmt.Sprintf("each shard holds %s of elements: one that is in work when a run is killed is begun anew", words.Size(int64(n))))
	}
	return notes
}

// listed spells a shape as a list of a job file.
func listed(shape []int) string {
	return strings.ReplaceAll(fmt.Sprint(shape), " ", ", ")
}

// shortly spells a number of bytes below one MiB.
func shortly(n float64) string {
	if n < 1024 {
		return fmt.Sprintf("%.0f B", n)
	}
	return fmt.Sprintf("%.0f KiB", n/1024)
}
