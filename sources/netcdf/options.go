package netcdf

import (
	"sync"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// Options are the settings of Open. The zero value is usable.
type Options struct {
	Store store.Options
	// Combine says how several files become one source.
	Combine combine.Options
	// CF says, by the path of a variable, what becomes of its packed values. nil: they
	// are kept. See [sources.Packed].
	CF func(path string) cf.Mode
	// Kept says, by the path of a variable, whether its stored chunks are wanted, see
	// [sources.Stored]; they are available if all filters are codecs. nil: for no variable.
	// The chunk index of such a variable is read when the variable is opened.
	Kept func(path string) bool
	// Follow says to which files HDF5 files may refer.
	Follow sources.Following
	// Fields makes an array of each member of compounds. Otherwise compounds are structs.
	Fields bool
	// SkipReferences leaves references of HDF5 out. Otherwise they are the paths of their
	// objects.
	SkipReferences bool
	// Pieces, if not nil, cuts variables without chunks into pieces, see [sources.Pieces].
	Pieces *sources.Pieces
	// Resident counts the memory for the offsets of sequences; nil: it is not counted.
	Resident *sources.Resident
	// Codecs are the known codecs; nil: the standard ones.
	Codecs *codecs.Registry
	// Drivers are the known formats, for the error about a file of another one; nil:
	// none.
	Drivers sources.Drivers
}

// source is what the files of a source share.
type source struct {
	cf             func(path string) cf.Mode
	kept           func(path string) bool
	chains         *codecs.Chains
	drivers        sources.Drivers
	scratch        *ndarray.Pool
	shared         *hdf5.Shared
	follow         sources.Following
	fields         bool // see Options.Fields
	skipReferences bool // see Options.SkipReferences
	pieces         *sources.Pieces
	resident       *sources.Resident
	files          *sources.FileSet

	mu     sync.Mutex                          // guards what follows
	opened map[[2]*sources.OpenFile]*hdf5.File // HDF5 files to which others refer, by the home and the file
	places map[*hdf5.File]*sources.OpenFile    // the files of opened
}
