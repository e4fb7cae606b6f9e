package stages

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestBudget counts the bytes of blocks in flight, from the beginning of the read to the
// end of the write: the buffer with the object. The memory of the encoder is not counted,
// because the test cannot see when it is given back. The first write waits until as many
// blocks have begun as the budget allows. So the bound is reached and not exceeded.
func TestBudget(t *testing.T) {
	noLeaks(t)
	for _, test := range []struct {
		name   string
		blocks int
		codecs []string
		alias  bool // the object lies in the block's buffer
	}{
		{"one block", 1, []string{"bytes"}, dtype.Native == dtype.Little},
		{"three blocks", 3, []string{"bytes"}, dtype.Native == dtype.Little},
		{"three blocks, compressed", 3, []string{"bytes", "zstd", "crc32c"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := counted(64, 64)
			x, w := task(t, s, 8, 64)
			x.Chain = bind(t, []int{8, 64}, test.codecs...)
			held, _, _ := x.cost(1)
			if !test.alias {
				held = ndarray.Rounded(x.Chain.Size().Max)
			}
			var begun, inFlight, most atomic.Int64
			full := make(chan struct{})
			s.before = func(context.Context, []int) error {
				n := inFlight.Add(int64(held))
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				if begun.Add(1) == int64(test.blocks) {
					close(full)
				}
				return nil
			}
			w.before = func(ctx context.Context, _ []int) error {
				select {
				case <-full:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			w.after = func([]int) { inFlight.Add(int64(-held)) }
			var l ledger
			c := config(&l)
			c.Memory = x.Cost()*test.blocks + x.Cost()/2
			c.Read, c.Encode, c.Write = 16, 16, 16
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if err := Run(ctx, c, List{x}); err != nil {
				t.Fatal(err)
			}
			if got := most.Load(); got > int64(c.Memory) {
				t.Errorf("%d bytes in flight, the budget is %d", got, c.Memory)
			}
			if got := inFlight.Load(); got != 0 {
				t.Errorf("%d bytes in flight at the end", got)
			}
		})
	}
}

// TestReadersAreInTheBudget: the memory of the source is reserved while it reads, and no
// longer. The first readers wait until as many have begun as the budget allows. Later
// readers give way to others, which might begin too soon.
func TestReadersAreInTheBudget(t *testing.T) {
	noLeaks(t)
	const reading, blocks = 16 << 20, 2
	s := counted(64, 64)
	x, _ := task(t, s, 1, 64)
	least := x.Cost()
	s.info.Memory = 1
	if got := x.Cost(); got != least {
		t.Errorf("a block costs %d bytes, want %d: what encoding takes is enough for reading", got, least)
	}
	s.info.Memory = reading
	buffer, _, _ := x.cost(1)
	if got, want := x.Cost(), buffer+reading; got != want {
		t.Errorf("a block costs %d bytes, want %d", got, want)
	}
	var begun, inFlight, most atomic.Int64
	full := make(chan struct{})
	s.before = func(ctx context.Context, _ []int) error {
		n := inFlight.Add(1)
		defer inFlight.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if begun.Add(1) == blocks {
			close(full)
		}
		for range 100 {
			runtime.Gosched()
		}
		select {
		case <-full:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	var l ledger
	c := config(&l)
	c.Memory, c.Read = blocks*x.Cost()+x.Cost()/2, 16
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := Run(ctx, c, List{x}); err != nil {
		t.Fatal(err)
	}
	if got := most.Load(); got > blocks {
		t.Errorf("%d blocks were read at the same time, the budget is for %d", got, blocks)
	}
	if got := len(l.units(0)); got != 64 {
		t.Errorf("%d units were committed, want 64", got)
	}
}

func TestBlockAboveTheBudget(t *testing.T) {
	s := counted(64, 64)
	s.before = func(context.Context, []int) error {
		t.Error("something was read")
		return nil
	}
	x, _ := task(t, s, 32, 64)
	var l ledger
	c := config(&l)
	c.Memory = x.Cost() - 1
	err := Run(t.Context(), c, List{x})
	if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), `array "a"`) {
		t.Errorf("error %v, want ErrMemory for array a", err)
	}
	c.Memory++
	s.before = nil
	if err := Run(t.Context(), c, List{x}); err != nil {
		t.Errorf("a budget of exactly one block: %v", err)
	}
}
