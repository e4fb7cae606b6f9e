package jobfile

import (
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Version is the version of the job file's schema that this package reads.
const Version = 1

// Job is a job file as its author meant it: variables expanded, references
// resolved against the file's folder, defaults filled in. It is immutable once
// loaded, and safe for concurrent use.
type Job struct {
	Name string // default: the file's name without extension
	File string // as the user named it
	Dir  string // folder that relative references are resolved against
	// Included are the files that the file includes, directly or through other files, in the order
	// in which they are read.
	Included []string
	// Variables are the names of the environment variables that the file asks for.
	Variables []string

	Source Source
	Target Target
	Groups []GroupRule // the root first, if the job gives it attributes, then in file order
	// Dimensions are new names of dimensions by their names in the source.
	Dimensions map[string]string
	Defaults   ArrayOptions
	Arrays     []ArrayRule // in file order
	Run        Run

	title  string          // see Title; "": Name
	driver *sources.Driver // that reads the source; nil: the file names none that is known
	root   *node           // the file, for positions
	rules  ruleIndex       // of Arrays
	hidden []secret        // values of variables, which no message may show
}

// Location is a path or URL. Text is what the file says, with variables
// expanded, for messages; URL is the same with a relative path resolved.
type Location struct{ Text, URL string }

// Source says what is migrated.
type Source struct {
	Driver    string     // name of the driver; the file may have an alias
	Locations []Location // field url; globs are not resolved yet; none for a driver that is Declared
	Concat    string     // dimension to join several files along; "": none
	Stack     string     // name of a new first dimension, one file an index; "": none
	Join      string     // "exact" or "", or "override": what becomes of differences between files
	Order     string     // "name", "natural" or "", "allow", or the name of the coordinate that files are sorted by
	Overlap   string     // "error" or "", "first" or "last": which file a row is taken from that several files have
	Time      Time       // of several files, or of an append
	CF        string     // "keep", "codecs" or "unpack", for arrays that do not say otherwise
	// MissingChunks says what a missing chunk of a Zarr source means. With "fill" or
	// "" it holds the fill value. With "error" the job fails before it writes anything.
	MissingChunks string
	// NGFF says what becomes of OME-NGFF metadata of version 0.4: "convert" or "", which
	// makes them those of 0.5, or "keep".
	NGFF string
	// Unsupported says what becomes of arrays that this program cannot read: "error" or
	// "", or "skip", which leaves those out that the job does not name.
	Unsupported string
	// Follow says which files may be read because files of the source refer to them.
	Follow Follow
	// Compound says what compounds of HDF5 become: "struct" or "", or "fields", an array for
	// each member. References says what references of HDF5 become: "path" or "", or "skip".
	Compound, References string
	Include              []string // globs on the paths of arrays, and of groups without any; none: all of them
	Exclude              []string
	// NoCoordinates leaves out coordinates that Include and Exclude do not select. By
	// default, the coordinates of what is selected come along.
	NoCoordinates bool
	Select        []Selection // parts of dimensions, in file order
	Arrays        []RawArray  // of a driver that is Declared, in file order
}

// Selection says which part of a dimension is migrated: by indices, by values of its
// coordinate, or by dates that these stand for. One of Indices, Values and Dates is set.
type Selection struct {
	Dimension string
	Text      string // as messages spell it
	Indices   *IndexRange
	Values    *[2]*big.Rat // the least and the greatest; nil: no bound
	Dates     *[2]string   // the first and the last, see [cf.Period]; "": no bound
}

// IndexRange has the meaning of a slice in Python, first:end:step. nil stands for the first
// index or the end of the dimension. Negative numbers count from the end of the dimension.
type IndexRange struct {
	First, End *int
	Step       int
}

// Follow says which files may be read because files of the source refer to them. The zero
// value allows those in the folder of the file that refers to them, and below it.
type Follow struct {
	Nothing bool       // none may be read
	Folders []Location // further folders
}

// Time says what becomes of times whose units have several origins. The zero value brings
// all of them to one origin.
type Time struct {
	Keep  bool   // the numbers stay as they are
	Units string // the units that all times get; "": the units of the target, or else of the first file
}

// AllLocations returns the locations that source.url names, and those of all source.arrays.
func (s *Source) AllLocations() []Location {
	all := slices.Clone(s.Locations)
	for _, a := range s.Arrays {
		all = append(all, a.Locations...)
	}
	return all
}

// RawArray describes one array of a driver that knows no metadata.
type RawArray struct {
	Name      string // path of the array
	Locations []Location
	Stack     string // name of a new first dimension, one file an index, source.stack unless given; "": none
	Concat    string // dimension to join files along, source.concat unless given; "": none
	// DataType is a Zarr v3 name or object, or a NumPy string such as ">f4".
	DataType       json.RawMessage
	Endian         string // "little", "big", or "" where the file does not say
	Shape          []int
	Order          string    // "C" or "F"
	Offset         int64     // bytes before the first element in each file
	DimensionNames []*string // nil: not given; a nil element has no name
	Attributes     zarr.Attributes
}

// Target says where the Zarr v3 hierarchy goes.
type Target struct {
	Location
	// References is ReferencesJSON or ReferencesParquet if the target is a table of references to
	// the chunks of the source, in that form, and no hierarchy. "": the target is a hierarchy.
	References   string
	Consolidated bool
	Existing     string // "resume", "fail", "overwrite" or "append"
	// Append is the dimension along which an existing target grows; "":
	// Source.Concat, else the one dimension that is unlimited in the source.
	Append string
	// Gaps says what becomes of rows that break the step of the coordinate: "warn" or "",
	// "error", or "allow".
	Gaps string
	// Overlap says what becomes of rows whose coordinates the target has: "error" or "",
	// "skip", or "same".
	Overlap          string
	StoreEmptyChunks bool
	// DigestAttribute gives each array the attribute [zarr.DigestAttribute].
	DigestAttribute bool
	// Readers are programs that must be able to read the result, such as
	// "zarr-python>=3.1". They have no influence on what is written.
	Readers []string
}

// The forms of tables of references.
const (
	ReferencesJSON    = "json"
	ReferencesParquet = "parquet"
)

// LeavesOut reports whether a run leaves out the rows of the source that the target has.
func (t *Target) LeavesOut() bool { return t.Overlap == "skip" || t.Overlap == "same" }

// GroupRule has the attributes of the group at a path, "" for the root. They are merged
// over the source's; null removes one.
type GroupRule struct {
	Path       string
	Attributes zarr.Attributes
}

// Field is the field that the attributes stand in.
func (r GroupRule) Field() string {
	if r.Path == "" {
		return "attributes"
	}
	return FieldPath("groups", r.Path, "attributes")
}

// ArrayRule holds the options of the arrays that Pattern means: one path, or a glob,
// in which ** stands for any number of parts of a path. Defaults that the rule does
// not replace are part of it.
type ArrayRule struct {
	Pattern string
	ArrayOptions
}

// ArrayOptions say how an array is stored. The zero value changes nothing.
type ArrayOptions struct {
	Rename         string // last part of the array's path in the target; "": as it is
	Chunks         Chunks
	Access         string  // the use for which chunks are chosen: "map", "time-series" or "both"; "": no special use
	Shards         []int   // shape of one stored object; nil: no sharding
	ShardsBy       Extents // shards by names of dimensions, in the place of Shards; nil: none
	FromDefaults   FromDefaults
	FillValue      json.RawMessage // Zarr v3 encoding; nil: from the source
	DimensionNames []*string       // nil: from the source; a nil element has no name
	Attributes     zarr.Attributes // merged over the source's; null removes one
	DataType       json.RawMessage // Zarr v3 name or object; nil: the source's
	Cast           Cast
	AllowInexact   bool
	Codecs         Codecs
	CF             string // "keep", "codecs" or "unpack"
}

// TextType is the data type of texts that are made of characters. Without the field
// length_bytes, texts are as long as the characters of the source.
const TextType = "null_terminated_bytes"

// Texts reports whether the job asks for the texts of arrays of characters, see
// [sources.Texts].
func (o *ArrayOptions) Texts() bool { return isTextType(o.DataType) }

func isTextType(text json.RawMessage) bool {
	var name string
	return json.Unmarshal(text, &name) == nil && name == TextType
}

// Chunks is the field chunks; the zero value is the driver's default.
type Chunks struct {
	Auto, Keep bool
	Shape      []int   // elements along each dimension; not nil, but empty for a 0-D array
	By         Extents // by names of dimensions, in the place of Shape; nil: none
}

// Codecs is the field codecs; the zero value is the driver's default.
type Codecs struct {
	Keep  bool
	Chain []codecs.Spec // not nil when given
	// Inherited is set if the chain comes from the defaults. The lossy codecs of such a chain
	// are meant only for floating-point data.
	Inherited bool
}

// Cast says how values change their data type, by the rules of the cast_value
// codec. Empty fields have that codec's defaults.
type Cast struct {
	Rounding   string
	OutOfRange string
	ScalarMap  json.RawMessage
}

// Run holds the bounds and habits of a run. Apart from Path it has no
// influence on what is written.
type Run struct {
	Memory       int64   // bytes of chunk data in flight
	Workers      Workers // 0: one for each core
	PerSecond    float64 // requests to the stores; 0: no bound
	Retries      int     // of one request
	Checkpoint   Location
	Every        time.Duration // between two checkpoints
	LockLifetime time.Duration // without a heartbeat, after which the lock is lost
	Path         string        // "auto", or "decode": no chunk is carried through
	Digest       string        // which values are digested: "all"; "auto" or "": not those of objects that are carried through; "none"
	Verify       string        // the level at which the target is verified at the end of a run; "none" or "": not at all
	Notify       Notify
}

// Problem returns an error about a field, such as "arrays.SST.codecs[1].order",
// positioned at the field or at its nearest parent that is in the file. An
// option that an array's rule has from the defaults is reported in the defaults. The
// configuration of a codec is addressed through the codec, however the file
// spells it.
func (j *Job) Problem(field, message, hint string) Problem {
	p := Problem{File: j.File, Field: field, Message: hide(j.hidden, message), Hint: hide(j.hidden, hint), Line: 1, Column: 1}
	steps, _, err := parsePath(field)
	if err != nil {
		return p
	}
	at, depth := j.root.locate(steps)
	if depth == 2 && len(steps) > 2 && steps[0].name == "arrays" {
		inherited := slices.Concat([]step{{"defaults", -1}}, steps[2:])
		if inDefaults, found := j.root.locate(inherited); found >= 2 {
			at, p.Field = inDefaults, trailOf(inherited).String()
		}
	}
	p.File, p.Line, p.Column = at.file, at.line, at.column
	return p
}

// Driver returns the driver that reads the source. It is nil if the file names no known
// driver; Load has reported that.
func (j *Job) Driver() *sources.Driver { return j.driver }

// traits are those of the driver; the zero value without a driver.
func (j *Job) traits() sources.Traits {
	if j.driver == nil {
		return sources.Traits{}
	}
	return j.driver.Traits
}

// AppendDimension returns the dimension along which the job appends rows; "" if the
// job names none.
func (j *Job) AppendDimension() string {
	return cmp.Or(j.Target.Append, j.Source.Concat, j.Source.Stack)
}

// NeedsDimension returns the problem of a job that does not say along which dimension
// it appends rows.
func (j *Job) NeedsDimension(why string) Problem {
	return j.Problem("target.existing", "append needs the name of the dimension to append along: "+why, "target.append: NAME")
}

// CheckpointURL returns the place of the checkpoint: run.checkpoint.url or, if the
// job has none, a folder beside the target.
func (j *Job) CheckpointURL() (string, error) {
	if j.Run.Checkpoint.URL != "" {
		return j.Run.Checkpoint.URL, nil
	}
	return store.Sibling(j.Target.URL, ".zmigrate")
}

// Notify is a command that is called at the end of a run, with its result.
type Notify struct {
	Command []string // the program and its arguments; nil: none
	Timeout time.Duration
}

// Workers are the numbers of workers of each stage; 0 is one for each core.
type Workers struct{ Read, Encode, Write int }
