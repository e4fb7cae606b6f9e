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

// Source is an opened data set: a hierarchy and the files that it is in. It is
// safe for concurrent use; whoever opened it closes it, after the last read.
type Source interface {
	Hierarchy
	Origin
}

// Hierarchy is groups and arrays.
type Hierarchy interface {
	// Groups lists the groups, the root (path "") first.
	Groups() []Group
	// Arrays lists the paths of all arrays in the source's own order, without
	// opening any: an array that cannot be read harms no other.
	Arrays() []string
	// Array opens one array by its path.
	Array(ctx context.Context, path string) (Array, error)
}

// Origin is where a hierarchy is from.
type Origin interface {
	// Files identifies every file behind the source, so that a later run can
	// tell whether one has changed. A source of very many files makes each identity
	// when it is asked for.
	Files() iter.Seq[File]
	// Changed asks for the files again and names the first one that is no
	// longer what Files says.
	Changed(ctx context.Context) error
	Close() error
}

// Group is an inner node of a source. Path is "" for the root, else names
// joined by "/". Err is why a group that is there cannot be read, nil for others.
type Group struct {
	Path       string
	Attributes zarr.Attributes
	Err        error
	// Findings are what users should know of the group, such as of attributes that
	// are left out.
	Findings []cf.Finding
}

// File is the identity of one file of a source.
type File struct {
	URL     string // without credentials
	Size    int64  // bytes
	ModTime time.Time
	ETag    string // "" where the store has none
	// Query tells files of one URL apart, whose queries, which are not part of it,
	// name different objects; see [store.Store.Query].
	Query string `json:",omitempty"`
	// Changed is when a local file was last changed in any way, and Head a digest of
	// its first 64 KiB; they are zero where nothing tells, or told an earlier run. A
	// file that has both others is edited, though its size and its ModTime are as before.
	Changed time.Time `json:",omitzero"`
	Head    string    `json:",omitempty"`
}

// Touched tells whether something was done to a file since it was as was says, of which
// neither size nor time tell: an edit that put the time back, or no more than other
// permissions, a link, or a restored backup.
func (f File) Touched(was File) bool {
	return !f.Changed.IsZero() && !was.Changed.IsZero() && !f.Changed.Equal(was.Changed)
}

// Edited tells whether a file that was touched has another head.
func (f File) Edited(was File) bool {
	return f.Touched(was) && f.Head != "" && was.Head != "" && f.Head != was.Head
}

// ErrNoArray is the cause of an error of [Hierarchy.Array] where the source lists a
// name that leads to no array, such as a link to nowhere. A copy can do without it.
var ErrNoArray = errors.New("there is no array")

// Unsupported reports whether an error of [Hierarchy.Array] says that the array is beyond
// this program, rather than damaged: it has a type that Zarr lacks or that the program
// does not know, or it is stored with such a codec. A copy can do without it where the
// user says so.
func Unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, dtype.ErrUnknown) || errors.Is(err, codecs.ErrUnknown)
}

// Codes of findings about what a source has and a copy has not.
const (
	LeftOut = "left-out" // an attribute, a link or an array without a counterpart
	NotJSON = "not-json" // an attribute with numbers that JSON does not have
	NotUTF8 = "not-utf8" // a text of which the encoding is guessed
	// Faulty is the code of what a file says wrongly and was not needed, or could be
	// told in another way.
	Faulty = "faulty-file"
	// Renamed is the code of a name that a Zarr hierarchy cannot have, see
	// [zarr.CleanPath].
	Renamed = "renamed"
)

// Array is an opened array of a source. It is safe for concurrent use.
type Array interface {
	// Info describes the array. The result is shared and not to be modified.
	Info() *Info
	// ReadRegion fills dst with the elements of the region that begins at
	// start and has dst's shape, which lies within the array. dst has the
	// array's type and any strides; its elements are in the host's byte
	// order afterwards.
	ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error
}

// Packing is a way in which elements are packed; *[cf.Packing] is one.
type Packing interface {
	// AsCodecs returns the array of what the elements stand for, with the
	// codecs that make it of them. It is an error when there are none.
	AsCodecs() (*cf.Outcome, error)
}

// Info describes an array of a source.
type Info struct {
	Path           string // names joined by "/"; "" for a source that is one array
	Name           string // to be used in place of the last one of Path, which Zarr reserves; "": none
	Type           dtype.Type
	Shape          []int
	DimensionNames []string // one for each dimension, "" where it has none; nil when no dimension has one
	Unlimited      []string // names of the dimensions that may become longer in the source
	Attributes     zarr.Attributes
	// AttributeTypes are the data types of numbers in attributes, by name, as far
	// as what the elements mean depends on them and JSON does not tell; nil: none.
	AttributeTypes map[string]dtype.Type
	// Labels are the names that the source's data type, an enumeration, gives to
	// values, by the values as JSON; the data type here has none. nil: there are none.
	Labels map[string]string
	// Fill is the value that stands for "nothing here" in the source, nil
	// when the source names none; FillFrom says where it was found.
	Fill     dtype.Scalar
	FillFrom string
	// Chunks is the shape of the pieces in which the source stores the array
	// and has to read it, nil when any region can be read at the same cost.
	Chunks []int
	// Shards is the shape of the stored objects where each holds several
	// pieces of the shape Chunks, nil where there are no such objects.
	Shards []int
	// Codecs is the chain by which an object, of the shape Shards or else
	// Chunks, is stored: what writes the same bytes in a Zarr v3 array, or the
	// same but for how the elements themselves are stored where Obstacle says
	// so. nil for sources that have none.
	Codecs []codecs.Spec
	// Obstacle says why the array has no Codecs or is not [Stored], "" where
	// there is no more to say than that.
	Obstacle string
	// Slowest lists the dimensions in the order in which the source stores
	// them, the slowest varying first, so that a plan can choose regions that
	// are long runs in the file. nil means C order.
	Slowest []int
	// LongRun is the number of bytes that, read together, are read about as
	// fast as more of them would be; 0 where nothing is known.
	LongRun int
	// Remote says that the array is behind a network, so that several reads at the
	// same time take about as long as one of them.
	Remote bool
	// Memory is the most bytes that one call of ReadRegion holds besides dst;
	// what belongs to elements of variable size is not counted, but asked for from
	// the account of dst's heap. 0 stands for [ScratchBytes].
	Memory int
	// ItemBytes is how many bytes an element of variable size has on average, as far
	// as the source tells without reading them: the real number may be another one.
	// 0 where nothing is known.
	ItemBytes int
	// Packing says what the elements mean where they are packed and codecs are
	// to tell so, see [Packed]; else nil.
	Packing Packing
	// Findings are what users should know of the values, such as of packed
	// elements that were unpacked; those of Packing are not among them.
	Findings []cf.Finding
	// Notes are remarks on decisions taken while reading the metadata (a type
	// without an exact counterpart, a fill value that was ignored) that the
	// plan passes on to the user.
	Notes []string
}

// FillValue returns Fill as Zarr v3 spells it in JSON, nil if the source names none.
func (i *Info) FillValue() json.RawMessage {
	if i.Fill == nil {
		return nil
	}
	return i.Type.FormatScalar(dtype.V3, i.Fill)
}
