package plan

import (
	"path"
	"reflect"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/jobs/target"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Array is one array of a plan.
type Array struct {
	Source string      // path in the source
	Target string      // path in the target
	Type   dtype.Type  // of the source's elements
	Meta   *zarr.Array // the document that will be written
	// Grid is the grid of the objects that are written. For a new array, it is the grid
	// of Meta. If rows are appended, it begins with the first object that gets a new row.
	Grid *zarr.Grid
	// Append says what is appended to an existing array. nil: the array is new.
	Append *Append
	Chain  *codecs.Chain
	// Reason says why the source's objects are not carried through. "": they are.
	Reason string
	*Reading
	// Notes state decisions: where the fill value is from, what could not be kept as it
	// was.
	Notes []string

	array    sources.Array
	stored   sources.Stored   // the source's objects, if they are carried through; otherwise nil
	Existing *target.Existing // the array that the target already holds; nil: the array is new
}

// Reading says how an array is read, and what its elements mean. Arrays for which all of
// this is the same share one.
type Reading struct {
	// Block is the shape of a block in chunks: the chunks of a block are read together.
	// nil: the objects are carried through.
	Block []int
	// AtOnce is how many chunks of a block are encoded at the same time. 0: all.
	AtOnce int
	// Layer is the chain of a layer, if the chunks of a block are written layer by layer.
	// nil: each chunk is encoded whole.
	Layer *codecs.Chain
	// Decodes is how many times a source chunk is decoded, over all source chunks.
	// SourceChunks is how many source chunks there are. Both are 0 if the source stores no
	// chunks.
	Decodes, SourceChunks int
	// DecodeOnce is the least run.memory with which each source chunk is decoded only
	// once. 0: that is so already, or no memory is enough.
	DecodeOnce int
	// OnceChunks is a shape of chunks, smaller than those of Meta. With it, each source
	// chunk would be decoded only once in the present run.memory. nil: no such shape is
	// known or needed.
	OnceChunks []int
	// Cost is the most bytes in flight for one block.
	Cost int

	convert sources.Converter // converts the source's elements; nil: they keep their type
	meaning int               // codecs in front of Meta's chain that say what packed elements mean; Chain is without them
	// removed are attributes that give values their meaning, and that the job removes.
	removed zarr.Attributes
	rebased string // the units to which times were brought; "": none were
}

// Append says how an existing array grows.
type Append struct {
	Dimension string // the dimension along which the array grows
	Axis      int    // index of that dimension
	Rows      int    // number of rows that the target already holds
	// Undigested is set if the checkpoint does not have the digests of some of these rows.
	Undigested bool
	New        int // number of incoming rows
	// Rewritten is how many of the objects to be written also hold rows that the target
	// already holds.
	Rewritten int

	place sinks.Placement // of the chunks of the plan
}

// Place says where the chunks of the array are stored in the target. For a new array it is
// the zero value.
func (a *Array) Place() sinks.Placement {
	if a.Append == nil {
		return sinks.Placement{}
	}
	return a.Append.place
}

// Key returns the key of a unit's object in the target.
func (a *Array) Key(unit int) string {
	return path.Join(a.Target, a.Place().Key(a.Grid.Index(unit)))
}

// share takes what is equal in another array from there, to save memory: thousands of
// arrays are mostly read in the same way, and have the same notes.
func (a *Array) share(other *Array) {
	if reflect.DeepEqual(a.Reading, other.Reading) {
		a.Reading = other.Reading
	}
	if slices.Equal(a.Notes, other.Notes) {
		a.Notes = slices.Clip(other.Notes) // each may get notes of its own
	}
}

// Chunks returns the number of units. It includes units that hold only the fill value, for
// which no object is stored.
func (a *Array) Chunks() int { return a.Grid.Len() }

// Bytes returns the size of the elements in these units, with the source's data type.
func (a *Array) Bytes() int64 {
	n, _ := ndarray.Bytes(a.Type, a.Grid.Shape)
	return int64(n)
}

// Sparse returns the array of the source if it knows which of its regions are stored.
// Otherwise it returns nil.
func (a *Array) Sparse() sources.Sparse { return sources.AsSparse(a.array) }

// elements returns the array of the source, with elements of the type that the chain takes.
func (a *Array) elements() sources.Array {
	if a.convert == nil {
		return a.array
	}
	return sources.Converted(a.array, a.convert, a.Chain.Chunk().Type)
}

// Losses lists what values lose on their way to the target: by the conversion to another
// data type, and by the codecs. Objects that are carried through lose nothing.
func (a *Array) Losses() []codecs.Loss {
	var list []codecs.Loss
	if a.stored != nil {
		return nil
	}
	if convert, ok := a.convert.(codecs.Lossy); ok {
		for _, l := range convert.Losses() {
			l.Name = "data_type"
			list = append(list, l)
		}
	}
	return append(list, a.Chain.Losses()...)
}
