package verify

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/run"
)

// Level says how thorough a verification is. Each level includes the levels before it.
type Level string

// The levels.
const (
	// Quick lists the target, and compares sizes and versions with the record. It reads
	// documents and no chunks.
	Quick Level = "quick"
	// Stored reads every object and compares its checksum.
	Stored Level = "stored"
	// Decoded decodes every object by the published documents alone, as a reader does, and
	// compares the digest of the values.
	Decoded Level = "decoded"
	// Source compares every element with the source.
	Source Level = "source"
)

// Levels lists the levels from the fastest to the deepest one.
func Levels() []Level { return []Level{Quick, Stored, Decoded, Source} }

// includes reports whether a level includes another one.
func (l Level) includes(other Level) bool {
	return slices.Index(Levels(), l) >= slices.Index(Levels(), other)
}

// Proves reports whether a verification of this level or a higher one has found no difference in
// the whole target. v may be nil.
func Proves(v *run.Verified, level Level) bool {
	return v != nil && v.Differences == 0 && v.Sample >= 1 && Level(v.Level).includes(level)
}

// Kind says what is wrong with an object.
type Kind string

// The kinds of differences.
const (
	Absent      Kind = "absent"      // the object is not there
	Stray       Kind = "stray"       // there should be no such object
	Size        Kind = "size"        // the object has another size
	Version     Kind = "version"     // the object was written again since, perhaps with the same bytes
	Checksum    Kind = "checksum"    // the object has other bytes
	Undecodable Kind = "undecodable" // the bytes are those that were written, and no reader can decode them
	Values      Kind = "values"      // the object decodes to other values than were written
	OtherValues Kind = "source"      // elements are not those of the source
	Document    Kind = "document"    // the metadata are not those that were written
)

// Difference is one object of the target that is not what was written.
type Difference struct {
	Kind  Kind   `json:"kind"`
	Key   string `json:"key"`             // of the object in the target
	Array string `json:"array"`           // path of the array; "" also for an array that is the whole target
	Chunk []int  `json:"chunk,omitempty"` // coordinates in the grid of stored objects; nil: the object is no chunk
	Text  string `json:"text"`            // what differs, with both values
}

// OnlyOtherValues reports whether all differences are elements that are not those of the
// source, in objects that are as they were written. It returns false if not all differences
// are listed.
func (r *Result) OnlyOtherValues() bool {
	return r.Count == len(r.Differences) && !slices.ContainsFunc(r.Differences, func(d Difference) bool { return d.Kind != OtherValues })
}

// String returns the difference in one line.
func (d Difference) String() string {
	if d.Chunk != nil {
		return fmt.Sprintf("%s: array %q, chunk %v: %s", d.Key, d.Array, d.Chunk, d.Text)
	}
	return fmt.Sprintf("%s: %s", d.Key, d.Text)
}

// sizeText tells the size of an object that has another one than was written.
func sizeText(is, was int64) string {
	return fmt.Sprintf("%d bytes, and %d were written", is, was)
}

// Result is the outcome of a verification that came to its end.
type Result struct {
	Target     string    `json:"target"`
	Checkpoint string    `json:"checkpoint"`
	Level      Level     `json:"level"`
	Migrated   time.Time `json:"migrated"` // when the job was completed
	// Sample is the fraction of the objects that was read; 1: all. Seed has chosen them.
	Sample float64 `json:"sample"`
	Seed   uint64  `json:"seed"`
	// Arrays is the number of arrays, Objects that of the stored objects on record. Empty
	// is the number of chunks that hold only the fill value and have no object.
	Arrays  int `json:"arrays"`
	Objects int `json:"objects"`
	Empty   int `json:"empty_chunks"`
	// Read is the number of objects that were read, and Bytes their size.
	Read  int   `json:"objects_read"`
	Bytes int64 `json:"bytes_read"`
	// ByValues is the number of objects that are as they were written by the digests of their
	// values, ByChecksums the number of those that are so by their checksums alone. Objects
	// that differ are in neither number.
	ByValues    int `json:"objects_by_values"`
	ByChecksums int `json:"objects_by_checksums"`
	// Resumed is the number of objects, among those that were read, that an interrupted
	// verification has read.
	Resumed int `json:"objects_resumed,omitempty"`
	// Digests has the digests of the values of arrays, by their paths. They cover all values,
	// also those of chunks that are not stored. For a lossy array, they cover the elements
	// behind the lossy codecs. They come from the record. An array is absent if the run
	// that wrote it digested nothing of it.
	Digests map[string]digest.Optional `json:"digests,omitempty"`
	// Elements is the number of elements that were compared with the source. Deviations has
	// the lossy arrays, by their paths.
	Elements   int64                 `json:"elements_compared,omitempty"`
	Deviations []deviation.Deviation `json:"deviations,omitempty"`
	// Count is the number of differences. Differences has the first 10,000 of them,
	// ordered by their keys.
	Count       int          `json:"difference_count"`
	Differences []Difference `json:"differences"`

	Time     time.Duration  `json:"nanoseconds"`
	Requests limits.Traffic `json:"requests"` // to the target and the checkpoint
}

// mostDifferences bounds the differences that a result lists.
const mostDifferences = 10_000

// findings collects differences. It is safe for concurrent use.
type findings struct {
	mu   sync.Mutex
	list []Difference
	n    int
	each func(Difference) // or nil
}

func (f *findings) add(d Difference) {
	if f.each != nil {
		f.each(d)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	f.list = append(f.list, d)
	if len(f.list) >= 2*mostDifferences {
		f.shorten()
	}
}

// more counts differences that are not listed.
func (f *findings) more(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n += n
}

// shorten sorts the list and drops what a result does not list.
func (f *findings) shorten() {
	slices.SortFunc(f.list, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Kind, b.Kind))
	})
	f.list = f.list[:min(len(f.list), mostDifferences)]
}
