package run

import (
	"math"
	"time"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/stages"
)

// Result describes a run that has succeeded.
type Result struct {
	// Run identifies the run. In the record of completion, it is the run that completed the
	// job; "" if that was an earlier version of this program.
	Run    string `json:"run,omitempty"`
	Target string `json:"target"`
	Arrays int    `json:"arrays"`
	// Chunks is the number of units of the plan. Empty of them hold only the fill value
	// and have no object. Resumed of them were done by earlier runs.
	Chunks  int `json:"chunks"`
	Empty   int `json:"empty_chunks"`
	Resumed int `json:"resumed_chunks"`
	// Mended is the number of chunks of a complete target that had changed since they were
	// written, and that were written again.
	Mended int `json:"mended_chunks,omitempty"`
	// BytesIn is the size of all elements, BytesOut that of all stored chunks.
	BytesIn  int64         `json:"bytes_in"`
	BytesOut int64         `json:"bytes_out"`
	Time     time.Duration `json:"nanoseconds"` // of this run
	// Nothing is set if an earlier run had completed the job already.
	Nothing bool `json:"already_complete"`
	// Verified is the last verification of a target that was complete already; nil: there
	// was none since the job was completed.
	Verified *Verified `json:"verified,omitempty"`
	// Dimension is the dimension along which the arrays have grown, "" for new arrays.
	// Appended is the number of rows that were appended to each array. If that number is
	// not the same for all arrays, Appended is the largest one.
	Dimension string `json:"append,omitempty"`
	Appended  int    `json:"appended_rows,omitempty"`
	// AppendedIn is set if the number of rows is not the same everywhere. It has, by the
	// path of a group, the number of rows that were appended to the arrays of the group,
	// and to the arrays below that share its dimension.
	AppendedIn map[string]int `json:"appended_rows_in,omitempty"`
	// Unlisted is [plan.Plan.Unlisted].
	Unlisted string `json:"unlisted_in,omitempty"`
	// Requests are those of this run to remote stores.
	Requests plan.Requests `json:"requests"`
	// Busy is how long the workers of each stage have worked in this run.
	Busy []stages.Busy `json:"busy,omitempty"`
	// ByArray has the result for each array of the plan; nil if there was nothing to do.
	ByArray []CompletedArray `json:"-"`
}

// CompletedArray is the result for one array.
type CompletedArray struct {
	Empty    int   `json:"empty_chunks,omitempty"`
	BytesOut int64 `json:"bytes_out,omitempty"`
	// Document is the digest of the document of an array that has grown, or that has the
	// digest of its values as an attribute. The manifest has those of other arrays.
	Document string `json:"document,omitempty"`
	// Digest is that of all values of the array, those of earlier runs included. It is not
	// known without the digests of all chunks.
	Digest digest.Optional `json:"digest,omitzero"`
}

// appended sets Appended and AppendedIn from the numbers of appended rows by group.
func (r *Result) appended(rows map[string]int) {
	least := math.MaxInt
	for _, n := range rows {
		r.Appended, least = max(r.Appended, n), min(least, n)
	}
	if least < r.Appended {
		r.AppendedIn = rows
	}
}
