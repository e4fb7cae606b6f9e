package run

import (
	"math"
	"time"

	"github.com/zmigrate/zmigrate/jobs/plan"
)

// Result is what a run comes to.
type Result struct {
	Target string `json:"target"`
	Arrays int    `json:"arrays"`
	// Chunks counts all units of the plan; of these Empty hold only the fill
	// value and have no object, and Resumed were done by earlier runs.
	Chunks  int `json:"chunks"`
	Empty   int `json:"empty_chunks"`
	Resumed int `json:"resumed_chunks"`
	// Mended counts the chunks of a complete target that were not what had been
	// written, and were written again.
	Mended int `json:"mended_chunks,omitempty"`
	// BytesIn is the size of all elements, BytesOut that of all stored chunks.
	BytesIn  int64         `json:"bytes_in"`
	BytesOut int64         `json:"bytes_out"`
	Time     time.Duration `json:"nanoseconds"` // of this run
	// Nothing is set when an earlier run had completed the job already.
	Nothing bool `json:"already_complete"`
	// Dimension is the one along which the arrays have grown, "" for new arrays, and
	// Appended the number of rows that came to each or, where not all arrays share
	// the dimension, the most that came to one.
	Dimension string `json:"append,omitempty"`
	Appended  int    `json:"appended_rows,omitempty"`
	// AppendedIn are the rows that came to the arrays of each group, with those below
	// that share its dimension, where these are not as many everywhere.
	AppendedIn map[string]int `json:"appended_rows_in,omitempty"`
	// Unlisted is [plan.Plan.Unlisted].
	Unlisted string `json:"unlisted_in,omitempty"`
	// Requests are those of this run to remote stores.
	Requests plan.Requests `json:"requests"`
}

// appended takes the rows that come to the arrays of each group.
func (r *Result) appended(rows map[string]int) {
	least := math.MaxInt
	for _, n := range rows {
		r.Appended, least = max(r.Appended, n), min(least, n)
	}
	if least < r.Appended {
		r.AppendedIn = rows
	}
}
