package sources

import (
	"context"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/zarr"
)

// Driver describes a format, or a family of formats, and opens its files. Everything that
// the program knows about a format is in its Driver. No other code asks for a driver by
// its name.
type Driver struct {
	Name    string   // in source.driver of a job
	Aliases []string // other names that a job may use, which mean the same
	Title   string   // what Inspect calls the format, unless the source is [Outlined]

	// Signatures are the first bytes of files of the format.
	Signatures []Signature
	// Detect says how sure the driver is that it can read what is at a place. If it is
	// not certain, a matching signature makes the driver certain. nil: only the
	// signatures count.
	Detect func(ctx context.Context, p *Probe) Confidence
	// Expand returns the URLs of what a location of a job names, in the order of reading.
	// nil: a location is a file, or a glob of files; see [store.Glob].
	Expand func(ctx context.Context, location string, opt store.Options) ([]string, error)
	// Open opens a source. The caller closes it.
	Open func(ctx context.Context, r Request) (Source, error)

	Traits
}

// Traits are what jobs must know about a driver before they open a source. The zero value
// suits a format whose files hold arrays with attributes, and no chunks that a target
// could keep as they are stored.
type Traits struct {
	// Declared: the files hold nothing but elements. The job describes the arrays, in
	// source.arrays, and [Request].Arrays has them.
	Declared bool
	// Rows: the files are tables. If a job has several files and does not say along which
	// dimension to join them, their rows follow each other.
	Rows bool
	// Unlimited: the format marks dimensions that may become longer. So a job that appends
	// rows need not name the dimension.
	Unlimited bool
	// Codecs says whether stored chunks are the output of codecs that a target can keep.
	Codecs KeptCodecs
	// MissingChunks: the driver has the field source.missing_chunks.
	MissingChunks bool
	// Follows: files of the format may refer to other files. The driver has the field
	// source.follow.
	Follows bool
	// HDF5: files of the format may have compounds, and references to objects. The driver has
	// the fields source.compound and source.references.
	HDF5 bool
	// Located: the driver does what [Request].Refer says.
	Located bool
	// NGFF: the driver has the field source.ngff.
	NGFF bool
	// CF: Open does what [Request].CF says, or nothing in the format is packed. The
	// arrays of other drivers are unpacked by the plan.
	CF bool
}

// KeptCodecs says when a target keeps the codecs of a source.
type KeptCodecs int

const (
	NoCodecs        KeptCodecs = iota // never: the source has none
	CodecsOnRequest                   // if the job says codecs: keep
	CodecsByDefault                   // if the job names no codecs
)

// Request says what [Driver].Open opens, and how. A driver ignores the fields that do not
// concern its format.
type Request struct {
	// URLs are what Expand returned for the locations of a job. From has one location for
	// each URL: the location that named it. Both are empty for a driver that is Declared.
	URLs, From []string
	Arrays     []DeclaredArray // for a driver that is Declared

	Codecs  *codecs.Registry // known codecs and data types; nil: the standard ones
	Drivers Drivers          // known formats, for messages about a file of another one
	Store   store.Options    // for every store that is opened
	// Resident counts the memory that the source keeps; nil: it is not counted.
	Resident *Resident

	// Join says how several files become one source.
	Join Joining
	// CF says, by the path of an array, what becomes of packed values. nil: they are
	// kept.
	CF func(path string) cf.Mode
	// Null returns the value of type t that takes the place of nulls in the array at a
	// path, or nil if the array has no such value. A Null of nil: no array has one.
	Null func(path string, t dtype.Type) (dtype.Scalar, error)
	// KeepChunks says, by the path of an array, whether the target will have the chunks of
	// the source. nil: for no array.
	KeepChunks func(path string) bool
	// KeepCodecs says, by the path of an array and its data type, whether the target keeps
	// the codecs. nil: for no array.
	KeepCodecs func(path string, t dtype.Type) bool
	// Refer says that the target is a table of references to the chunks of the source. An
	// array without chunks whose elements lie in one run then gets chunks, see [Pieces].
	Refer bool
	// Follow says which files may be read to which files of URLs refer.
	Follow Following
	// Fields makes an array of each member of compounds. Otherwise compounds are structs.
	Fields bool
	// SkipReferences leaves out references to objects of a file. Otherwise they are the paths
	// of the objects.
	SkipReferences bool
	// NGFF changes OME-NGFF metadata of version 0.4 to those of 0.5, the version for Zarr v3.
	NGFF bool
	// AllChunks makes a missing chunk an error. Otherwise a missing chunk holds the fill
	// value.
	AllChunks bool
}

// Following says which files may be read because files of a source refer to them. With
// the zero value, these are the files in the folder of the file that was given, and below
// it.
type Following struct {
	Nothing bool     // none may be read
	Folders []string // URLs of further folders whose files may be read, and the files below them
}

// DeclaredArray describes an array whose files hold nothing but its elements.
type DeclaredArray struct {
	Name string // path of the array in the source
	// URLs are the files of the array in their order. Without Stack and Concat, there is
	// exactly one.
	URLs  []string
	Type  dtype.Type
	Order dtype.Order // byte order; only types of single bytes need none
	// Shape is the shape of one file. The extent along Concat may be that of the first
	// file or of all files together. If it is 0, it follows from the sizes of the
	// files.
	Shape  []int
	FOrder bool  // the first dimension varies fastest
	Offset int64 // bytes in front of the first element in each file
	// DimensionNames are the names of the dimensions in Shape, "" for a dimension
	// without a name. nil: none has a name.
	DimensionNames []string
	Attributes     zarr.Attributes
	Stack          string // name of the new first dimension, along which each file is one index
	Concat         string // name of the dimension, one of DimensionNames, along which the files follow each other
}

// Joining says how several files become one source. With the zero value a single file
// stays as it is.
type Joining struct {
	// Concat is a dimension of the files: arrays are laid end to end along it.
	// Stack is a new dimension: each file has one index along it. At most one of
	// them is set.
	Concat, Stack string
	// Override takes the attributes and values of the first file if those of other files
	// differ, unless that would change the meaning of a joined value. Each difference is
	// a note. Without Override, each difference is an error.
	Override bool
	// Order names an array. The files are sorted by its first value. If Order is "", the
	// files are sorted by the coordinate of the dimension, but only if the coordinate has
	// an order and the files do not follow each other already.
	Order string
	// With Disordered, a coordinate of the dimension may repeat values or change its
	// direction. Each break of the order becomes a finding instead of an error. Without
	// Order, the files then stay in the order in which they were given.
	Disordered bool
	// Overlap says which row is taken if several files have the same value of the
	// coordinate. [OverlapError] makes it an error.
	Overlap Overlap
	// Time says what becomes of times that the files count from several moments.
	Time Rebasing
	// Wanted says which arrays are wanted. Only these are opened, and if one of them
	// cannot be opened, the source cannot be opened. nil: all arrays are opened. If one of
	// them cannot be opened, only Array returns the error.
	Wanted func(path string) bool
	// Coordinates says which arrays that are not wanted are opened as well, if they are
	// coordinates of those that are. nil: none.
	Coordinates func(path string) bool
	// Given reports whether the job replaces an attribute of an array. Files may differ
	// in such an attribute. nil: the job replaces none.
	Given func(path, attribute string) bool
	// Compared bounds the bytes that are read from all files together to compare one
	// variable that is not joined. 0 stands for 8 GiB, and with Override for 1 GiB. A
	// larger variable gets a finding, or with Override a note.
	Compared int64
}

// JoinError is an error about a field of a [Joining]. The files lack the dimension or the
// array that the field names, they already have the dimension that it adds, or their
// calendar does not have the date of the units that it names.
type JoinError struct {
	Field string // "concat", "stack", "order", "overlap" or "time.units"
	Err   error
}

// Error implements error.
func (e *JoinError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *JoinError) Unwrap() error { return e.Err }

// Overlap is what becomes of rows that several files have.
type Overlap int

const (
	OverlapError Overlap = iota // such rows are an error
	OverlapFirst                // the row of the first file in the joined order is taken
	OverlapLast                 // the row of the last file is taken
)

// Rebasing says what becomes of times that count from several moments.
type Rebasing struct {
	// Keep leaves the numbers as they are stored, so units that differ are a difference
	// between the files. Without Keep, the numbers of all files are converted to one clock.
	Keep bool
	// Units are the units of that clock, such as "days since 2000-01-01". "": the units of
	// the first file.
	Units string
	// Clock returns the clock of the target's array to which the rows of the array at a
	// path are appended, or false if there is none. If the clocks of the files differ, all
	// numbers are converted to this clock, whatever Units and the first file say. nil: no
	// rows are appended.
	Clock func(path string) (Clock, bool)
	// Type returns the data type for the numbers of the array at a path. It matters only if
	// the numbers of a file are converted. If it returns nil, the numbers get the data type
	// of the first file. nil: as if it always returned nil.
	Type func(path string) dtype.Type
}

// Dimension returns the dimension along which files are joined, "" if there is none.
func (j *Joining) Dimension() string {
	if j.Stack != "" {
		return j.Stack
	}
	return j.Concat
}

// Drivers are the formats that a program knows. A program adds one by appending its
// Driver. No name is given twice.
type Drivers []Driver

// Lookup returns the driver with a name or an alias.
func (l Drivers) Lookup(name string) (*Driver, bool) {
	for i := range l {
		if l[i].Name == name || slices.Contains(l[i].Aliases, name) {
			return &l[i], true
		}
	}
	return nil, false
}

// Names lists the names that a job may use: for each driver its name, then its aliases.
func (l Drivers) Names() (names []string) {
	for _, d := range l {
		names = append(append(names, d.Name), d.Aliases...)
	}
	return names
}

// Resolve returns the URLs that a location names.
func (d *Driver) Resolve(ctx context.Context, location string, opt store.Options) ([]string, error) {
	if d.Expand != nil {
		return d.Expand(ctx, location, opt)
	}
	return store.Glob(ctx, location, opt)
}
