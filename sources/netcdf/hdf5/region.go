package hdf5

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

const (
	// batchBytes is how many bytes of neighbouring chunks are read at once, unless a
	// single chunk is larger.
	batchBytes = 4 << 20
	// batchChunks is how many chunks are looked up before they are read in the order of
	// the file.
	batchChunks = 1024
)

// box returns where in the dataset a chunk begins, and its shape as far as it lies
// within the dataset.
func (d *Dataset) box(number int) (start, shape []int) {
	start, shape = make([]int, len(d.Shape)), make([]int, len(d.Shape))
	for k := range start {
		start[k] = number / d.grid.stride[k] % d.grid.count[k] * d.piece[k]
		shape[k] = min(d.piece[k], d.Shape[k]-start[k])
	}
	return start, shape
}

// ReadRegion fills dst with the elements of the region that begins at start and has
// dst's shape. Both have the dimensions of the dataset and, behind them, those of an
// array datatype. The region must lie within the dataset. dst has the type of Native
// and any strides. Elements that were never written have the fill value.
func (d *Dataset) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if slices.Contains(dst.Shape, 0) || d.Null {
		return nil
	}
	if d.virtual != nil {
		return d.readVirtual(ctx, dst, start)
	}
	find, err := d.finder(ctx)
	if err != nil {
		return err
	}
	r := &regionReader{Dataset: d, dst: dst, start: start}
	rank := len(d.Shape)
	first, last := make([]int, rank), make([]int, rank)
	number := 0
	for k := range rank {
		first[k] = start[k] / d.piece[k]
		last[k] = (start[k] + dst.Shape[k] - 1) / d.piece[k]
		number += first[k] * d.grid.stride[k]
	}
	index := slices.Clone(first)
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		list := make([]chunk, 0, 16)
		for more && len(list) < batchChunks {
			if c, ok := find(number); ok {
				list = append(list, c)
			} else if err := r.fill(ctx, number); err != nil {
				return err
			}
			number, more = d.grid.next(index, first, last, number)
		}
		if err := r.chunks(ctx, list); err != nil {
			return err
		}
	}
	return checkTexts(dst, start)
}

// checkTexts refuses texts that are not UTF-8, because the file does not tell their
// encoding. The region begins at start.
func checkTexts(dst ndarray.Array, start []int) error {
	if dst.Type != dtype.StringType {
		return nil
	}
	at := 0
	for item := range dst.Items() {
		if !utf8.Valid(item) {
			index := make([]int, len(dst.Shape))
			for k := len(index) - 1; k >= 0; k-- {
				index[k] = start[k] + at%dst.Shape[k]
				at /= dst.Shape[k]
			}
			return unsupported("the text at %v is %.60q, which is not UTF-8: exclude the array, or write it again as UTF-8", index, item)
		}
		at++
	}
	return nil
}

// next advances index within the box from first to last, in C order. It returns the
// number at the new index, or false behind the end.
func (g grid) next(index, first, last []int, number int) (int, bool) {
	for k := len(index) - 1; k >= 0; k-- {
		if index[k] < last[k] {
			index[k]++
			return number + g.stride[k], true
		}
		number -= (last[k] - first[k]) * g.stride[k]
		index[k] = first[k]
	}
	return 0, false
}

// regionReader is the state of one call of ReadRegion.
type regionReader struct {
	*Dataset
	dst   ndarray.Array
	start []int
	fills *ndarray.Array // an array of one element, the fill value
}

// part is the intersection of a chunk and the region.
type part struct {
	dst  ndarray.Array
	from ndarray.Region // its place in the chunk
}

// part returns the part of a chunk that lies in the region.
func (r *regionReader) part(number int) part {
	begin, shape := r.box(number)
	within := ndarray.Region{Start: make([]int, len(r.dst.Shape)), Shape: slices.Clone(r.dst.Shape)}
	from := ndarray.Region{Start: slices.Clone(r.start), Shape: within.Shape}
	for k := range begin {
		low := max(begin[k], r.start[k])
		high := min(begin[k]+shape[k], r.start[k]+r.dst.Shape[k])
		within.Start[k], within.Shape[k], from.Start[k] = low-r.start[k], high-low, low-begin[k]
	}
	return part{r.dst.Sub(within), from}
}

// fill sets the elements of a missing chunk to the fill value.
func (r *regionReader) fill(ctx context.Context, number int) error {
	if r.fills == nil {
		value, err := r.FillValue(ctx)
		if err != nil {
			return err
		}
		r.fills = &value
	}
	p := r.part(number)
	if r.Native.Shape == nil {
		for item := range r.fills.Items() {
			ndarray.Fill(p.dst, dtype.Scalar(item))
		}
		return nil
	}
	// The fill value is an array itself, and is repeated at each element.
	ndarray.Copy(p.dst, Repeated(*r.fills, p.dst.Shape, p.from.Start))
	return nil
}

// Repeated returns a view in which an element, which may be an array itself, is at each
// index. The view has the given shape. Its dimensions are those of a dataset and, behind
// them, those of the element, of which it has the part that begins at start.
func Repeated(element ndarray.Array, shape, start []int) ndarray.Array {
	rank := len(shape) - len(element.Shape)
	all := element
	all.Shape = slices.Concat(shape[:rank], element.Shape)
	all.Strides = slices.Concat(make([]int, rank), element.Strides)
	return all.Sub(ndarray.Region{Start: slices.Concat(make([]int, rank), start[rank:]), Shape: shape})
}

// FillValue returns the element that replaces elements that were never written. It has
// the shape of an array datatype.
func (d *Dataset) FillValue(ctx context.Context) (ndarray.Array, error) {
	value := ndarray.New(d.Native.Type, d.Native.Shape)
	if d.Fill == nil {
		return value, nil
	}
	if err := d.file.decode(ctx, value, d.Fill, &d.Native); err != nil {
		return value, fmt.Errorf("fill value: %w", err)
	}
	if err := checkTexts(value, make([]int, len(value.Shape))); err != nil {
		return value, fmt.Errorf("fill value: %w", err)
	}
	return value, nil
}

// chunks reads chunks in the order of the file, neighbouring chunks at once.
func (r *regionReader) chunks(ctx context.Context, list []chunk) error {
	slices.SortFunc(list, func(a, b chunk) int { return cmp.Compare(a.address, b.address) })
	for len(list) > 0 {
		end, n := list[0].address+uint64(list[0].size), 1
		for ; n < len(list); n++ {
			next := list[n]
			reach := next.address + uint64(next.size)
			if next.address > end+uint64(r.file.gap) || reach-list[0].address > batchBytes {
				break
			}
			end = max(end, reach)
		}
		if err := r.batch(ctx, list[:n], int(end-list[0].address)); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// batch reads chunks that lie within n bytes of the file.
func (r *regionReader) batch(ctx context.Context, list []chunk, n int) error {
	if r.layout.class == compact {
		return r.decodeChunk(ctx, list[0], r.layout.data)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	address := list[0].address
	var from Reader = r.external
	at := address
	if r.external == nil {
		var err error
		if at, err = r.file.place(address, n); err != nil {
			return err
		}
		from = r.file.r
	}
	b := r.file.shared.buffers.Get(n)
	defer b.Release()
	if err := from.ReadAt(ctx, b.Bytes, int64(at)); err != nil {
		return err
	}
	for _, c := range list {
		raw := b.Bytes[c.address-address:][:c.size]
		if err := r.decodeChunk(ctx, c, raw); err != nil {
			start, _ := r.box(c.number)
			return fmt.Errorf("chunk at element %v, address %d: %w", start, c.address, err)
		}
	}
	return nil
}

// decodeChunk undoes the filters of a chunk and copies the part that lies in the
// region.
func (r *regionReader) decodeChunk(ctx context.Context, c chunk, raw []byte) error {
	p := r.part(c.number)
	shape := r.piece
	if r.layout.class != chunked {
		_, shape = r.box(c.number)
	}
	if r.filters == nil || r.layout.partialRaw && r.partial(c.number) {
		return r.take(ctx, p, raw, shape)
	}
	if r.same() && slices.Equal(p.dst.Shape[:len(shape)], shape) {
		if whole, ok := p.dst.Contiguous(); ok {
			content, err := r.file.shared.undo(r.Filters, r.filters, whole, raw, c.mask, len(whole))
			if err == nil && &content[0] != &whole[0] {
				copy(whole, content)
			}
			return err
		}
	}
	b := r.file.shared.buffers.Get(r.chunkSize)
	defer b.Release()
	content, err := r.file.shared.undo(r.Filters, r.filters, b.Bytes, raw, c.mask, r.needed(c.number))
	if err != nil {
		return err
	}
	return r.take(ctx, p, content, shape)
}

// partial reports whether a chunk extends beyond the end of the dataset.
func (d *Dataset) partial(number int) bool {
	_, shape := d.box(number)
	return !slices.Equal(shape, d.piece)
}

// needed returns the number of bytes of a chunk up to its last element within the dataset. Some
// writers end a chunk there, and the library reads it.
func (d *Dataset) needed(number int) int {
	_, shape := d.box(number)
	all, last := 1, 0
	for k, n := range d.piece {
		all *= n
		last = last*n + shape[k] - 1
	}
	return d.chunkSize / all * (last + 1)
}

// same reports whether elements are the same in the file as in memory.
func (d *Dataset) same() bool {
	m, size := d.Native.Moves, d.Native.Element.Size
	if d.field != nil || d.Native.Type.Size() != size || len(m) != 1 || m[0].Swap || m[0].Precision != 0 || m[0].Length != size {
		return false
	}
	return m[0].Text == hdf5type.AllBytes || m[0].Text == hdf5type.ToFirstZero && size == 1 // text of one byte has nothing to cut
}

// swapped returns the type whose SwapInto converts elements of the file to elements in
// memory. It returns nil if more than swapping has to be done.
func (d *Dataset) swapped() dtype.Ordered {
	m := d.Native.Moves
	if d.field != nil || d.Native.Type.Size() != d.Native.Element.Size || len(m) != 1 || !m[0].Swap || m[0].Precision != 0 || m[0].Length != d.Native.Element.Size {
		return nil
	}
	return dtype.Swapper(d.Native.Type, d.Native.Order)
}

// take copies elements of the region out of the content of a chunk with the given
// shape.
func (r *regionReader) take(ctx context.Context, p part, content []byte, shape []int) error {
	if r.field != nil {
		return r.takeField(ctx, p, content, shape)
	}
	shape = slices.Concat(shape, r.Native.Shape)
	all := ndarray.Array{Type: r.Native.Type, Data: content, Shape: shape, Strides: ndarray.CStrides(r.Native.Element.Size, shape)}
	n, _ := ndarray.Elements(shape)
	if len(content) < n*r.Native.Element.Size {
		return corrupt("%d bytes for a chunk of shape %v", len(content), shape)
	}
	if p.dst.Heap != nil {
		return r.takeItems(ctx, p, all)
	}
	if swap := r.swapped(); swap != nil {
		ndarray.CopySwapped(p.dst, all.Sub(p.from), swap)
		return nil
	}
	if !r.same() {
		size := ndarray.ItemSize(r.Native.Type)
		b := r.file.shared.buffers.Get(n * size)
		defer b.Release()
		decoded := ndarray.New(r.Native.Type, nil)
		decoded.Data, decoded.Shape, decoded.Strides = b.Bytes, shape, ndarray.CStrides(size, shape)
		if err := r.file.decode(ctx, decoded, content[:n*r.Native.Element.Size], &r.Native); err != nil {
			return err
		}
		all = decoded
	}
	ndarray.Copy(p.dst, all.Sub(p.from))
	return nil
}

// takeField is take for a member of compounds.
func (r *regionReader) takeField(ctx context.Context, p part, content []byte, shape []int) error {
	n, _ := ndarray.Elements(shape)
	if len(content) < n*r.Datatype.Size {
		return corrupt("%d bytes for a chunk of shape %v", len(content), shape)
	}
	size := r.Native.Element.Size
	all := ndarray.Array{
		Type: dtype.RawBits(size), Data: content, Offset: r.fieldAt, Shape: slices.Concat(shape, r.Native.Shape),
		Strides: slices.Concat(ndarray.CStrides(r.Datatype.Size, shape), ndarray.CStrides(size, r.Native.Shape)),
	}
	b, err := r.gather(p, all)
	if err != nil {
		return err
	}
	defer b.Release()
	if p.dst.Heap != nil {
		return r.file.decode(ctx, p.dst, b.Bytes, &r.Native)
	}
	decoded, to, err := r.file.shared.buffers.Array(r.Native.Type, p.dst.Shape)
	if err != nil {
		return err
	}
	defer to.Release()
	if err := r.file.decode(ctx, decoded, b.Bytes, &r.Native); err != nil {
		return err
	}
	ndarray.Copy(p.dst, decoded)
	return nil
}

// takeItems is take for elements of variable size. It looks up only the elements of the
// region.
func (r *regionReader) takeItems(ctx context.Context, p part, all ndarray.Array) error {
	all.Type = dtype.RawBits(r.Native.Element.Size)
	b, err := r.gather(p, all)
	if err != nil {
		return err
	}
	defer b.Release()
	return r.file.decode(ctx, p.dst, b.Bytes, &r.Native)
}

// gather copies the elements of a part of the region, as the file has them, to a buffer without
// gaps. The caller releases it.
func (r *regionReader) gather(p part, all ndarray.Array) (*ndarray.Buffer, error) {
	elements, b, err := r.file.shared.buffers.Array(all.Type, p.dst.Shape)
	if err != nil {
		return nil, err
	}
	ndarray.Copy(elements, all.Sub(p.from))
	return b, nil
}
