package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/stages"
)

// TestChangedMeanwhile interrupts a run, changes something, and resumes. The run is
// refused, and the message names the difference. Target and checkpoint stay unchanged.
// When everything is as before, the run continues.
func TestChangedMeanwhile(t *testing.T) {
	dir := fast(t)
	job, target := cube(t, dir, 48, "zstd")
	finished := undisturbed(t, job, target)
	removeTarget(t, target)
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
		want   []string // parts of the message
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
				t.Fatalf("error %v, want one that says what has changed", err)
			}
			for _, part := range append(test.want, "interrupted", "overwrite") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error does not mention %q: %v", part, err)
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

// TestChangedAndPutBack changes the source while a run reads it, so that the run ends
// with an error. Then it restores the source, with the time of its last change. The
// next run must read all of it again.
func TestChangedAndPutBack(t *testing.T) {
	t.Parallel()
	for name, remote := range map[string]bool{"local": false, "remote": true} {
		t.Run(name, func(t *testing.T) {
			dir := fast(t)
			job, target := cube(t, dir, 48, "zstd")
			finished := undisturbed(t, job, target)
			removeTarget(t, target)
			var set []string
			if remote {
				server := httptest.NewServer(http.FileServer(http.Dir(dir)))
				t.Cleanup(server.Close)
				for _, array := range []string{"field/values", "field/line", "shards/end", "shards/start"} {
					set = append(set, fmt.Sprintf("source.arrays[%q].url=%s/data.bin", array, server.URL))
				}
			}
			source := filepath.Join(dir, "data.bin")
			then := time.Now().Add(-time.Hour) // HTTP states times in seconds
			data, err := os.ReadFile(source)
			if err = errors.Join(err, os.Chtimes(source, time.Time{}, then)); err != nil {
				t.Fatal(err)
			}
			replace := func(data []byte) error {
				f, err := os.OpenFile(source, os.O_WRONLY, 0)
				if err != nil {
					return err
				}
				_, err = f.WriteAt(data, 0)
				return errors.Join(err, f.Close())
			}
			var once sync.Once
			_, err = migrate(t.Context(), job, environment(), jobs.RunOptions{Observe: func(stages.Event) {
				once.Do(func() {
					if err := replace(make([]byte, len(data))); err != nil {
						t.Error(err)
					}
				})
			}}, append(set, "run.workers.write=1", "run.workers.read=1")...)
			if !errors.Is(err, sources.ErrChanged) {
				t.Fatalf("error %v, want %v", err, sources.ErrChanged)
			}
			if err := errors.Join(replace(data), os.Chtimes(source, time.Time{}, then)); err != nil {
				t.Fatal(err)
			}
			result, err := migrate(t.Context(), job, environment(), jobs.RunOptions{}, set...)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d chunks were resumed", result.Resumed, result.Chunks)
			if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
				t.Errorf("(-undisturbed +resumed):\n%s", diff)
			}
		})
	}
}

// records returns the checkpoint of a target without the lock, because each run changes
// the lock's markers.
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
