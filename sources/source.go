package sources

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/zarr"
)

// Source is an opened data set: a hierarchy and the files that hold it. It is safe for
// concurrent use. Whoever opened a source closes it after the last read.
type Source interface {
	Hierarchy
	Origin
}

// Hierarchy is groups and arrays.
type Hierarchy interface {
	// Groups lists the groups, the root (path "") first.
	Groups() []Group
	// Arrays lists the paths of all arrays in the source's own order. It opens no
	// array, so an array that cannot be read harms no other.
	Arrays() []string
	// Array opens one array by its path. [ErrNoArray] and [Unsupported] tell causes of its
	// error apart.
	Array(ctx context.Context, path string) (Array, error)
}

// Origin is the files that hold a hierarchy.
type Origin interface {
	// Files returns the identity of every file behind the source. By the identities, a
	// later run can tell whether a file has changed. A source of very many files makes
	// an identity only when the loop asks for it.
	Files() iter.Seq[File]
	// Changed looks at the files again. Its error names the first file whose identity
	// is no longer the one that Files returned.
	Changed(ctx context.Context) error
	Close() error
}

// Group is an inner node of a source.
type Group struct {
	Path       string // names joined by "/"; "" for the root
	Attributes zarr.Attributes
	// Own are the attributes that the source has, if OME-NGFF metadata among Attributes were
	// changed. Otherwise it is nil.
	Own zarr.Attributes
	Err error // why the group cannot be read; nil: it can
	// Unlisted says that nobody knows what the group holds, because of Err. Arrays lists nothing
	// below it.
	Unlisted bool
	// Findings are what users should know about the group, such as which attributes
	// are left out.
	Findings []cf.Finding
}

// File is the identity of one file of a source.
type File struct {
	URL     string // without credentials
	Size    int64  // bytes
	ModTime time.Time
	ETag    string // "" if the store has none
	// Query is a digest of the query of an HTTP URL, which may be a secret and is not in
	// URL. The digest tells two objects apart whose URLs differ only in their queries;
	// see [store.Store.Query].
	Query string `json:",omitempty"`
	// Changed is the time of the last change of a local file, of any kind. Head is a
	// digest of its first 64 KiB. Both are zero if they are not known. If both differ
	// from those of an earlier run, the file was edited, even if Size and ModTime are
	// as before.
	Changed time.Time `json:",omitzero"`
	Head    string    `json:",omitempty"`
}

// Touched reports whether the file has another change time than before. The cause may
// be an edit after which the modification time was set back. It may also be harmless:
// other permissions, a new link, or a restored backup.
func (f File) Touched(was File) bool {
	return !f.Changed.IsZero() && !was.Changed.IsZero() && !f.Changed.Equal(was.Changed)
}

// Edited reports whether the file was touched and has another Head than before.
func (f File) Edited(was File) bool {
	return f.Touched(was) && f.Head != "" && was.Head != "" && f.Head != was.Head
}

// ErrNoArray is the cause of an error of [Hierarchy.Array] about a name that leads to no
// array, such as a link to nothing. A copy of the source leaves the name out.
var ErrNoArray = errors.New("there is no array")

// Unsupported reports whether an error of [Hierarchy.Array] is about an array that is not
// damaged, but that cannot be read or copied: Zarr or the program does not know its data
// type or its codec. If the user allows it, a copy of the source leaves the array out.
func Unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, dtype.ErrUnknown) || errors.Is(err, codecs.ErrUnknown)
}

// Codes of findings about differences between a source and its copy.
const (
	MissingSources = "missing-sources" // of a virtual dataset
	LeftOut        = "left-out"        // an attribute, a link or an array that Zarr cannot hold
	NotJSON        = "not-json"        // an attribute with numbers that JSON does not have
	NotUTF8        = "not-utf8"        // a text whose encoding is guessed
	// Faulty is the code of a statement in a file that is wrong, but was not needed or
	// could be replaced.
	Faulty = "faulty-file"
	// Renamed is the code of a name that a Zarr hierarchy cannot have, see
	// [zarr.CleanPath].
	Renamed = "renamed"
)

// Array is an opened array of a source. It is safe for concurrent use.
type Array interface {
	// Info describes the array. The result is shared and must not be modified.
	Info() *Info
	// ReadRegion fills dst with the elements of a region of the array. The region
	// begins at start and has the shape of dst. dst has the array's data type and any
	// strides. The elements in dst are in the host's byte order.
	ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error
}

// Packing is a way in which elements are packed. *[cf.Packing] is one.
type Packing interface {
	// AsCodecs returns the array of physical values, with the codecs that turn the
	// stored elements into them. If no codecs do that, it returns an error.
	AsCodecs() (*cf.Outcome, error)
}

// Characters says how elements of one byte, of type uint8, make up texts. NetCDF has such
// variables.
type Characters int

// The kinds of characters.
const (
	// NoCharacters: the elements are no characters.
	NoCharacters Characters = iota
	// SingleCharacters: each element is a text of one character.
	SingleCharacters
	// LastDimension: the elements along the last dimension are the characters of one text.
	LastDimension
)

// Lists describes an array of lists of varying length. The lists follow each other along the
// array's first dimension.
type Lists struct {
	// Along is the name of the dimension, which the array does not have, to whose indices the
	// lists belong. It is the first of several. If lists of several files follow each other
	// along it, then so do their values.
	Along string
	// Shape is the shape of the array of lists; its elements are lists.
	Shape []int
	// Offsets says that the array has offsets, of type int64, and not values.
	Offsets bool
	// Count is the number of values to which the offsets lead.
	Count int
}

// Info describes an array of a source.
type Info struct {
	Path           string // names joined by "/"; "" for a source that is one array
	Name           string // replaces the last name of Path in a copy, because Zarr reserves that name; "": nothing does
	Type           dtype.Type
	Shape          []int
	DimensionNames []string // one for each dimension, "" for a dimension without a name; nil: no dimension has a name
	// Axes says that DimensionNames are those of axes, by the OME-NGFF metadata of a group.
	// OwnNames are then the names that the array itself has, nil if it has none.
	Axes      bool
	OwnNames  []string
	Unlimited []string // names of the dimensions that may become longer in the source
	// Ragged has the names of dimensions, of the array or of others, to whose indices parts
	// of different lengths of the array belong. If only some indices of such a dimension
	// were copied, the parts would no longer belong to them.
	Ragged     []string
	Lists      *Lists // not nil: the array has values or offsets of lists of varying length
	Attributes zarr.Attributes
	// AttributeTypes are the data types of the numbers in some attributes, by the names
	// of the attributes. These are attributes that give elements their meaning. JSON
	// does not tell the types. nil: no type is known.
	AttributeTypes map[string]dtype.Type
	// Labels are the names of values, if the source's data type is an enumeration. The
	// keys are the values as JSON. Type is then a type of integers, which has no names.
	// nil: there are no names.
	Labels map[string]string
	// Characters says whether elements of type uint8 are characters of texts, see [Texts].
	Characters Characters
	// Fill is the value of elements that were never written. nil: the source names
	// none. FillFrom says where in the source it was found.
	Fill     dtype.Scalar
	FillFrom string
	// FormerFill is the fill value that earlier versions of this program took for Fill. nil:
	// they took the same.
	FormerFill dtype.Scalar
	// Chunks is the shape of the chunks, or of the inner chunks of shards. The source
	// reads each of them as a whole. nil: any region can be read at the same cost.
	Chunks []int
	// AnyRegion says that a part of a chunk is read without the rest of it, however small the
	// part is: elements lie in the source as they are. Chunks then tells which of them lie
	// together.
	AnyRegion bool
	// Shards is the shape of the stored objects, if each of them holds several inner
	// chunks of the shape Chunks. nil: there are no shards.
	Shards []int
	// Codecs is the chain with which a Zarr v3 array stores the same objects as the source,
	// byte for byte, unless Obstacle says why the objects differ. The shape of an object is
	// Shards or, without shards, Chunks. nil: there is no such chain.
	Codecs []codecs.Spec
	// Obstacle says why the array has no Codecs or is not [Stored]. "": there is
	// nothing more to say.
	Obstacle string
	// Slowest lists the dimensions in the order in which the source stores them, the
	// slowest varying first. A plan uses it to choose regions that are long runs in the
	// file. nil: C order.
	Slowest []int
	// Layout tells where the elements lie in the files. nil: in one file, which has an array of this shape.
	Layout *Layout
	// LongRun is a number of bytes. Reads of this length are about as fast, for each
	// byte, as longer reads. 0: nothing is known.
	LongRun int
	// Remote says that the array is behind a network. Several reads at the same time
	// then take about as long as one of them.
	Remote bool
	// Memory is the most bytes that one call of ReadRegion holds besides dst. It does
	// not count the bytes of elements of variable size, which are taken from the account
	// of dst's heap. 0 stands for [ScratchBytes].
	Memory int
	// ItemBytes is the average number of bytes of an element of variable size. It is an
	// estimate, because the elements have not been read. 0: nothing is known.
	ItemBytes int
	// Rebased is the units to which times of some files were converted, because they
	// counted from another moment. "": no times were converted.
	Rebased string
	// FirstLimits are the attributes with the limits of the first of several joined files, as
	// earlier versions of this program kept them. nil: Attributes has the same limits.
	FirstLimits zarr.Attributes
	// Packing says what the elements mean, if they are packed and the target's codecs are
	// to describe the packing; see [Packed]. Otherwise it is nil.
	Packing Packing
	// Findings are what users should know about the values, for instance that packed
	// elements were unpacked. Findings of Packing are not among them.
	Findings []cf.Finding
	// Notes are remarks for users on decisions that were made while the metadata were
	// read: a type without an exact counterpart, a fill value that was ignored.
	Notes []string
}

// Refilled is an optional ability of an [Array] with a FormerFill.
type Refilled interface {
	// WithFill returns the array with another value of elements that were never written.
	WithFill(fill dtype.Scalar) Array
}

// FillValue returns Fill as Zarr v3 spells it in JSON. It is nil if Fill is nil.
func (i *Info) FillValue() json.RawMessage {
	if i.Fill == nil {
		return nil
	}
	return i.Type.FormatScalar(dtype.V3, i.Fill)
}

// Layout tells where the elements of an array lie in files whose arrays have another shape.
type Layout struct {
	// Most is how many neighbouring indices of a dimension one read takes at most. 0: any number.
	Most []int
	// Whole is the shape of the array in its file.
	Whole []int
	// Steps are the distances, in the file, of indices that are neighbours in the array.
	Steps []int
	// Order has the dimensions in the order of the file, the slowest first.
	Order []int
}
