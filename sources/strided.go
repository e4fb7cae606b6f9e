package sources

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// ScratchBytes is the most memory that one call of ReadRegion on a strided
// array borrows besides dst: 1 MiB.
const ScratchBytes = 1 << 20

// Ranges reads byte ranges of files. An opened store is a Ranges.
type Ranges interface {
	// ReadRange fills p with the bytes of the file from off on, all of them or
	// an error.
	ReadRange(ctx context.Context, key string, p []byte, off int64) error
	// GapBytes is the number of useless bytes that cost as much to read as one
	// more request.
	GapBytes() int
}

// Place says where in a file the elements of an array lie. Element (i0, i1, …)
// begins at byte Offset + Σ ik·Strides[k]; no two elements overlap.
type Place struct {
	Files   Ranges
	Key     string // of the file in Files
	URL     string // of the file, for messages
	Size    int64  // of the file, in bytes
	Order   dtype.Order
	Offset  int64
	Strides []int // bytes, one for each dimension, in any order
	// Scratch lends the memory for what cannot be read straight into its
	// destination, at most ScratchBytes a call.
	Scratch *ndarray.Pool
}

// longRun is the length of a read, as a multiple of the bytes that cost as much
// as one more request, from which on requests no longer matter.
const longRun = 32

// NewStrided returns an array whose elements lie at p. It sets LongRun of info. If p reaches
// beyond the end of its file, the error names both sizes.
func NewStrided(info *Info, p Place) (Array, error) {
	end, ok := p.end(info.Type.Size(), info.Shape)
	if !ok {
		return nil, fmt.Errorf("%s: array %q of shape %v is too large for any file", p.URL, info.Path, info.Shape)
	}
	if end > p.Size {
		return nil, fmt.Errorf("%s: truncated: the file has %d bytes, array %q of shape %v ends at byte %d",
			p.URL, p.Size, info.Path, info.Shape, end)
	}
	info.LongRun = longRun * p.Files.GapBytes()
	a := &strided{info: info, place: p}
	a.swap = dtype.Swapper(info.Type, p.Order)
	return a, nil
}

// end returns the offset of the first byte after the last element. It returns false if no
// file can be that long.
func (p Place) end(size int, shape []int) (int64, bool) {
	if p.Offset < 0 || len(p.Strides) != len(shape) {
		return 0, false
	}
	if slices.Contains(shape, 0) {
		return 0, true // nothing is read
	}
	end, ok := mulAdd(1, size, int(p.Offset))
	for i, n := range shape {
		if !ok || n < 0 {
			return 0, false
		}
		end, ok = mulAdd(n-1, p.Strides[i], end)
	}
	return int64(end), ok
}

// mulAdd returns a·b + c. a is not negative. It returns false if the sum is larger than any
// int. It also returns false if c is negative, or if b is negative and a is not 0: as
// unsigned numbers, negative numbers are larger than any int.
func mulAdd(a, b, c int) (int, bool) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	sum, carry := bits.Add64(low, uint64(c), 0)
	return int(sum), high == 0 && carry == 0 && int(sum) >= 0
}

// strided is an array whose elements lie at regular distances in one file.
type strided struct {
	info  *Info
	place Place
	swap  dtype.Ordered // not nil: the file's byte order is not the host's
}

func (a *strided) Info() *Info { return a.info }

// ShareInfo implements [Shared].
func (a *strided) ShareInfo(s *Infos) { a.info = s.Share(a.info) }

// ReadRegion implements [Array].
//
// The region is read in the order of the file. A piece that is one run both in the file and
// in dst goes straight into dst. Everything else is read into the scratch memory and copied
// from there. One read takes as many rows as fit into the scratch memory, unless skipping
// the gaps between the rows costs less than reading them.
func (a *strided) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := CheckRegion(a.info, dst, start); err != nil {
		return err
	}
	if slices.Contains(dst.Shape, 0) {
		return nil
	}
	offset := a.place.Offset
	for i, first := range start {
		offset += int64(first) * int64(a.place.Strides[i])
	}
	r := newReading(a, dst)
	err := r.box(ctx, 0, dst.Offset, offset)
	if r.scratch != nil {
		r.scratch.Release()
	}
	if err != nil {
		return fmt.Errorf("region at %v of shape %v: %w", start, dst.Shape, err)
	}
	ndarray.ClearUnused(dst)
	if t, ok := a.info.Type.(dtype.Numeric); ok && t.Kind() == dtype.Bool {
		return a.checkBools(dst, start)
	}
	return nil
}

// checkBools refuses bytes that are neither 0 nor 1: what they mean differs
// between programs, and Zarr has no other value for a bool.
func (a *strided) checkBools(dst ndarray.Array, start []int) error {
	index := slices.Clone(start)
	value, found := findNotBool(dst, index, 0, dst.Offset)
	if !found {
		return nil
	}
	return fmt.Errorf("%s: array %q: element %v is %d, but a bool is 0 or 1; if the elements are numbers, read them as uint8",
		a.place.URL, a.info.Path, index, value)
}

// findNotBool looks for the first byte above 1 among the elements at and below dimension k,
// which begin at byte at. If it finds one, it adds its indices to index.
func findNotBool(a ndarray.Array, index []int, k, at int) (byte, bool) {
	if k == len(a.Shape) {
		return a.Data[at], a.Data[at] > 1
	}
	first := index[k]
	if k == len(a.Shape)-1 {
		for i := range a.Shape[k] {
			if value := a.Data[at+i*a.Strides[k]]; value > 1 {
				index[k] = first + i
				return value, true
			}
		}
		return 0, false
	}
	for i := range a.Shape[k] {
		index[k] = first + i
		if value, found := findNotBool(a, index, k+1, at+i*a.Strides[k]); found {
			return value, true
		}
	}
	index[k] = first
	return 0, false
}

// reading is one call of ReadRegion. Its dimensions are those dimensions of the region that
// are longer than one, in the order of the file, slowest first. Box k is all elements along
// dimension k and the dimensions after it.
type reading struct {
	array   *strided
	dst     []byte
	shape   []int
	to      []int // strides in dst
	from    []int // strides in the file
	span    []int // bytes of the file from a box's first to its last element
	gap     []int // the widest gap within a box, in bytes
	scratch *ndarray.Buffer
}

func newReading(a *strided, dst ndarray.Array) *reading {
	order := make([]int, 0, len(dst.Shape))
	for i, n := range dst.Shape {
		if n > 1 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(a.place.Strides[j], a.place.Strides[i])
	})
	n := len(order)
	r := &reading{array: a, dst: dst.Data, span: make([]int, n+1), gap: make([]int, n+1)}
	for _, i := range order {
		r.shape = append(r.shape, dst.Shape[i])
		r.to = append(r.to, dst.Strides[i])
		r.from = append(r.from, a.place.Strides[i])
	}
	r.span[n] = a.info.Type.Size()
	for k := n - 1; k >= 0; k-- {
		r.span[k] = (r.shape[k]-1)*r.from[k] + r.span[k+1]
		r.gap[k] = max(r.gap[k+1], r.from[k]-r.span[k+1])
	}
	return r
}

// view returns count slices of box k in dst, which begin at byte d.
func (r *reading) view(k, count, d int) ndarray.Array {
	v := ndarray.Array{Type: r.array.info.Type, Data: r.dst, Offset: d, Shape: slices.Clone(r.shape[k:]), Strides: r.to[k:]}
	if len(v.Shape) > 0 {
		v.Shape[0] = count
	}
	return v
}

// run returns the memory of box k in dst, if the box is one run both in the file and in
// dst, in the same order.
func (r *reading) run(k, d int) ([]byte, bool) {
	if r.gap[k] > 0 {
		return nil, false
	}
	if k == len(r.shape) {
		return r.dst[d : d+r.span[k]], true
	}
	return r.view(k, r.shape[k], d).Contiguous()
}

// box reads box k, at byte d of dst and byte f of the file.
func (r *reading) box(ctx context.Context, k, d int, f int64) error {
	if run, ok := r.run(k, d); ok {
		if err := r.read(ctx, run, f); err != nil {
			return err
		}
		if r.array.swap != nil {
			r.array.swap.SwapInto(run, run)
		}
		return nil
	}
	if fit := r.fit(k, d); fit > 1 {
		for i := 0; i < r.shape[k]; i += fit {
			n := min(fit, r.shape[k]-i)
			if err := r.slices(ctx, k, n, d+i*r.to[k], f+int64(i)*int64(r.from[k])); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range r.shape[k] {
		if err := r.box(ctx, k+1, d+i*r.to[k], f+int64(i)*int64(r.from[k])); err != nil {
			return err
		}
	}
	return nil
}

// fit returns how many slices of box k one read takes into the scratch memory: as many as
// it holds. It returns 0 if a gap costs more than a request, or if requests for single
// slices, straight into dst, cost less than the copy.
func (r *reading) fit(k, d int) int {
	dear := r.array.place.Files.GapBytes()
	if r.gap[k] > dear || r.span[k+1] > ScratchBytes {
		return 0
	}
	if _, ok := r.run(k+1, d); ok && r.span[k+1] > dear {
		return 0
	}
	return (ScratchBytes-r.span[k+1])/r.from[k] + 1
}

// slices reads n slices of box k by way of the scratch memory.
func (r *reading) slices(ctx context.Context, k, n, d int, f int64) error {
	if r.scratch == nil {
		r.scratch = r.array.place.Scratch.Get(min(r.span[0], ScratchBytes))
	}
	to := r.view(k, n, d)
	from := ndarray.Array{Type: to.Type, Shape: to.Shape, Strides: r.from[k:]}
	from.Data = r.scratch.Bytes[:(n-1)*r.from[k]+r.span[k+1]]
	if err := r.read(ctx, from.Data, f); err != nil {
		return err
	}
	if r.array.swap != nil {
		ndarray.CopySwapped(to, from, r.array.swap)
	} else {
		ndarray.Copy(to, from)
	}
	return nil
}

func (r *reading) read(ctx context.Context, p []byte, f int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	place := &r.array.place
	return place.Files.ReadRange(ctx, place.Key, p, f)
}
