package stages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestSample has one chunk that cannot be encoded. Sample reports it if it is the first,
// the middle or the last chunk, and looks at no other.
func TestSample(t *testing.T) {
	for _, test := range []struct {
		chunks int
		want   []int // the cells that are sampled
	}{{0, nil}, {1, []int{0}}, {2, []int{0, 1}}, {7, []int{0, 3, 6}}} {
		for poisoned := range max(test.chunks, 1) {
			s := counted(test.chunks, 8)
			var read []int
			s.before = func(_ context.Context, start []int) error {
				read = append(read, start[0])
				return nil
			}
			x, w := task(t, s, 1, 8)
			x.Chain = bindIn(t, registryWith(t, uint16(8*poisoned+1)), []int{1, 8}, "failing")
			err := Sample(t.Context(), &x, 1<<20)
			at := slices.Index(test.want, poisoned)
			if (at >= 0) != errors.Is(err, errEncode) || at < 0 && err != nil {
				t.Errorf("chunk %d of %d cannot be encoded: error %v", poisoned, test.chunks, err)
			}
			if want := fmt.Sprintf(`array "a", chunk [%d 0]: encode: `, poisoned); err != nil && !strings.HasPrefix(err.Error(), want) {
				t.Errorf("error %q, want it to begin with %q", err, want)
			}
			want := test.want
			if at >= 0 {
				want = want[:at+1]
			}
			if diff := cmp.Diff(want, read); diff != "" {
				t.Errorf("chunk %d of %d cannot be encoded: chunks that are read (-want +got):\n%s", poisoned, test.chunks, diff)
			}
			if len(w.puts) != 0 {
				t.Error("a sample was stored")
			}
		}
	}
}

// TestSampleThatCannotBeRead: Sample ignores a chunk that cannot be read, and goes on with
// the next one, unless its context has ended.
func TestSampleThatCannotBeRead(t *testing.T) {
	for _, canceled := range []bool{false, true} {
		s := counted(3, 8)
		x, _ := task(t, s, 1, 8)
		x.Chain = bindIn(t, registryWith(t, 8*2+1), []int{1, 8}, "failing")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s.before = func(_ context.Context, start []int) error {
			switch {
			case start[0] > 0:
				return nil
			case canceled:
				cancel()
			}
			return errTest
		}
		want := errEncode
		if canceled {
			want = context.Canceled
		}
		if err := Sample(ctx, &x, 1<<20); !errors.Is(err, want) {
			t.Errorf("canceled is %v: error %v, want %v", canceled, err, want)
		}
	}
}

// unwilling is a [sources.Converter] that converts nothing.
type unwilling struct{}

func (unwilling) Encode(_, _ ndarray.Array) error { return errEncode }

// TestSampleOfLongTexts: Sample ignores texts that cannot be read and encoded within the
// memory.
func TestSampleOfLongTexts(t *testing.T) {
	for memory, want := range map[int]error{32 << 10: nil, 96 << 10: nil, 1 << 20: errEncode} {
		x, _ := textTask(t, texts([]int{1}, func(int) int { return 64 << 10 }), []int{1}, nil, "", "vlen-utf8")
		x.Convert = unwilling{}
		if err := Sample(t.Context(), &x, memory); !errors.Is(err, want) {
			t.Errorf("in %d bytes: error %v, want %v", memory, err, want)
		}
	}
}
