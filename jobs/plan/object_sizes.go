package plan

import (
	"fmt"
	"strings"

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

// judgeObjects warns of an array that is stored in very many small objects, because each
// takes a request. It also warns of objects so large that readers of a few elements have
// to wait.
func (b *builder) judgeObjects(a *Array) {
	if a.Existing != nil || a.Meta.Grid.Runs != nil {
		return // the chunks cannot be chosen, or have several sizes
	}
	chunk, shape := a.Meta.Grid.Chunk, a.Meta.Grid.Shape
	size := zarr.ItemBytes(a.Chain.Chunk().Type, b.info.ItemBytes)
	bytes := func(extents []int) float64 {
		n := float64(size)
		for _, extent := range extents {
			n *= float64(extent)
		}
		return n
	}
	objects := a.Chunks()
	sharded := a.Chain.Container() != ""
	field := "chunks"
	if b.options.Shards != nil {
		field = "shards"
	}
	switch average := bytes(shape) / float64(max(objects, 1)); {
	case objects > manyObjects && average < smallObject:
		hint := ""
		if !sharded || b.options.Shards != nil {
			hint = field + ": " + listed(b.shaped(shape, nil, chunk, size))
		}
		b.warn(field, smallObjects, fmt.Sprintf("%d objects of %s on average: each takes a request to write and to read", objects, shortly(average)), hint)
	case !sharded && bytes(chunk) > largeObject:
		inner := b.within(chunk, size)
		b.warn(field, largeObjects, fmt.Sprintf("one object holds %.0f MiB of elements, which a reader of one element reads and decodes", bytes(chunk)/(1<<20)),
			fmt.Sprintf("chunks: %s, and shards: %s to keep the number of objects", listed(inner), listed(chunk)))
	}
}

func (b *builder) warn(field, code, message, hint string) {
	p := b.plan.Job.Problem(b.field+"."+field, fmt.Sprintf("array %q: %s", b.info.Path, message), hint)
	p.Warning, p.Code = true, code
	b.problems = append(b.problems, p)
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
