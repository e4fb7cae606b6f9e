package stages

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestUnitsAtOnce reads one block of all units. The budget has room for encoding some of
// them at the same time. Writes wait until that many are encoded, so the bound is reached
// and not exceeded.
func TestUnitsAtOnce(t *testing.T) {
	for _, atOnce := range []int{1, 3, 16, 0} {
		t.Run(fmt.Sprint(atOnce), func(t *testing.T) {
			noLeaks(t)
			const units = 16
			s := counted(8*units, 64)
			x, w := task(t, s, 8, 64)
			x.Chain = bind(t, []int{8, 64}, "bytes", "zstd")
			x.Block, x.AtOnce = []int{units, 1}, atOnce
			_, each, _ := x.cost(units)
			object := ndarray.Rounded(x.Chain.Size().Max)
			room := x.atOnce(units) * each
			var begun, inFlight, most, reads atomic.Int64
			full := make(chan struct{})
			s.before = func(context.Context, []int) error {
				reads.Add(1)
				return nil
			}
			w.before = func(ctx context.Context, _ []int) error {
				n := inFlight.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				if begun.Add(1) == int64(x.atOnce(units)) {
					close(full)
				}
				for range 100 {
					runtime.Gosched() // others may come too soon
				}
				select {
				case <-full:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			w.after = func([]int) { inFlight.Add(-1) }
			var l ledger
			c := config(&l)
			c.Memory = x.Cost()
			c.Encode, c.Write = units, units
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if err := Run(ctx, c, List{x}); err != nil {
				t.Fatal(err)
			}
			if got := int(most.Load()) * object; got > room {
				t.Errorf("objects of %d bytes were written at the same time, with room for %d", got, room)
			}
			if got := reads.Load(); got != 1 {
				t.Errorf("the source was read %d times", got)
			}
			checkDecoded(t, s, x, w)
		})
	}
}

// TestFailuresInTheLeastMemory runs random tasks with random blocks, many
// workers and no more memory than one block takes. Reading or writing fails
// at some point. All committed units are stored. When the rest is done, the
// objects are the same as those of a run without failures.
func TestFailuresInTheLeastMemory(t *testing.T) {
	for seed := range uint64(80) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			noLeaks(t)
			r := rand.New(rand.NewPCG(seed, 6))
			s, x, w := sample(t, r)
			x.AtOnce = 1 + r.IntN(3)
			undisturbed := memoryWriter{}
			alone := x
			alone.Writer, alone.Stream = &undisturbed, undisturbed.stream
			var l, lAlone ledger
			c := config(&l)
			c.Memory, c.Read, c.Encode, c.Write = x.Cost(), 1+r.IntN(16), 1+r.IntN(16), 1+r.IntN(16)
			c.Every = time.Duration(1 + r.IntN(int(time.Millisecond)))
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			var calls atomic.Int64
			at := int64(1 + r.IntN(12))
			fail := func() error {
				if calls.Add(1) == at {
					return errTest
				}
				return nil
			}
			switch r.IntN(3) {
			case 0:
				s.before = func(context.Context, []int) error { return fail() }
			case 1:
				w.before = func(context.Context, []int) error { return fail() }
			case 2:
				w.piece = func([]int, int) error { return fail() }
			}
			if err := Run(ctx, c, List{x}); err != nil && !errors.Is(err, errTest) || err == nil && calls.Load() >= at {
				t.Fatalf("error %v after %d calls, the call %d fails", err, calls.Load(), at)
			}
			if n := w.open.Load(); n != 0 {
				t.Errorf("%d streams were not ended", n)
			}
			done := l.units(0)
			x.Done = func(unit int) bool { return slices.Contains(done, unit) }
			s.before, w.before, w.piece = nil, nil, nil
			if err := Run(ctx, c, List{x}); err != nil {
				t.Fatal(err)
			}
			c = config(&lAlone)
			if err := Run(ctx, c, List{alone}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(lAlone.units(0), l.units(0)); diff != "" {
				t.Errorf("committed units (-undisturbed +interrupted):\n%s", diff)
			}
			if diff := cmp.Diff(undisturbed.objects, w.objects); diff != "" {
				t.Errorf("objects (-undisturbed +interrupted):\n%s", diff)
			}
		})
	}
}
