package journal

import (
	"context"
	"iter"
	"sync"
)

// Bounds of reading ahead.
const (
	mostAhead      = 32      // objects that are read at the same time
	mostAheadBytes = 4 << 20 // bytes of them, if they are no larger than those before
)

// readAhead yields what read returns for each key, in the order of the keys. It reads the first
// object alone. From then on, it reads as many objects at the same time as mostAheadBytes has
// room for, if none is larger than the largest so far. It ends after an error.
func readAhead(ctx context.Context, keys []string, read func(ctx context.Context, key string) ([]byte, error)) iter.Seq2[[]byte, error] {
	type result struct {
		data []byte
		err  error
	}
	return func(yield func([]byte, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var reading sync.WaitGroup
		defer reading.Wait()
		defer cancel()
		var ahead []chan result
		ready, largest := 1, 1
		for begun := 0; begun < len(keys) || len(ahead) > 0; {
			for ; begun < len(keys) && len(ahead) < ready; begun++ {
				c := make(chan result, 1)
				ahead = append(ahead, c)
				key := keys[begun]
				reading.Go(func() {
					data, err := read(ctx, key)
					c <- result{data, err}
				})
			}
			r := <-ahead[0]
			ahead = ahead[1:]
			if !yield(r.data, r.err) || r.err != nil {
				return
			}
			largest = max(largest, len(r.data))
			ready = max(1, min(mostAhead, mostAheadBytes/largest))
		}
	}
}
