package journal

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sinks"
)

// TestOpenWhileAnotherCompletes opens a checkpoint. Before each operation of Open in turn,
// the owner completes the job, or begins it again.
func TestOpenWhileAnotherCompletes(t *testing.T) {
	for i := 1; ; i++ {
		root := t.TempDir()
		st := open(t, root, store.Options{})
		owner := openJournal(t, st)
		must(t, owner.Begin(t.Context(), []byte(`{"plan": 1}`)))
		for unit := range 3 {
			must(t, owner.Append(t.Context(), []sinks.Receipt{{Unit: unit, Bytes: 2}}))
		}
		var n atomic.Int64 // operations, some at the same time
		reader := open(t, root, store.Options{Fault: func(string, string) error {
			if n.Add(1) == int64(i) {
				if err := owner.Complete(context.Background(), json.RawMessage(`{"done": 1}`), nil); err != nil {
					return err
				}
				return owner.Succeed(context.Background(), []byte(`{"plan": 2}`))
			}
			return nil
		}})
		j, err := Open(t.Context(), reader)
		if err != nil {
			t.Fatalf("operation %d: %v", i, err)
		}
		if n.Load() < int64(i) {
			break
		}
		if (j.Completed() == nil) == (j.Manifest() == nil) {
			t.Errorf("operation %d: record %s, plan %s, want one of them", i, j.Completed(), j.Manifest())
		}
	}
}
