package blosc2

import (
	"fmt"
	"sync"
)

// DecodedSize returns the size in bytes of a frame's content, as its header states it. A
// caller who does not trust the frame checks the size before allocating memory.
func DecodedSize(src []byte) (int, error) {
	f, err := parseFrame(src)
	if err != nil {
		return 0, err
	}
	return f.content(), nil
}

// Decoder decodes frames. Between calls it keeps memory for blocks and the state of the
// codecs. Its zero value is ready, and safe for concurrent use. It must not be copied after
// its first use.
type Decoder struct {
	states sync.Pool // of *state
}

// leastBlock is the size of blocks that are decoded even if the content is shorter.
const leastBlock = 1 << 20

// DecodeInto decodes a frame into dst, which has the length of the content. An array is in C
// order. After an error the bytes of dst are undefined. Besides dst, DecodeInto needs up to three
// times the memory of dst, or of 1 MiB if that is more: for a block of each of three kinds,
// which usually are much smaller. The error wraps [ErrCorrupt] or [ErrUnsupported].
func (d *Decoder) DecodeInto(dst, src []byte) error {
	f, err := parseFrame(src)
	if err != nil {
		return err
	}
	if n := f.content(); n != len(dst) {
		return corrupt("it decodes to %d bytes, want %d", n, len(dst))
	}
	if len(dst) == 0 {
		return nil
	}
	s, ok := d.states.Get().(*state)
	if !ok {
		s = &state{}
	}
	defer d.states.Put(s)
	s.firstOf = nil
	offsets, err := s.offsets(f)
	if err != nil {
		return fmt.Errorf("the index of chunks: %w", err)
	}
	for i := range f.chunkCount {
		c, err := f.chunkAt(offsets, i)
		if err == nil && f.array == nil {
			err = s.content(dst[i*f.chunkSize:][:c.size], c)
		} else if err == nil {
			err = s.boxes(dst, f, c, i)
		}
		if err != nil {
			return fmt.Errorf("chunk %d: %w", i, err)
		}
	}
	return nil
}

// offsets decodes the index of chunks, which is a chunk itself.
func (s *state) offsets(f *frame) ([]byte, error) {
	c, err := parseChunk(f.data[f.header+f.stored:])
	if err != nil {
		return nil, err
	}
	switch {
	case c.size/8 != f.chunkCount || c.size%8 != 0:
		return nil, corrupt("it has %d bytes for %d chunks", c.size, f.chunkCount)
	case f.chunkCount > max(1<<16, f.content()/64):
		return nil, unsupported("%d chunks for %d bytes", f.chunkCount, f.content())
	}
	list := make([]byte, c.size)
	return list, s.content(list, c)
}

// boxes decodes a chunk of an array, block by block.
func (s *state) boxes(dst []byte, f *frame, c *chunk, number int) error {
	a := f.array
	blockSize := elements(a.block, len(dst)+leastBlock) * f.typeSize
	whole := c.old || c.kind == ordinary && c.block != blockSize // blocks of its own, if any
	if blockSize < 0 || blockSize > max(len(dst), leastBlock) || whole && c.size > max(len(dst), leastBlock)*2 {
		return unsupported("blocks of shape %v in an array of shape %v", a.block, a.shape)
	}
	var all []byte
	if whole {
		all = make([]byte, c.size)
		if err := s.content(all, c); err != nil {
			return err
		}
	}
	at := indices(number, counts(a.shape, a.chunk))
	grid := counts(a.chunk, a.block)
	begin, limit := make([]int, len(at)), make([]int, len(at))
	for i := range elements(grid, c.size) {
		inside := true
		for k, j := range indices(i, grid) {
			limit[k] = (at[k] + 1) * a.chunk[k]
			begin[k] = at[k]*a.chunk[k] + j*a.block[k]
			inside = inside && begin[k] < min(limit[k], a.shape[k])
		}
		if !inside {
			continue
		}
		block := room(&s.box, blockSize)
		var err error
		switch {
		case whole:
			block = all[i*blockSize:][:blockSize]
		case c.kind != ordinary:
			err = c.special(block, 0)
		default:
			err = s.blockOf(block, c, i)
		}
		if err != nil {
			return err
		}
		a.place(dst, block, begin, limit, f.typeSize)
	}
	return nil
}
