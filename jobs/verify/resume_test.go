package verify_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/jobs/verify"
)

// reads counts what a verification reads of files whose names have a certain part. From the
// read with the number last on, reads end the verification.
type reads struct {
	part   string
	last   int // 0: never
	cancel func()

	mu sync.Mutex
	n  int
}

func (r *reads) fault(op, key string) error {
	if op != "read" || !strings.Contains(key, r.part) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n++; r.last > 0 && r.n >= r.last {
		r.cancel()
		return context.Canceled
	}
	return nil
}

// verifiedUntil verifies until the given read.
func verifiedUntil(t *testing.T, j *jobfile.Job, opt verify.Options, r *reads) (*verify.Result, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.cancel = cancel
	env := jobtest.Environment()
	env.Fault = r.fault
	return verify.Verify(ctx, j, env, opt)
}

// readsOfAPlan counts the reads that making the plan takes.
func readsOfAPlan(t *testing.T, j *jobfile.Job, part string) int {
	t.Helper()
	r := &reads{part: part}
	env := jobtest.Environment()
	env.Fault = r.fault
	p, err := plan.New(t.Context(), j, env)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return r.n
}

// TestResume interrupts verifications at each of their reads. The next verification goes on
// there: it reads nothing twice that was the same as written, and has the result of an undisturbed
// verification.
func TestResume(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		level verify.Level
		part  string
	}{{verify.Stored, "/c"}, {verify.Decoded, "/c"}, {verify.Source, "f.raw"}} {
		for _, damaged := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/damaged=%v", c.level, damaged), func(t *testing.T) {
				t.Parallel()
				j, dir := migrated(t)
				j.Run.Workers.Read = 1
				if damaged {
					for _, key := range []string{"plain/c/0/1", "lossy/c/1/0"} {
						data := objectsOf(t, dir)[key]
						data[len(data)/2] ^= 1
						replace(t, dir, key, data)
					}
				}
				opt := verify.Options{Level: c.level}
				all := &reads{part: c.part}
				want, err := verifiedUntil(t, j, opt, all)
				if err != nil {
					t.Fatal(err)
				}
				planning := 0 // reads, in each verification
				if c.level == verify.Source {
					planning = readsOfAPlan(t, j, c.part)
				}
				for n := 1; n <= all.n; n++ {
					first := &reads{part: c.part, last: n}
					if _, err := verifiedUntil(t, j, opt, first); !errors.Is(err, context.Canceled) {
						t.Fatalf("read %d of %d: %v", n, all.n, err)
					}
					second := &reads{part: c.part}
					got, err := verifiedUntil(t, j, opt, second)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(verify.Result{}, "Time", "Requests", "Resumed"), cmpopts.IgnoreUnexported(deviation.Deviation{}), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
						t.Fatalf("interrupted at read %d (-undisturbed +resumed):\n%s", n, diff)
					}
					if want := all.n - max(0, n-1-planning); second.n < want || !damaged && second.n > want {
						t.Errorf("interrupted at read %d of %d: then %d reads, want %d", n, all.n, second.n, want)
					}
					if _, err := os.Stat(filepath.Join(dir+".zmigrate", "verifying.json")); !errors.Is(err, os.ErrNotExist) {
						t.Errorf("the progress of a verification that ended is there: %v", err)
					}
				}
			})
		}
	}
}

// TestResumeOnlyTheSame interrupts a verification. What it has read counts only for the same
// verification of the same objects.
func TestResumeOnlyTheSame(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		between func(t *testing.T, j *jobfile.Job, dir string)
		opt     verify.Options
		resumed int
	}{
		"the same":      {nil, verify.Options{}, 5},
		"another level": {nil, verify.Options{Level: verify.Stored}, 0},
		"a sample":      {nil, verify.Options{Sample: 0.99, Seed: 1}, 0},
		"from anew":     {nil, verify.Options{Restart: true}, 0},
		"objects were written again": {func(t *testing.T, _ *jobfile.Job, dir string) {
			for key := range objectsOf(t, dir) {
				if err := os.Chtimes(filepath.Join(dir, key), time.Time{}, time.Unix(1e9, 0)); err != nil {
					t.Fatal(err)
				}
			}
		}, verify.Options{}, 0},
		"the progress is damaged": {func(t *testing.T, _ *jobfile.Job, dir string) {
			if err := os.WriteFile(filepath.Join(dir+".zmigrate", "verifying.json"), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, verify.Options{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j, dir := migrated(t)
			j.Run.Workers.Read = 1
			j.Run.Every = 0 // as if the process was killed: the progress was stored on the way
			if _, err := verifiedUntil(t, j, verify.Options{}, &reads{part: "/c", last: 6}); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if c.between != nil {
				c.between(t, j, dir)
			}
			r := verified(t, j, c.opt)
			if r.Count != 0 || r.Resumed != c.resumed || r.Read < 15 {
				t.Errorf("%+v, want %d objects resumed", r, c.resumed)
			}
			if r := verified(t, j, verify.Options{}); r.Resumed != 0 {
				t.Errorf("%+v after the end", r)
			}
		})
	}
}
