package zfp

import (
	"fmt"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// A box is a part of an array, in the order of a grid: x first.
type box struct {
	from, to       [4]int // elements from from up to to, which is excluded
	firsts, blocks [4]int // the blocks with these elements
}

// newBox checks a region of an array.
func newBox(g *grid, start, count []int) (box, error) {
	if len(start) != g.dims || len(count) != g.dims {
		return box{}, fmt.Errorf("%w: a region from %v of %v elements in %d dimensions", ErrParams, start, count, g.dims)
	}
	var b box
	for i := range b.from {
		b.to[i], b.blocks[i] = 1, 1
		if i >= g.dims {
			continue
		}
		from, n := start[g.dims-1-i], count[g.dims-1-i]
		if from < 0 || n < 1 || from >= g.size[i] || n > g.size[i]-from {
			return box{}, fmt.Errorf("%w: a region of %d elements from %d on along dimension %d, which has %d",
				ErrParams, n, from, g.dims-1-i, g.size[i])
		}
		b.from[i], b.to[i] = from, from+n
		b.firsts[i] = from / 4
		b.blocks[i] = (from+n-1)/4 - b.firsts[i] + 1
	}
	return b, nil
}

// block returns the number of the block at a place in the grid.
func (g *grid) block(x, y, z, w int) int {
	return x + g.blocks[0]*(y+g.blocks[1]*(z+g.blocks[2]*w))
}

// fixedRegion checks the arguments of a region of an array in fixed rate.
func fixedRegion(start, count, shape []int, t Type, p Params) (g grid, b box, blockBits int, err error) {
	if g, err = newGrid(shape); err != nil {
		return
	}
	if b, err = newBox(&g, start, count); err != nil {
		return
	}
	if err = p.Validate(t); err != nil {
		return
	}
	blockBits, fixed := p.BlockBits(t)
	if !fixed {
		err = fmt.Errorf("%w: regions need blocks of one size, as fixed rate has: minbits is %d, maxbits %d",
			ErrParams, p.MinBits, p.MaxBits)
		return
	}
	_, err = maxStream(g.count, blockBits, 0)
	return
}

// RegionBytes returns the range of bytes that holds the blocks of a region, in a stream
// without a header; to is excluded. The region has count elements along each dimension,
// from element start on. Only arrays in fixed rate have regions, see
// [Params.BlockBits]; other parameters, and a region outside the array, give an error
// that wraps ErrParams.
//
// The blocks of a region are not contiguous in the stream. Each row of blocks along the
// last dimension is one run; the range spans all runs. To read less, ask for each part
// of the region that lies within 4 elements along all dimensions but the last.
func RegionBytes(start, count, shape []int, t Type, p Params) (from, to int, err error) {
	g, b, blockBits, err := fixedRegion(start, count, shape, t, p)
	if err != nil {
		return 0, 0, err
	}
	first := g.block(b.firsts[0], b.firsts[1], b.firsts[2], b.firsts[3])
	var last [4]int
	for i := range last {
		last[i] = b.firsts[i] + b.blocks[i] - 1
	}
	end := g.block(last[0], last[1], last[2], last[3]) + 1
	return first * blockBits / 8, (end*blockBits + 7) / 8, nil
}

// DecodeRegion decodes a region of an array in fixed rate to dst, in C order: count
// elements along each dimension, from element start on. part is the bytes of the stream
// that [RegionBytes] names. DecodeRegion decodes only blocks that meet the region. Its
// errors are those of [Decode] and of RegionBytes.
func DecodeRegion[T Scalar](dst []T, start, count, shape []int, part []byte, p Params) error {
	t := typeOf[T]()
	g, b, blockBits, err := fixedRegion(start, count, shape, t, p)
	if err != nil {
		return err
	}
	n := 1
	for _, c := range count {
		n *= c
	}
	if len(dst) != n {
		return fmt.Errorf("%w: %d elements for a region of %v", ErrParams, len(dst), count)
	}
	if t.bits() == 32 {
		return decodeBox(words[int32](dst), newDecoder[int32](cpu.Used(), part, 0, p, t, g.dims), &g, &b, blockBits)
	}
	return decodeBox(words[int64](dst), newDecoder[int64](cpu.Used(), part, 0, p, t, g.dims), &g, &b, blockBits)
}

// decodeBox decodes the blocks of a box, row by row.
func decodeBox[W word](dst []W, d *decoder[W], g *grid, b *box, blockBits int) error {
	at := b.firsts
	origin := g.block(at[0], at[1], at[2], at[3]) * blockBits &^ 7
	for w := at[3]; w < at[3]+b.blocks[3]; w++ {
		for z := at[2]; z < at[2]+b.blocks[2]; z++ {
			for y := at[1]; y < at[1]+b.blocks[1]; y++ {
				first := g.block(at[0], y, z, w)
				d.pos = first*blockBits - origin - d.base
				for i := range b.blocks[0] {
					d.clearPlanes()
					f, err := d.readBlock(first + i)
					if err != nil {
						return err
					}
					d.transform(f)
					copyToBox(dst, &d.q, b, [4]int{4 * (at[0] + i), 4 * y, 4 * z, 4 * w})
				}
			}
		}
	}
	return nil
}

// copyToBox copies the part of a block that lies in a box. at is the place of the
// block's first element in the array.
func copyToBox[W word](dst []W, q *block[W], b *box, at [4]int) {
	var lo, hi, stride [4]int
	n := 1
	for i := range at {
		lo[i] = max(b.from[i]-at[i], 0)
		hi[i] = min(b.to[i]-at[i], 4)
		stride[i] = n
		n *= b.to[i] - b.from[i]
	}
	for w := lo[3]; w < hi[3]; w++ {
		for z := lo[2]; z < hi[2]; z++ {
			for y := lo[1]; y < hi[1]; y++ {
				row := (at[1]+y-b.from[1])*stride[1] + (at[2]+z-b.from[2])*stride[2] + (at[3]+w-b.from[3])*stride[3]
				for x := lo[0]; x < hi[0]; x++ {
					dst[row+at[0]+x-b.from[0]] = q[uint8(64*w+16*z+4*y+x)]
				}
			}
		}
	}
}
