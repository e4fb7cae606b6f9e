package report

import (
	"encoding/json"
	"time"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/jobs/preview"
	"github.com/zmigrate/zmigrate/jobs/run"
	"github.com/zmigrate/zmigrate/jobs/verify"
)

// Key is the key of the report in the checkpoint of its job.
const Key = "report.json"

// Version is the version of the layout of a [Document].
const Version = 1

// A document lists no more than this, and has the number of what it leaves out.
const (
	mostEntries     = 200
	mostArrays      = 1_000
	mostFiles       = 1_000
	mostFindings    = 1_000
	mostDifferences = 1_000
)

// Document is the report of a job: its last migration, its last verification, and the
// history of all runs and verifications.
type Document struct {
	Version    int    `json:"zmigrate_report"`
	Job        string `json:"job"`  // its name
	File       string `json:"file"` // as it was named on the command line
	Target     string `json:"target"`
	Checkpoint string `json:"checkpoint"`
	// History has the runs and verifications, the oldest one first. Runs that found nothing
	// to do are not in it. Dropped is the number of older entries that are left out.
	History []Entry `json:"history"`
	Dropped int     `json:"older_entries,omitempty"`
	// Migration is the last run that has completed the job; nil: none has, since zmigrate
	// writes reports.
	Migration *Migration `json:"migration,omitempty"`
	// Verification is the last verification since Migration, with the first 1,000
	// differences; nil: there was none.
	Verification *Verification `json:"verification,omitempty"`
}

// The commands of an [Entry].
const (
	CommandRun    = "run"
	CommandRepair = "repair"
	CommandVerify = "verify"
)

// The outcomes of an [Entry].
const (
	Done     = "done"
	Stopped  = "stopped" // by the user, or by a signal
	Failed   = "failed"
	Died     = "died" // killed, or its machine is gone: the next run has found its lock
	Verified = "verified"
	Differs  = "differs"
)

// Entry is one run, one repair or one verification.
type Entry struct {
	Command string    `json:"command"`
	Run     string    `json:"run,omitempty"` // identifier of the run
	Program string    `json:"zmigrate"`      // version of the program; "" of a run that died
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Outcome string    `json:"outcome"`
	Error   string    `json:"error,omitempty"`
	// Requests counts the requests to remote stores; for a verification, only those to the
	// target.
	Requests plan.Requests `json:"requests"`
	// Result is set for a run that is done, Verified for a verification.
	Result   *run.Result   `json:"result,omitempty"`
	Verified *run.Verified `json:"verified,omitempty"`
}

// Migration describes a run that has completed a job: the files that it read, and the
// arrays that it wrote.
type Migration struct {
	Run      string          `json:"run,omitempty"`
	Finished time.Time       `json:"finished"`
	Job      json.RawMessage `json:"job"` // normalised: with all defaults, and without secrets
	// Planned is the time in which the plan was made, in seconds.
	Planned float64 `json:"seconds_of_planning"`
	Files   Files   `json:"files"`
	// Arrays has the first 1,000 arrays. ArrayCount is the number of all.
	Arrays     []Array `json:"arrays"`
	ArrayCount int     `json:"array_count"`
	// Findings has the first 1,000 warnings, with those that are alike in one. FindingCount is
	// the number of all such lines.
	Findings     []string `json:"findings"`
	FindingCount int      `json:"finding_count"`
	// Readers has lists of programs, each with whether it reads an array. See Array.ReadBy.
	Readers [][]preview.ReadBy `json:"readers"`
}

// Files are the files of the source.
type Files struct {
	Count int    `json:"count"`
	Bytes int64  `json:"bytes"`
	List  []File `json:"list"` // the first 1,000
}

// File is the identity of a file when it was migrated.
type File struct {
	URL      string    `json:"url"` // a local path below the folder of the job is relative to that folder
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified,omitzero"`
	ETag     string    `json:"etag,omitempty"`
	Head     string    `json:"head_digest,omitempty"` // of the first 64 KiB of a local file
}

// Array describes an array of the target.
type Array struct {
	preview.Description
	// ReadBy is the index of a list in Migration.Readers. Arrays that the same programs read
	// share a list.
	ReadBy     int             `json:"read_by"`
	Dimensions []string        `json:"dimension_names,omitempty"`
	Fill       json.RawMessage `json:"fill_value"`
	Codecs     []Codec         `json:"codecs"`
	// BytesOut is the size of the objects that the run has stored. Empty is the number of
	// chunks that have no object, because they hold only the fill value.
	BytesOut int64 `json:"bytes_out"`
	Empty    int   `json:"empty_chunks"`
	// Digest is that of all values of the array.
	Digest digest.Optional `json:"digest,omitzero"`
}

// Codec is a codec of a chain.
type Codec struct {
	Name          string          `json:"name"`
	Configuration json.RawMessage `json:"configuration,omitempty"`
}

// Verification is the result of a verification.
type Verification struct {
	Time time.Time `json:"time"`
	*verify.Result
}
