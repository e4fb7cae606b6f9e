package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Completion is the record that a completed job leaves in its checkpoint.
type Completion struct {
	Manifest json.RawMessage  `json:"manifest,omitempty"` // see [plan.ReadManifest]
	Arrays   []CompletedArray `json:"arrays,omitempty"`   // those of the manifest, in its order
	Result   Result           `json:"result"`
	Finished time.Time        `json:"finished"`
	// Overtaken tells that a run of this target has lost its lock to another one.
	Overtaken bool `json:"overtaken,omitempty"`
}

// manifestFirst is how the text of a record begins.
const manifestFirst = `{"manifest":`

// CompletedArray is the result for one array.
type CompletedArray struct {
	Empty    int   `json:"empty_chunks,omitempty"`
	BytesOut int64 `json:"bytes_out,omitempty"`
}

// text returns the record as JSON. The text of the manifest is copied without a change.
func (c Completion) text() ([]byte, error) {
	manifest := c.Manifest
	c.Manifest = nil
	rest, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(manifestFirst), manifest, []byte{','}, rest[1:]), nil
}

// readCompletion reads a record of completion. The manifest may be long. If the recorded
// manifest equals the run's manifest, as it mostly does, the JSON decoder skips it, and
// only one of the two stays in memory.
func (r *run) readCompletion(text []byte) (*Completion, error) {
	n := len(r.manifest)
	rest, ok := bytes.CutPrefix(text, []byte(manifestFirst))
	if !ok || len(rest) <= n || rest[n] != ',' || !bytes.Equal(rest[:n], r.manifest) {
		return readCompletion(text)
	}
	done, err := readCompletion(slices.Concat([]byte{'{'}, rest[n+1:]))
	if err == nil {
		r.manifest = rest[:n:n]
		done.Manifest = r.manifest
	}
	return done, err
}

// readCompletion reads a record of completion. The manifest stays a text.
func readCompletion(text []byte) (*Completion, error) {
	done := &Completion{}
	if err := json.Unmarshal(text, done); err != nil {
		return nil, fmt.Errorf("checkpoint: the record of completion: %w", err)
	}
	return done, nil
}
