package run

import (
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

// CompletedArray is how an array has come out.
type CompletedArray struct {
	Empty    int   `json:"empty_chunks,omitempty"`
	BytesOut int64 `json:"bytes_out,omitempty"`
}

// text is the record as JSON, in which the manifest is as it is.
func (c Completion) text() ([]byte, error) {
	manifest := c.Manifest
	c.Manifest = nil
	rest, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"manifest":`), manifest, []byte{','}, rest[1:]), nil
}

// readCompletion reads a record of completion, but for its manifest.
func readCompletion(text []byte) (*Completion, error) {
	done := &Completion{}
	if err := json.Unmarshal(text, done); err != nil {
		return nil, fmt.Errorf("checkpoint: the record of completion: %w", err)
	}
	return done, nil
}
