package blosc2

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/codecs/blosc"
)

// chunkHeader is the size of a chunk's header; that of Blosc 1 is shorter.
const chunkHeader = 32

// maxTypeSize is the most bytes of an element in a chunk's header.
const maxTypeSize = 255

// Kinds of content.
const (
	ordinary = iota
	zeros
	nans
	repeated
	anything
)

// chunk is a chunk with its header.
type chunk struct {
	data     []byte
	version  byte
	old      bool // of Blosc 1
	stored   bool // the content follows the header
	split    bool
	codec    blosc.Codec
	typeSize int
	size     int // of the content
	block    int // size of a block
	kind     int // of the content
	filters  []filter

	dictionary []byte // which streams need; nil: none
}

// parseChunk parses the header of the chunk at the beginning of data, which may be longer.
func parseChunk(data []byte) (*chunk, error) {
	if len(data) < blosc.HeaderSize {
		return nil, corrupt("a chunk of %d bytes", len(data))
	}
	flags := data[2]
	c := &chunk{
		version: data[0], stored: flags&2 != 0, split: flags&0x10 == 0, typeSize: int(data[3]),
		size: int(binary.LittleEndian.Uint32(data[4:])), block: int(binary.LittleEndian.Uint32(data[8:])),
	}
	length := int(binary.LittleEndian.Uint32(data[12:]))
	if c.size > math.MaxInt32 || length > len(data) || length < blosc.HeaderSize {
		return nil, corrupt("a chunk of %d bytes for %d, of which %d are there", length, c.size, len(data))
	}
	c.data = data[:length]
	if flags&5 != 5 {
		c.old = true
		return c, nil
	}
	if length < chunkHeader {
		return nil, corrupt("a chunk of %d bytes, shorter than its header", length)
	}
	more := data[31]
	c.kind = int(more >> 4 & 7)
	switch {
	case c.version < 3 || c.version > 6:
		return nil, unsupported("version %d of chunks", c.version)
	case more&2 != 0:
		return nil, unsupported("a chunk of a big-endian machine")
	case more&0x8c != 0 || data[30] != 0:
		return nil, unsupported("a chunk with the flags %#x %#x", data[30], more)
	case c.kind > anything:
		return nil, unsupported("a chunk of the special kind %d", c.kind)
	case c.typeSize == 0:
		return nil, corrupt("elements of 0 bytes")
	case c.size > 0 && (c.block <= 0 || c.block > c.size):
		return nil, corrupt("blocks of %d bytes in a chunk of %d", c.block, c.size)
	case c.kind == repeated && length < chunkHeader+c.typeSize:
		return nil, corrupt("a repeated element of %d bytes in %d", c.typeSize, length-chunkHeader)
	case c.kind != ordinary:
		return c, nil
	case c.stored && length < chunkHeader+c.size:
		return nil, corrupt("%d bytes are stored in a chunk of %d", c.size, length)
	case c.stored:
		return c, nil
	case c.size > 0 && length < chunkHeader+4*c.blocks():
		return nil, corrupt("%d blocks in a chunk of %d bytes", c.blocks(), length)
	}
	codecs := []blosc.Codec{0: blosc.BloscLZ, 1: blosc.LZ4, 3: blosc.Zlib, 4: blosc.Zstd}
	number := int(flags >> 5)
	if number == 2 || number >= len(codecs) {
		if err := CheckCodec(int(data[22])); number == 6 && err != nil {
			return nil, err
		}
		return nil, unsupported("streams of the format %d", number)
	}
	c.codec = codecs[number]
	for i := range 6 {
		c.filters = append(c.filters, filter{data[16+i], data[24+i]})
	}
	if more&1 != 0 && c.size > 0 {
		if err := c.takeDictionary(); err != nil {
			return nil, err
		}
	}
	return c, checkFilters(c.filters)
}

// takeDictionary takes the dictionary, which follows the beginnings of blocks.
func (c *chunk) takeDictionary() error {
	if c.codec != blosc.Zstd && c.codec != blosc.LZ4 {
		return unsupported("a dictionary for streams of %v", c.codec)
	}
	rest := c.data[chunkHeader+4*c.blocks():]
	if len(rest) < 4 {
		return corrupt("a chunk of %d bytes has no room for a dictionary", len(c.data))
	}
	size := int(int32(binary.LittleEndian.Uint32(rest)))
	if rest = rest[4:]; size <= 0 || size > mostDictionary || size > len(rest) {
		return corrupt("a dictionary of %d bytes, of which %d are there", size, len(rest))
	}
	c.dictionary = rest[:size]
	return nil
}

// blocks returns the number of blocks. The chunk has content.
func (c *chunk) blocks() int { return (c.size + c.block - 1) / c.block }

// blockLen returns the number of bytes of block i.
func (c *chunk) blockLen(i int) int { return min(c.block, c.size-i*c.block) }

// state is the memory with which one goroutine decodes.
type state struct {
	old     blosc.Decoder
	streams blosc.StreamDecoder
	other   []byte // a block between filters
	first   []byte // the first block of the chunk whose number is in firstOf
	firstOf *chunk
	box     []byte // a block of an array

	dictionary dictionary // of the chunk that was used last
}

// decode decodes a stream of a chunk.
func (s *state) decode(c *chunk, dst, src []byte) error {
	if c.dictionary != nil {
		return s.dictionary.decode(c.codec, c.dictionary, dst, src)
	}
	return s.streams.Decode(c.codec, dst, src)
}

// room returns n bytes of *b, and makes *b longer if needed.
func room(b *[]byte, n int) []byte {
	if cap(*b) < n {
		*b = make([]byte, n)
	}
	return (*b)[:n]
}

// content decodes the whole chunk into dst, which has its size.
func (s *state) content(dst []byte, c *chunk) error {
	if c.old {
		if err := s.old.DecodeInto(dst, c.data); err != nil {
			return corrupt("a chunk of Blosc 1: %w", err)
		}
		return nil
	}
	for i := 0; len(dst) > 0; i++ {
		n := c.blockLen(i)
		if err := s.blockOf(dst[:n], c, i); err != nil {
			return err
		}
		dst = dst[n:]
	}
	return nil
}

// blockOf decodes block i of a chunk that is not one of Blosc 1.
func (s *state) blockOf(dst []byte, c *chunk, i int) error {
	switch {
	case c.kind != ordinary:
		return c.special(dst, i*c.block)
	case c.stored:
		copy(dst, c.data[chunkHeader+i*c.block:])
		return nil
	}
	var first []byte
	for _, f := range c.filters {
		if f.kind != filterDelta || i == 0 {
			continue
		}
		if s.firstOf != c {
			s.firstOf = nil
			if err := s.block(room(&s.first, c.blockLen(0)), nil, c, 0); err != nil {
				return err
			}
			s.firstOf = c
		}
		first = s.first[:c.blockLen(0)]
	}
	return s.block(dst, first, c, i)
}

// special fills dst with the content of a special chunk from byte off on.
func (c *chunk) special(dst []byte, off int) error {
	var element []byte
	switch {
	case c.kind == zeros || c.kind == anything:
		clear(dst)
		return nil
	case c.kind == repeated:
		element = c.data[chunkHeader:][:c.typeSize]
	case c.typeSize == 4:
		element = binary.LittleEndian.AppendUint32(nil, 0x7fc00000)
	case c.typeSize == 8:
		element = binary.LittleEndian.AppendUint64(nil, 0x7ff8000000000000)
	default:
		return unsupported("NaN of %d bytes", c.typeSize)
	}
	n := copy(dst, element[off%len(element):])
	for n < len(dst) {
		n += copy(dst[n:], element)
	}
	return nil
}

// block decodes block i of an ordinary chunk. first is the first block, if a delta needs it.
func (s *state) block(dst, first []byte, c *chunk, i int) error {
	start := int(int32(binary.LittleEndian.Uint32(c.data[chunkHeader+4*i:])))
	if start < chunkHeader || start > len(c.data) {
		return corrupt("block %d begins at byte %d of %d", i, start, len(c.data))
	}
	shuffles := 0
	for _, f := range c.filters {
		if f.kind == filterBytes || f.kind == filterBits {
			shuffles++
		}
	}
	// Each shuffling goes from one piece of memory to the other, and the last one to dst.
	now, next := dst, []byte(nil)
	if shuffles > 0 {
		next = room(&s.other, len(dst))
	}
	if shuffles%2 == 1 {
		now, next = next, now
	}
	if err := s.streamsOf(now, c.data[start:], c, i); err != nil {
		return err
	}
	for _, f := range slices.Backward(c.filters) {
		switch f.kind {
		case filterDelta:
			undoDelta(now, first, c.typeSize)
		case filterBytes, filterBits:
			size := c.typeSize
			if f.kind == filterBytes && f.parameter != 0 {
				size = int(f.parameter)
			}
			unshuffle(next, now, f.kind, size, c.version)
			now, next = next, now
		case filterByteDelta, filterByteDeltaOld:
			undoByteDelta(now, cmp.Or(int(f.parameter), c.typeSize), f.kind == filterByteDeltaOld)
		}
	}
	return nil
}

// streamsOf decodes the streams of block i, which begin at the start of src.
func (s *state) streamsOf(dst, src []byte, c *chunk, i int) error {
	count := 1
	if c.split && len(dst) == c.block {
		count = c.typeSize
	}
	size := len(dst) / count
	if size*count != len(dst) {
		return corrupt("block %d has %d bytes, which are not %d streams", i, len(dst), count)
	}
	for j := range count {
		stream := dst[j*size:][:size]
		if len(src) < 4 {
			return corrupt("block %d, stream %d: cut short", i, j)
		}
		n := int(int32(binary.LittleEndian.Uint32(src)))
		src = src[4:]
		switch {
		case n == 0:
			clear(stream)
			continue
		case n < 0:
			if len(src) < 1 || src[0]&1 == 0 || n < -255 {
				return corrupt("block %d, stream %d: a run of bytes %d", i, j, -n)
			}
			for k := range stream {
				stream[k] = byte(-n)
			}
			src = src[1:]
			continue
		case n > len(src):
			return corrupt("block %d, stream %d: %d bytes, %d are left", i, j, n, len(src))
		case n == size:
			copy(stream, src)
		default:
			if err := s.decode(c, stream, src[:n]); err != nil {
				return corrupt("block %d, stream %d: %w", i, j, err)
			}
		}
		src = src[n:]
	}
	return nil
}
