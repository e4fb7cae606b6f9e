package stages

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/zmigrate/zmigrate/sinks"
)

// TestMonitor stops a run in a reader, and then in a writer, and asks what the workers do.
func TestMonitor(t *testing.T) {
	noLeaks(t)
	s := counted(64, 64)
	x, w := task(t, s, 8, 64)
	x.Path, x.First = "group/a", []int{10, 0}
	var m Monitor
	began := time.Now()
	reading, read := make(chan struct{}), make(chan struct{})
	writing, written := make(chan struct{}), make(chan struct{})
	once := true
	s.before = func(context.Context, []int) error {
		if once {
			once = false
			close(reading)
			<-read
		}
		return nil
	}
	w.before = func(_ context.Context, index []int) error {
		if index[0] == 0 {
			close(writing)
			<-written
		}
		return nil
	}
	var l ledger
	commit := func(ctx context.Context, receipts []sinks.Receipt) error {
		for began := time.Now(); time.Since(began) == 0; { // some clocks go in steps
		}
		return l.commit(ctx, receipts)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- Run(t.Context(), Config{Memory: 1 << 20, Read: 1, Encode: 2, Write: 1, Commit: commit, Monitor: &m}, List{x})
	}()
	check := func(moment string, want ...Activity) {
		t.Helper()
		var got []Activity
		for _, a := range m.Activities() {
			if a.Stage != "read" { // others begin, and go on, as far as there is room
				continue
			}
			if a.Since.Before(began) || a.Since.After(time.Now()) {
				t.Errorf("%s: since %v", moment, a.Since)
			}
			got = append(got, a)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Activity{}, "Since")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", moment, diff)
		}
		if used, budget := m.Memory(); used <= 0 || used > budget || budget != 1<<20 {
			t.Errorf("%s: %d of %d bytes", moment, used, budget)
		}
	}
	<-reading
	check("a reader is at work", Activity{Stage: "read", Array: "group/a", Chunk: []int{10, 0}, Chunks: 1})
	close(read)
	<-writing
	for _, a := range m.Activities() {
		if a.Stage == "write" && !cmp.Equal(a.Chunk, []int{10, 0}) {
			t.Errorf("the writer: %v", a)
		}
	}
	close(written)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if used, budget := m.Memory(); used != 0 || budget != 1<<20 || len(m.Activities()) != 0 {
		t.Errorf("after the end: %d of %d bytes, %v", used, budget, m.Activities())
	}
	took := time.Since(began)
	for i, b := range m.Busy() {
		// Of a stage with two workers, both may work all the time.
		if b.Stage != []string{"read", "encode", "write", "commit"}[i] || b.Time <= 0 || b.Time > 2*took {
			t.Errorf("after the end: %v of %v", b, took)
		}
	}
}
