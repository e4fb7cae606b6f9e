package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/shapes"
)

// Status is what a checkpoint holds.
type Status struct {
	Checkpoint string `json:"checkpoint"`
	State      string `json:"state"` // "none", "saved", "running", "interrupted" or "complete"
	// Differences are set if the checkpoint belongs to a job that differs from the given
	// one. They list the differences. All other fields are about the checkpoint's job.
	Differences []string      `json:"differences,omitempty"`
	Arrays      []ArrayStatus `json:"arrays"`
	Chunks      int           `json:"chunks"`
	Done        int           `json:"done_chunks"`
	BytesOut    int64         `json:"bytes_out"`
	// Dimension is the dimension along which the target grows, "" for a new target.
	// Appended and AppendedIn are those of a complete run, as in [Result].
	Dimension  string         `json:"append,omitempty"`
	Appended   int            `json:"appended_rows,omitempty"`
	AppendedIn map[string]int `json:"appended_rows_in,omitempty"`
	// Owner is the run that holds the lock, and Heartbeat is the time of its last
	// heartbeat. The run may be dead. Both are nil if nobody holds the lock.
	Owner     *journal.Owner `json:"owner,omitempty"`
	Heartbeat *time.Time     `json:"heartbeat,omitempty"`
	Finished  *time.Time     `json:"finished,omitempty"`
	// Campaign is set if several processes work on the job.
	Campaign *CampaignStatus `json:"campaign,omitempty"`
	// Run is the run that has completed the job.
	Run string `json:"run,omitempty"`
}

// ArrayStatus says how much of one array is done.
type ArrayStatus struct {
	Path     string `json:"path"` // in the target
	Chunks   int    `json:"chunks"`
	Done     int    `json:"done_chunks"`
	Empty    int    `json:"empty_chunks"`
	BytesOut int64  `json:"bytes_out"`
}

// ReadStatus reads the checkpoint of a job, without opening its sources or
// taking its lock.
func ReadStatus(ctx context.Context, j *jobfile.Job, env environment.Environment) (status *Status, err error) {
	st, err := environment.OpenCheckpoint(ctx, j, env, limits.New(j.Run.PerSecond))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	s := &Status{Checkpoint: st.URL(), State: "none", Arrays: []ArrayStatus{}}
	log, err := journal.Open(ctx, st)
	if err != nil {
		return nil, err
	}
	if record := log.Completed(); record != nil {
		done, err := readCompletion(record)
		if err != nil {
			return nil, err
		}
		m, err := manifest.ReadCompleted(record)
		if err != nil {
			return nil, err
		}
		s.State, s.Finished, s.Run = "complete", &done.Finished, done.Result.Run
		s.Chunks, s.Done, s.BytesOut = done.Result.Chunks, done.Result.Chunks, done.Result.BytesOut
		s.Dimension, s.Appended, s.AppendedIn = done.Result.Dimension, done.Result.Appended, done.Result.AppendedIn
		s.Differences = jobfile.Differences(m.Job, j.Normalised())
		for i, a := range m.Arrays {
			x := ArrayStatus{Path: a.Target, Chunks: a.Chunks, Done: a.Chunks}
			if i < len(done.Arrays) { // the first versions kept no account of arrays
				x.Empty, x.BytesOut = done.Arrays[i].Empty, done.Arrays[i].BytesOut
			}
			s.Arrays = append(s.Arrays, x)
		}
		return s, nil
	}
	if text := log.Manifest(); text != nil {
		s.State = "interrupted"
		done, err := s.count(ctx, j, text, log)
		if err != nil {
			return nil, err
		}
		if s.Campaign, err = campaignStatus(ctx, j, env, log, done, func(i int) int { return s.Arrays[i].Chunks }); err != nil {
			return nil, err
		}
		switch {
		case s.Campaign == nil:
		case s.Campaign.Running > 0:
			s.State = "running"
		default:
			s.State = "saved"
		}
	}
	return s, s.holder(ctx, j, st)
}

// count adds up the receipts of a job that is under way. It returns the units that are done,
// by array.
func (s *Status) count(ctx context.Context, j *jobfile.Job, text json.RawMessage, log *journal.Journal) ([]bitset, error) {
	m, err := manifest.Read(text)
	if err != nil {
		return nil, err
	}
	s.Dimension, s.Differences = m.Append, jobfile.Differences(m.Job, j.Normalised())
	seen := make([]bitset, len(m.Arrays))
	for i, a := range m.Arrays {
		if a.Chunks < 0 || a.Chunks > shapes.MaxChunks {
			return nil, fmt.Errorf("checkpoint: the plan is damaged: array %q has %d chunks", a.Target, a.Chunks)
		}
		seen[i] = newBitset(a.Chunks)
		s.Arrays = append(s.Arrays, ArrayStatus{Path: a.Target, Chunks: a.Chunks})
		s.Chunks += a.Chunks
	}
	for x, err := range log.Receipts(ctx) {
		if err != nil {
			return nil, fmt.Errorf("checkpoint: %w", err)
		}
		if x.Array < 0 || x.Array >= len(seen) || x.Unit < 0 || x.Unit >= s.Arrays[x.Array].Chunks-x.More {
			return nil, fmt.Errorf("checkpoint: a receipt names chunk %d of array %d, which the plan does not have", x.Unit+x.More, x.Array)
		}
		a := &s.Arrays[x.Array]
		for unit := x.Unit; unit <= x.Unit+x.More; unit++ {
			if seen[x.Array].has(unit) {
				continue
			}
			seen[x.Array].set(unit)
			a.Done++
			a.BytesOut += x.Bytes
			if x.Empty {
				a.Empty++
			}
			s.Done++
			s.BytesOut += x.Bytes
		}
	}
	return seen, nil
}

// holder adds who runs the job now, if that is still the case.
func (s *Status) holder(ctx context.Context, j *jobfile.Job, st *store.Store) error {
	owner, heartbeat, err := journal.Holder(ctx, st)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if owner == nil {
		return nil
	}
	s.Owner, s.Heartbeat = owner, &heartbeat
	if environment.Alive(j, owner, heartbeat) {
		s.State = "running"
	}
	return nil
}
