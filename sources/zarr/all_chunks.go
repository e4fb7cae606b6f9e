package zarr

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/sources"
)

// mostNamed bounds the chunks of an array for which one bit each records whether the
// chunk is stored.
const mostNamed = 1 << 28

// check returns an error unless all objects of an array are stored. The error wraps
// ErrMissingChunk and names one chunk.
func (c *completeness) check(ctx context.Context, a *array) error {
	c.mu.Lock()
	known := c.known[a.path]
	c.mu.Unlock()
	if known {
		return nil
	}
	err := a.checkByList(ctx)
	if errors.Is(err, store.ErrNoList) {
		err = a.checkEach(ctx)
	}
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[string]bool{}
	}
	c.known[a.path] = true
	return nil
}

// checkByList looks for the objects in a list of the store.
func (a *array) checkByList(ctx context.Context) error {
	if len(a.grid.Shape) == 0 {
		return a.checkEach(ctx) // the store has an object
	}
	n, there := a.grid.Len(), 0
	bits := make([]uint64, (min(n, mostNamed)+63)/64)
	err := a.objects(ctx, func(index []int, o store.Info) error {
		if err := a.checkVersion(index, o.Version); err != nil {
			return fmt.Errorf("chunk %v: %w", index, err)
		}
		there++
		if number := a.grid.Number(index); number < mostNamed {
			bits[number/64] |= 1 << (number % 64)
		}
		return nil
	})
	if err != nil || there >= n {
		return err
	}
	for number := range min(n, mostNamed) {
		if bits[number/64]>>(number%64)&1 == 0 {
			return a.missing(number, n-there)
		}
	}
	return fmt.Errorf("%d of %d chunks: %w", n-there, n, ErrMissingChunk)
}

// checkEach asks the store for each object. If a server does not answer for an object,
// reading the object will find whether it is missing.
func (a *array) checkEach(ctx context.Context) error {
	n := a.grid.Len()
	var mu sync.Mutex
	first, count := n, 0
	err := sources.InParallel(ctx, n, func(ctx context.Context, i int) error {
		_, err := a.source.store.Stat(ctx, a.key(a.grid.Index(i)))
		if absent(err) {
			mu.Lock()
			defer mu.Unlock()
			count++
			first = min(first, i)
		}
		if err != nil && (ctx.Err() != nil || limits.Passing(err)) {
			return err
		}
		return nil
	})
	if err != nil || count == 0 {
		return err
	}
	return a.missing(first, count)
}

// missing returns the error about a missing chunk, which also tells how many of all
// chunks are missing.
func (a *array) missing(number, all int) error {
	index := a.grid.Index(number)
	err := fmt.Errorf("chunk %v, %s: %w", index, path.Join(a.path, a.chunkKey(index)), ErrMissingChunk)
	if all > 1 {
		return fmt.Errorf("%w; %d of %d are missing", err, all, a.grid.Len())
	}
	return err
}
