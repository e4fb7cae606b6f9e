package hdf5

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/codecs/jenkins"
)

const (
	minPage = 4 << 10
	// wholePages bounds the pages of a piece of metadata that goes through the cache. A
	// piece of more pages is read by itself and not kept.
	wholePages = 16
	// parallelPages is how many ranges are read ahead at once.
	parallelPages = 8
)

// Reader reads a file.
type Reader interface {
	// ReadAt fills p with bytes of the file from off on. It fills all of p or returns
	// an error. It is called concurrently.
	ReadAt(ctx context.Context, p []byte, off int64) error
}

// bytes returns n bytes of metadata at an address. They are shared, and must not be
// modified or kept.
func (f *File) bytes(ctx context.Context, address uint64, n int) ([]byte, error) {
	return f.bytesBy(ctx, &f.shared.pages, address, n)
}

// bytesBy is bytes through the pages of a given cache.
func (f *File) bytesBy(ctx context.Context, kept *cache, address uint64, n int) ([]byte, error) {
	at, err := f.place(address, n)
	if err != nil || n == 0 {
		return nil, err
	}
	size := uint64(f.page)
	first, last := at/size, (at+uint64(n)-1)/size
	if last-first >= wholePages {
		b := make([]byte, n)
		return b, f.r.ReadAt(ctx, b, int64(at))
	}
	if err := f.load(ctx, kept, first, last); err != nil {
		return nil, err
	}
	from := int(at - first*size)
	if first == last {
		page, err := f.pageAt(ctx, kept, first)
		if err != nil {
			return nil, err
		}
		return page[from : from+n : from+n], nil
	}
	b := make([]byte, 0, n)
	for p := first; p <= last; p++ {
		page, err := f.pageAt(ctx, kept, p)
		if err != nil {
			return nil, err
		}
		b = append(b, page[from:min(len(page), from+n-len(b))]...)
		from = 0
	}
	return b, nil
}

// place returns the position in the file of n bytes at an address. It is an error if
// the file does not have these bytes.
func (f *File) place(address uint64, n int) (uint64, error) {
	room := uint64(f.size) - f.base
	if address == undefined {
		return 0, corrupt("a required address is undefined")
	}
	if address > room || uint64(n) > room-address {
		return 0, corrupt("%d bytes at address %d are outside of the file's %d bytes", n, address, f.size)
	}
	return f.base + address, nil
}

// pageAt returns a page, and reads it unless it is kept.
func (f *File) pageAt(ctx context.Context, kept *cache, number uint64) ([]byte, error) {
	if page, ok := kept.get(cacheKey{f, number}).([]byte); ok {
		return page, nil
	}
	if err := f.read(ctx, kept, number, number); err != nil {
		return nil, err
	}
	page, ok := kept.get(cacheKey{f, number}).([]byte)
	if !ok { // other readers have displaced the page from the cache
		page = make([]byte, min(uint64(f.page), uint64(f.size)-number*uint64(f.page)))
		return page, f.r.ReadAt(ctx, page, int64(number)*int64(f.page))
	}
	return page, nil
}

// load reads those of the pages from first to last that are not kept.
func (f *File) load(ctx context.Context, kept *cache, first, last uint64) error {
	for first <= last && kept.get(cacheKey{f, first}) != nil {
		first++
	}
	for first < last && kept.get(cacheKey{f, last}) != nil {
		last--
	}
	if first > last {
		return nil
	}
	return f.read(ctx, kept, first, last)
}

// read reads the pages from first to last at once.
func (f *File) read(ctx context.Context, kept *cache, first, last uint64) error {
	size := uint64(f.page)
	end := min((last+1)*size, uint64(f.size))
	b := make([]byte, end-first*size)
	if err := f.r.ReadAt(ctx, b, int64(first*size)); err != nil {
		return fmt.Errorf("bytes %d to %d: %w", first*size, end, err)
	}
	for p := first; p <= last; p++ {
		page := b[:min(size, uint64(len(b)))]
		b = b[len(page):]
		if first != last {
			page = slices.Clone(page) // a copy, so that a page that is dropped frees its memory
		}
		kept.put(cacheKey{f, p}, page, len(page))
	}
	return nil
}

// prefetch reads the pages in which pieces of n bytes at these addresses begin and end.
// It reads neighbours together and several ranges at once, and fills at most half of
// the cache. It ignores impossible addresses; reading them will fail.
func (f *File) prefetch(ctx context.Context, addresses []uint64, n int) error {
	var missing []uint64
	for _, a := range addresses {
		at, err := f.place(a, n)
		if err != nil {
			continue
		}
		for _, p := range []uint64{at / uint64(f.page), (at + uint64(n)) / uint64(f.page)} {
			if p*uint64(f.page) < uint64(f.size) && f.shared.pages.get(cacheKey{f, p}) == nil {
				missing = append(missing, p)
			}
		}
		if len(missing)*f.page > f.shared.pages.limit/2 {
			break
		}
	}
	slices.Sort(missing)
	missing = slices.Compact(missing)
	var runs [][2]uint64
	for _, p := range missing {
		if k := len(runs) - 1; k >= 0 && p == runs[k][1]+1 && p-runs[k][0] < wholePages {
			runs[k][1] = p
		} else {
			runs = append(runs, [2]uint64{p, p})
		}
	}
	return inParallel(len(runs), func(i int) error { return f.read(ctx, &f.shared.pages, runs[i][0], runs[i][1]) })
}

// inParallel calls do for every number below n, a few at once.
func inParallel(n int, do func(i int) error) error {
	errs := make([]error, min(n, parallelPages))
	var workers sync.WaitGroup
	for w := range errs {
		workers.Go(func() {
			for i := w; i < n && errs[w] == nil; i += len(errs) {
				errs[w] = do(i)
			}
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}

// cursor returns a cursor over n bytes of metadata.
func (f *File) cursor(ctx context.Context, address uint64, n int) (*cursor, error) {
	b, err := f.bytes(ctx, address, n)
	return &cursor{data: b, widths: f.widths}, err
}

// checked returns a cursor over n bytes of metadata without their signature, version
// and checksum, which it compares. The version must be 0.
func (f *File) checked(ctx context.Context, address uint64, n int, signature string) (*cursor, error) {
	c, err := f.cursor(ctx, address, n)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", signature, err)
	}
	c.signature(signature, 0)
	if c.err == nil {
		c.err = c.verify()
	}
	if c.err != nil {
		return nil, fmt.Errorf("%q at address %d: %w", signature, address, c.err)
	}
	return c, nil
}

// verify compares the last four bytes with the checksum of all bytes before them. The
// cursor then ends before the checksum.
func (c *cursor) verify() error {
	n := len(c.data) - 4
	if n < c.at {
		return corrupt("%d bytes are too few for a checksum", len(c.data))
	}
	stored := binary.LittleEndian.Uint32(c.data[n:])
	if sum := jenkins.Lookup3(nil, c.data[:n], 0); sum != stored {
		return corrupt("the checksum is %08x, stored is %08x", sum, stored)
	}
	c.data = c.data[:n:n]
	return nil
}
