package e2e

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/stages"
)

// TestChangedMeanwhile interrupts a run, changes something, and resumes: that
// is refused with the difference named, target and checkpoint stay as they
// were, and once everything is as before the run goes on.
func TestChangedMeanwhile(t *testing.T) {
	dir := fast(t)
	job, target := cube(t, dir, 48, "zstd")
	finished := undisturbed(t, job, target)
	fresh(t, target)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := migrate(ctx, job, environment(), jobs.RunOptions{Observe: func(stages.Event) { cancel() }}, "run.workers.write=1")
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	out, err := zmigrate(t.Context(), t, "status", job).Output()
	if err != nil || !strings.Contains(string(out), "interrupted; run it again") {
		t.Errorf("status: %v\n%s", err, out)
	}
	before, checkpoint := tree(t, target), records(t, target)
	source := filepath.Join(dir, "data.bin")
	then, err := os.Stat(source)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func() error
		set    []string
		want   []string // in the message
	}{
		{"time", func() error { return os.Chtimes(source, time.Time{}, then.ModTime().Add(time.Second)) }, nil,
			[]string{"data.bin", "last changed"}},
		{"chunks", nil, []string{"arrays[\"field/values\"].chunks=[16, 8, 8]"}, []string{"field/values", "[8,8,8]", "[16,8,8]"}},
		{"codecs", nil, []string{"defaults.codecs=[bytes]"}, []string{"codecs"}},
		{"fill value", nil, []string{"arrays[\"field/line\"].fill_value=7"}, []string{"fill_value", "7"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.change != nil {
				if err := test.change(); err != nil {
					t.Fatal(err)
				}
			}
			_, err := migrate(t.Context(), job, environment(), jobs.RunOptions{}, test.set...)
			var changed *jobs.ChangedError
			if !errors.As(err, &changed) || changed.Complete {
				t.Fatalf("error %v, want one about what has changed", err)
			}
			for _, part := range append(test.want, "interrupted", "overwrite") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error does not speak of %q: %v", part, err)
				}
			}
			if diff := cmp.Diff(before, tree(t, target)); diff != "" {
				t.Errorf("target (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(checkpoint, records(t, target)); diff != "" {
				t.Errorf("checkpoint (-before +after):\n%s", diff)
			}
			if err := errors.Join(os.WriteFile(source, data, 0o666), os.Chtimes(source, time.Time{}, then.ModTime())); err != nil {
				t.Fatal(err)
			}
		})
	}
	result, err := migrate(t.Context(), job, environment(), jobs.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Resumed == 0 {
		t.Error("nothing was resumed")
	}
	if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
		t.Errorf("(-undisturbed +resumed):\n%s", diff)
	}
}

// records is the checkpoint of a target without the lock, whose markers change
// with every run.
func records(t *testing.T, target string) map[string]string {
	t.Helper()
	files := tree(t, target+".zmigrate")
	for key := range files {
		if filepath.Dir(key) == "lock" {
			delete(files, key)
		}
	}
	return files
}
