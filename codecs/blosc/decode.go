package blosc

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/zmigrate/zmigrate/codecs/shuffle"
	"github.com/zmigrate/zmigrate/internal/race"
)

// DecodedSize returns the size in bytes of a buffer's content, as its header states it.
// A caller who does not trust the buffer checks the size before allocating memory.
func DecodedSize(src []byte) (int, error) {
	h, err := parseWhole(src)
	return h.Size, err
}

// parseWhole reads the header of a complete buffer.
func parseWhole(src []byte) (Header, error) {
	h, err := ParseHeader(src)
	if err == nil && h.EncodedSize != len(src) {
		err = corrupt("%d bytes, by its header the buffer has %d", len(src), h.EncodedSize)
	}
	return h, err
}

// Decoder decodes buffers. Between calls it keeps memory for blocks and the state of
// the codecs. Its zero value is ready, and safe for concurrent use. It must not be
// copied after its first use.
type Decoder struct {
	states sync.Pool // of *decodeState
}

func (d *Decoder) state() *decodeState {
	if s, ok := d.states.Get().(*decodeState); ok {
		return s
	}
	return &decodeState{}
}

// DecodeInto decodes a whole buffer into dst, which has the length of the content. A
// longer content is [ErrTooLarge], a shorter one [ErrCorrupt]. After an error the bytes
// of dst are undefined. Besides dst it needs memory for one block, which is not larger
// than dst.
func (d *Decoder) DecodeInto(dst, src []byte) error {
	h, err := parseWhole(src)
	switch {
	case err != nil:
		return err
	case h.Size > len(dst):
		return fmt.Errorf("%w: it decodes to %d bytes, want %d", ErrTooLarge, h.Size, len(dst))
	case h.Size < len(dst):
		return corrupt("it decodes to %d bytes, want %d", h.Size, len(dst))
	}
	return d.decodeRange(dst, src, h, 0)
}

// DecodeRange decodes len(dst) bytes of the content from byte off on. src is the whole
// buffer; DecodeRange decodes only the blocks with these bytes. A range outside of the
// content is [ErrCorrupt].
//
// Besides dst it needs memory for up to two blocks, which may be as large as the
// content. A caller who does not trust src checks [DecodedSize] first.
func (d *Decoder) DecodeRange(dst, src []byte, off int) error {
	h, err := parseWhole(src)
	if err != nil {
		return err
	}
	if off < 0 || off > h.Size || len(dst) > h.Size-off {
		return corrupt("it decodes to %d bytes, want %d from byte %d on", h.Size, len(dst), off)
	}
	return d.decodeRange(dst, src, h, off)
}

func (d *Decoder) decodeRange(dst, src []byte, h Header, off int) error {
	race.Read(src)
	race.Write(dst)
	if h.Stored {
		copy(dst, src[HeaderSize+off:])
		return nil
	}
	s := d.state()
	defer d.states.Put(s)
	for len(dst) > 0 {
		i := off / h.BlockSize
		start, err := h.blockStart(src, i)
		if err != nil {
			return err
		}
		skip, length := off-i*h.BlockSize, h.BlockLen(i)
		n := min(len(dst), length-skip)
		block := dst[:n]
		if n < length {
			block = room(&s.part, length)
		}
		if err := s.block(block, src[start:], h, i); err != nil {
			return err
		}
		if n < length {
			copy(dst, block[skip:])
		}
		dst, off = dst[n:], off+n
	}
	return nil
}

// DecodeBlock decodes block i of the buffer with the given header into dst, which has
// [Header.BlockLen] bytes. encoded is the bytes of the buffer in the block's range, see
// [Header.BlockRanges].
func (d *Decoder) DecodeBlock(dst, encoded []byte, h Header, i int) error {
	if i < 0 || i >= h.Blocks() || len(dst) != h.BlockLen(i) {
		return fmt.Errorf("blosc: no block %d of %d bytes among %d of %d", i, len(dst), h.Blocks(), h.BlockSize)
	}
	race.Read(encoded)
	race.Write(dst)
	if h.Stored {
		if len(encoded) != len(dst) {
			return corrupt("block %d is stored in %d bytes, want %d", i, len(encoded), len(dst))
		}
		copy(dst, encoded)
		return nil
	}
	s := d.state()
	defer d.states.Put(s)
	return s.block(dst, encoded, h, i)
}

// decodeState is the memory with which one goroutine decodes.
type decodeState struct {
	shuffled []byte // a block
	part     []byte // a block of which only a part is wanted
	streams  StreamDecoder
}

// room returns n bytes of *b, and makes *b longer if needed.
func room(b *[]byte, n int) []byte {
	if cap(*b) < n {
		*b = make([]byte, n)
	}
	return (*b)[:n]
}

// block decodes block i, which begins at the start of src, into dst.
func (s *decodeState) block(dst, src []byte, h Header, i int) error {
	out := dst
	if h.Shuffle != NoShuffle {
		out = room(&s.shuffled, len(dst))
	}
	count := h.streams(i)
	size := len(dst) / count
	if size*count != len(dst) {
		return corrupt("block %d has %d bytes, which are not %d streams", i, len(dst), count)
	}
	for j := range count {
		if len(src) < 4 {
			return corrupt("block %d, stream %d: cut short", i, j)
		}
		n := int(binary.LittleEndian.Uint32(src))
		src = src[4:]
		if n > len(src) {
			return corrupt("block %d, stream %d: %d bytes, %d are left", i, j, n, len(src))
		}
		stream := out[j*size:][:size]
		if n == size {
			copy(stream, src)
		} else if err := s.streams.Decode(h.Codec, stream, src[:n]); err != nil {
			return fmt.Errorf("%w: block %d, stream %d: %w", ErrCorrupt, i, j, err)
		}
		src = src[n:]
	}
	switch h.Shuffle {
	case ByteShuffle:
		shuffle.DecodeBytes(dst, out, h.TypeSize)
	case BitShuffle:
		shuffle.DecodeBits(dst, out, h.TypeSize)
	}
	return nil
}
