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
				if err := complete(context.Background(), owner, json.RawMessage(`{"done": 1}`), nil); err != nil {
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

// TestGlance has a checkpoint with a campaign and receipts glanced at, which lists nothing.
func TestGlance(t *testing.T) {
	root := t.TempDir()
	st := open(t, root, store.Options{})
	owner := openJournal(t, st)
	must(t, owner.Begin(t.Context(), []byte(`{"plan": 1}`)))
	must(t, owner.Append(t.Context(), []sinks.Receipt{{Unit: 1, Bytes: 2}}))
	must(t, WriteCampaign(t.Context(), st, &Campaign{Token: "token"}))
	var lists atomic.Int64
	reader := open(t, root, store.Options{Fault: func(operation, _ string) error {
		if operation == "list" {
			lists.Add(1)
		}
		return nil
	}})
	for name, look := range map[string]func(context.Context, *store.Store) (*Journal, error){"Glance": Glance, "Peek": Peek} {
		lists.Store(0)
		j, err := look(t.Context(), reader)
		must(t, err)
		c, err := j.Campaign(t.Context())
		must(t, err)
		if c == nil || c.Token != "token" || string(j.Manifest()) != `{"plan": 1}` || j.Completed() != nil {
			t.Errorf("%s: campaign %v, plan %s", name, c, j.Manifest())
		}
		if listed := name == "Peek"; j.Begun() != listed || (lists.Load() > 0) != listed {
			t.Errorf("%s: %d lists, receipts: %v", name, lists.Load(), j.Begun())
		}
	}
	must(t, RemoveCampaign(t.Context(), st))
	j, err := Glance(t.Context(), reader)
	must(t, err)
	if c, err := j.Campaign(t.Context()); c != nil || err != nil {
		t.Errorf("no campaign: %v, %v", c, err)
	}
}
