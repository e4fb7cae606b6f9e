package run

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// TestRunHasAName checks that each run has a name of its own: in its result, in its log,
// and in the record of the job that it completes.
func TestRunHasAName(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	var log bytes.Buffer
	env.Log = slog.New(slog.NewJSONHandler(&log, nil))
	first, err := execute(t, j, env, Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for d := json.NewDecoder(&log); d.More(); lines++ {
		var line struct{ Run, Msg string }
		if err := d.Decode(&line); err != nil || line.Run != first.Run {
			t.Errorf("the line %q of the log is of run %q, not %q, error %v", line.Msg, line.Run, first.Run, err)
		}
	}
	if lines == 0 || len(first.Run) != 12 {
		t.Errorf("%d lines of log of run %q", lines, first.Run)
	}
	second, err := execute(t, j, env, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if second.Run == first.Run || !second.Nothing {
		t.Errorf("the second run is called %q, the first one %q", second.Run, first.Run)
	}
	status, err := ReadStatus(t.Context(), j, env)
	if err != nil || status.Run != first.Run {
		t.Errorf("completed by run %q, want %q, error %v", status.Run, first.Run, err)
	}
}
