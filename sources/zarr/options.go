package zarr

import (
	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
)

// Options are the settings of Open. The zero value is usable.
type Options struct {
	Store  store.Options
	Codecs *codecs.Registry // known codecs, and with them the data types; nil: the standard ones
	// Drivers are the known formats, for the error about a file of another one; nil:
	// none.
	Drivers sources.Drivers
	// CF says, by the path of an array, what becomes of its packed values, whether they are
	// packed by attributes or by the codec fixedscaleoffset. nil: packed values are kept.
	// The attributes of v2 are kept then, too. Otherwise the attribute _FillValue of v2
	// arrays is set to what marks missing data in v3.
	CF func(path string) cf.Mode
	// Kept says, by the path of an array and the data type that its readers see,
	// whether the target keeps its codecs. The source then leaves out scale_offset and
	// cast_value in front, and reports them in Info.Packing. nil: elements are the
	// values that readers see.
	Kept func(path string, t dtype.Type) bool
	// NGFF changes OME-NGFF metadata of version 0.4 to those of 0.5, which is for Zarr v3. The
	// arrays of images get the names of the axes as names of their dimensions.
	NGFF bool
	// AllChunks makes a missing chunk an error that wraps ErrMissingChunk; otherwise
	// the chunk holds the fill value. An array cannot be opened if a chunk is missing.
	// Inner chunks of shards may be missing.
	AllChunks bool
	// Parallel is how many parts of a region one call of ReadRegion reads and decodes at the
	// same time: chunks, or boxes of whole inner chunks of up to some MiB if the chunks are
	// shards. Zero suits callers that make many calls at the same time: one part from a local
	// store, and from a remote one as many as fit into 16 MiB, at most eight. The Memory of an
	// array's Info grows with Parallel. Elements of variable size are read one part after the
	// other, whatever Parallel is.
	Parallel int
	// Follow says to which files a table of references may refer. A folder that is a URL with a
	// query also says how the files below it are read.
	Follow sources.Following
	// Resident counts the memory for tables of references and for what is read by them; nil:
	// it is not counted.
	Resident *sources.Resident
}
