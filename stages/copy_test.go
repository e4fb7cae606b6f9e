package stages

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestCarriedObjectsAreCopied has a store that copies all objects, some or none. Small
// objects are in memory, large ones are not.
func TestCarriedObjectsAreCopied(t *testing.T) {
	for _, piece := range []int{0, 8} {
		for of, copies := range map[string]func(index []int) bool{
			"all": func([]int) bool { return true }, "none": func([]int) bool { return false },
			"some": func(index []int) bool { return index[0]%2 == 0 },
		} {
			t.Run(fmt.Sprintf("%s/%d", of, piece), func(t *testing.T) {
				noLeaks(t)
				s, x, w := stored(t, []int{18, 12}, []int{4, 5}, bind(t, []int{4, 5}, "bytes"))
				delete(s.objects, zarr.KeyEncoding{}.Key([]int{1, 2}))
				var copied, seen atomic.Int64
				x.Piece = piece
				x.Copy = func(ctx context.Context, index []int, in codecs.Input) (sinks.Receipt, bool, error) {
					data := s.objects[zarr.KeyEncoding{}.Key(index)]
					if in.Size() != int64(len(data)) {
						t.Errorf("object %v of %d bytes, want %d", index, in.Size(), len(data))
					}
					if !copies(index) {
						return sinks.Receipt{}, false, nil
					}
					copied.Add(1)
					r, err := w.Put(ctx, index, data)
					return r, true, err
				}
				var l ledger
				c := config(&l)
				c.Observe = func(e Event) { seen.Add(e.Read) }
				if err := Run(t.Context(), c, List{x}); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(s.objects, w.objects); diff != "" {
					t.Errorf("objects (-source +target):\n%s", diff)
				}
				want := 0
				for _, r := range l.receipts {
					data := s.objects[keyOf(x, r.Unit)]
					if !r.Empty && (r.Bytes != int64(len(data)) || r.Sum != checksum(data)) {
						t.Errorf("receipt %+v of %d bytes", r, len(data))
					}
					if !r.Empty && copies(x.Grid.Index(r.Unit)) {
						want++
					}
				}
				if int(copied.Load()) != want || len(l.receipts) != x.Grid.Len() {
					t.Errorf("%d copied, want %d; %d receipts", copied.Load(), want, len(l.receipts))
				}
				if got, all := seen.Load(), int64(2*18*12); got != all {
					t.Errorf("observed %d bytes of elements, want %d", got, all)
				}
			})
		}
	}
}

// TestCopiesThatFail returns a wrong checksum of a copy, or an error.
func TestCopiesThatFail(t *testing.T) {
	broken := errors.New("broken")
	for want, answer := range map[string]func() (sinks.Receipt, bool, error){
		"replaced": func() (sinks.Receipt, bool, error) { return sinks.Receipt{Sum: 1}, true, nil },
		"broken":   func() (sinks.Receipt, bool, error) { return sinks.Receipt{}, false, broken },
	} {
		_, x, _ := stored(t, []int{18, 12}, []int{4, 5}, bind(t, []int{4, 5}, "bytes"))
		x.Copy = func(context.Context, []int, codecs.Input) (sinks.Receipt, bool, error) { return answer() }
		var l ledger
		if err := Run(t.Context(), config(&l), List{x}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if len(l.receipts) != 0 {
			t.Errorf("%s: receipts %+v", want, l.receipts)
		}
	}
}
