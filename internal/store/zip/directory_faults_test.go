package zip

import (
	stdzip "archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
)

// TestReadDirectoryFaults reads directories of which each read fails in turn: a small one,
// one that is longer than the tail, and one with a ZIP64 end.
func TestReadDirectoryFaults(t *testing.T) {
	t.Parallel()
	fault := errors.New("the read failed")
	for _, c := range []struct{ members, reads int }{{1, 1}, {3000, 2}, {1 << 16, 3}} {
		var data bytes.Buffer
		w := stdzip.NewWriter(&data)
		for i := range c.members {
			if _, err := w.CreateHeader(&stdzip.FileHeader{Name: fmt.Sprintf("member-%06d", i), Method: stdzip.Store}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for fails := range c.reads + 1 {
			reads := 0
			d, err := readDirectory(t.Context(), int64(data.Len()), func(_ context.Context, p []byte, off int64) error {
				if reads++; reads == fails+1 {
					return fault
				}
				copy(p, data.Bytes()[off:])
				return nil
			})
			switch {
			case fails < c.reads && !errors.Is(err, fault):
				t.Errorf("%d members: %v after read %d failed", c.members, err, fails+1)
			case fails == c.reads && (err != nil || reads != c.reads || len(d) != c.members):
				t.Errorf("%d members: %v, %d reads, %d members found, want %d reads", c.members, err, reads, len(d), c.reads)
			}
		}
	}
}
