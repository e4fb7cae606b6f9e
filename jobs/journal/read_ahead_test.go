package journal

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// numbers returns n keys.
func numbers(n int) (keys []string) {
	for i := range n {
		keys = append(keys, strconv.Itoa(i))
	}
	return keys
}

// TestReadAhead: objects come in order, although many are read at the same time. The reads wait
// for each other.
func TestReadAhead(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const n, together = 100, 10
	var begun, now, most atomic.Int32
	all := make(chan struct{})
	next := 0
	for data, err := range readAhead(ctx, numbers(n), func(ctx context.Context, key string) ([]byte, error) {
		if k := now.Add(1); k > most.Load() {
			most.Store(k)
		}
		defer now.Add(-1)
		if begun.Add(1) == together+1 {
			close(all)
		}
		if key != "0" {
			select {
			case <-all:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return []byte(key), nil
	}) {
		if err != nil || string(data) != strconv.Itoa(next) {
			t.Fatalf("%s, error %v, want %d", data, err, next)
		}
		next++
	}
	if next != n || most.Load() > mostAhead {
		t.Errorf("%d objects, at most %d at the same time", next, most.Load())
	}
}

// TestReadAheadLarge: large objects are read one at a time.
func TestReadAheadLarge(t *testing.T) {
	large := make([]byte, mostAheadBytes)
	var now atomic.Int32
	n := 0
	for _, err := range readAhead(t.Context(), numbers(5), func(context.Context, string) ([]byte, error) {
		if k := now.Add(1); k > 1 {
			t.Errorf("%d objects at the same time", k)
		}
		defer now.Add(-1)
		return large, nil
	}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 5 {
		t.Errorf("%d objects, want 5", n)
	}
}

// TestReadAheadEnds: nothing is read any more after an error, or when no more is wanted.
func TestReadAheadEnds(t *testing.T) {
	wrong := errors.New("wrong")
	for _, fails := range []bool{false, true} {
		var now atomic.Int32
		n := 0
		for _, err := range readAhead(t.Context(), numbers(100), func(ctx context.Context, key string) ([]byte, error) {
			now.Add(1)
			defer now.Add(-1)
			switch {
			case key == "3" && fails:
				return nil, wrong
			case len(key) > 1:
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return nil, nil
		}) {
			n++
			if !fails && n == 4 {
				break
			}
			if (err != nil) != (fails && n == 4) || err != nil && !errors.Is(err, wrong) {
				t.Fatalf("object %d: %v", n, err)
			}
		}
		if n != 4 || now.Load() != 0 {
			t.Errorf("%d objects, and %d are still read", n, now.Load())
		}
	}
}
