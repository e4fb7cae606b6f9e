package app

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/stages"
)

// TestInTurnInterrupted interrupts a command of three jobs while the second is done, and after the
// first is done. Not even --keep-going begins the next job.
func TestInTurnInterrupted(t *testing.T) {
	for name, test := range map[string]struct {
		at       string
		err      error
		out, log string
		begun    []string
	}{
		"while a run is under way": {"b", stages.ErrStopped, "3 jobs: 1 done, 1 failed, 1 not begun\n  a  done\n  b  failed (status 130)\n  c  not begun\n",
			"zmigrate: b: " + stages.ErrStopped.Error() + "\n", []string{"a", "b"}},
		"while a plan is made": {"b", context.Canceled, "3 jobs: 1 done, 1 failed, 1 not begun\n  a  done\n  b  failed (status 130)\n  c  not begun\n",
			"zmigrate: b: interrupted: give the same command again\n", []string{"a", "b"}},
		"after a job is done": {"a", nil, "3 jobs: 1 done, 2 not begun\n  a  done\n  b  not begun\n  c  not begun\n",
			"zmigrate: b was not begun: " + stages.ErrStopped.Error() + "\n", []string{"a"}},
		"after the last job is done": {"c", nil, "3 jobs: 3 done\n  a  done\n  b  done\n  c  done\n", "", []string{"a", "b", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out, log bytes.Buffer
			a := &app{out: &out, err: &log, log: slog.New(slog.DiscardHandler), stop: make(chan struct{})}
			a.interrupted.Store(true)
			var begun []string
			err := a.inTurn([]*jobs.Job{{Name: "a"}, {Name: "b"}, {Name: "c"}}, turns{goOn: true}, func(j *jobs.Job) error {
				begun = append(begun, j.Name)
				if j.Name != test.at {
					return nil
				}
				close(a.stop)
				return test.err
			})
			want := exitInterrupted
			if strings.HasPrefix(test.out, "3 jobs: 3 done") {
				want = exitDone
			}
			if got := a.conclude(err, &output{w: &out}); got != want {
				t.Errorf("status %d, want %d", got, want)
			}
			for _, diff := range []string{cmp.Diff(test.out, out.String()), cmp.Diff(test.log, log.String()), cmp.Diff(test.begun, begun)} {
				if diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}
