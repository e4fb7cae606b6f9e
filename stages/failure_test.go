package stages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var errTest = errors.New("made to fail")

// TestFirstError fails each stage at each unit. The error names array, chunk and cause.
// Units that were stored before are committed.
func TestFirstError(t *testing.T) {
	const rows = 12
	for _, stage := range []string{"read", "encode", "write"} {
		for unit := range rows {
			t.Run(fmt.Sprintf("%s/%d", stage, unit), func(t *testing.T) {
				noLeaks(t)
				s := counted(rows, 8)
				x, w := task(t, s, 1, 8)
				cause := errTest
				switch stage {
				case "read":
					s.before = func(_ context.Context, start []int) error {
						if start[0] == unit {
							return errTest
						}
						return nil
					}
				case "encode":
					x.Block = []int{5, 1}
					x.Chain = bindIn(t, registryWith(t, uint16(8*unit+1)), []int{1, 8}, "failing", "crc32c")
					cause = errEncode
				case "write":
					x.Block = []int{5, 1}
					w.before = func(_ context.Context, index []int) error {
						if index[0] == unit {
							return errTest
						}
						return nil
					}
				}
				var l ledger
				err := Run(t.Context(), config(&l), List{x})
				if !errors.Is(err, cause) {
					t.Fatalf("error %v, want %v", err, cause)
				}
				if want := fmt.Sprintf(`array "a", chunk [%d 0]: %s: `, unit, stage); !strings.HasPrefix(err.Error(), want) {
					t.Errorf("error %q, want it to begin with %q", err, want)
				}
				checkCommitted(t, x, w, &l)
			})
		}
	}
}

// checkCommitted compares the stored objects with the committed units.
func checkCommitted(t *testing.T, x Task, w *memoryWriter, l *ledger) {
	t.Helper()
	var stored []int
	for unit := range x.Grid.Len() {
		if w.puts[keyOf(x, unit)] > 0 {
			stored = append(stored, unit)
		}
	}
	if diff := cmp.Diff(stored, l.units(0)); diff != "" {
		t.Errorf("stored and committed units differ (-stored +committed):\n%s", diff)
	}
}

// TestErrorInABlock fails a unit of a block whose buffer the others share.
func TestErrorInABlock(t *testing.T) {
	const side = 8
	for unit := range side * side {
		noLeaks(t)
		s := counted(2*side, 2*side)
		x, w := task(t, s, 2, 2)
		x.Block = []int{3, 4}
		w.before = func(_ context.Context, index []int) error {
			if x.Grid.Number(index) == unit {
				return errTest
			}
			return nil
		}
		var l ledger
		if err := Run(t.Context(), config(&l), List{x}); !errors.Is(err, errTest) {
			t.Errorf("unit %d: error %v", unit, err)
		}
		checkCommitted(t, x, w, &l)
	}
}

// TestCommitFails makes each unit wait for the commit of the unit before it. After a
// commit that fails there is no other commit.
func TestCommitFails(t *testing.T) {
	const rows = 16
	for at := range rows {
		noLeaks(t)
		s := counted(rows, 8)
		x, _ := task(t, s, 1, 8)
		var begun [rows]chan struct{}
		for i := range begun {
			begun[i] = make(chan struct{})
		}
		l := ledger{during: func(n int) error {
			close(begun[n])
			if n == at {
				return errTest
			}
			return nil
		}}
		s.before = func(ctx context.Context, start []int) error {
			if start[0] == 0 || start[0] > at+1 {
				return nil
			}
			select {
			case <-begun[start[0]-1]:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		c := config(&l)
		c.Every = time.Nanosecond // commits as soon as there is a receipt
		c.Memory = x.Cost()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		if err := Run(ctx, c, List{x}); !errors.Is(err, errTest) {
			t.Errorf("commit %d: error %v", at, err)
		}
		cancel()
		if len(l.sizes) != at+1 || len(l.receipts) != at {
			t.Errorf("commit %d failed, but there were %d with %d receipts that hold", at, len(l.sizes), len(l.receipts))
		}
	}
}

// TestLastCommitFails fails the commit when nothing is left to write.
func TestLastCommitFails(t *testing.T) {
	noLeaks(t)
	x, _ := task(t, counted(4, 4), 2, 2)
	l := ledger{during: func(int) error { return errTest }}
	if err := Run(t.Context(), config(&l), List{x}); !errors.Is(err, errTest) {
		t.Errorf("error %v", err)
	}
}

// TestCancel cancels at each unit; every other worker is blocked until the
// cancellation reaches it.
func TestCancel(t *testing.T) {
	for unit := range 8 {
		for _, stage := range []string{"read", "write"} {
			noLeaks(t)
			ctx, cancel := context.WithCancel(t.Context())
			s := counted(8, 8)
			x, w := task(t, s, 1, 8)
			hook := func(ctx context.Context, at []int) error {
				switch {
				case at[0] < unit:
					return nil
				case at[0] == unit:
					cancel()
				}
				<-ctx.Done()
				return ctx.Err()
			}
			if stage == "read" {
				s.before = hook
			} else {
				w.before = hook
			}
			var l ledger
			c := config(&l)
			c.Read, c.Write = 8, 8
			if err := Run(ctx, c, List{x}); !errors.Is(err, context.Canceled) {
				t.Errorf("%s of unit %d: error %v", stage, unit, err)
			}
			checkCommitted(t, x, w, &l)
			cancel()
		}
	}
}

func TestCancelledBefore(t *testing.T) {
	noLeaks(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x, w := task(t, counted(64, 8), 1, 8)
	var l ledger
	c := config(&l)
	c.Memory = x.Cost() // the second block has to wait for the budget
	if err := Run(ctx, c, List{x}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	checkCommitted(t, x, w, &l)
}

// TestManyErrors fails all units of two arrays. Run returns exactly one of the errors.
func TestManyErrors(t *testing.T) {
	noLeaks(t)
	var tasks []Task
	var mu sync.Mutex
	var made []string
	for _, name := range []string{"first", "second"} {
		s := counted(16, 4)
		s.info.Path = name
		s.before = func(_ context.Context, start []int) error {
			mu.Lock()
			defer mu.Unlock()
			made = append(made, fmt.Sprintf("array %q, chunk %v: read: %s", name, start, errTest))
			return errTest
		}
		x, _ := task(t, s, 1, 4)
		tasks = append(tasks, x)
	}
	var l ledger
	err := Run(t.Context(), config(&l), List(tasks))
	if err == nil || !slices.Contains(made, err.Error()) {
		t.Errorf("error %v, want one of %q", err, made)
	}
	if len(l.receipts) != 0 {
		t.Errorf("committed %v", l.receipts)
	}
}
