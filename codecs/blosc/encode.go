package blosc

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/codecs/shuffle"
	"github.com/zmigrate/zmigrate/internal/race"
)

// MaxEncodedSize returns the largest size of a buffer for a content of n bytes. It is n
// and the header, because a content that would grow is stored.
func MaxEncodedSize(n int) int { return n + HeaderSize }

// MaxForeignSize returns the largest size of a buffer that c-blosc makes of a content of n
// bytes if its caller gives it room enough, as GDAL does. Then c-blosc compresses blocks
// that do not shrink nevertheless, and each of their streams is as large as its content.
// blockSize is that of [Options].
func MaxForeignSize(n, blockSize int) int {
	least, streams := 4096, maxSplits // c-blosc chooses no smaller blocks for a longer content
	if blockSize > 0 {
		least = max(blockSize, minStreamElements)
		streams = min(least/minStreamElements, maxSplits)
		least /= 2 // c-blosc rounds the size down to whole elements
	}
	return n + HeaderSize + (n/least+1)*4*(1+streams)
}

// Encoder encodes buffers. Its options have been checked. Between calls it keeps memory
// for blocks and the state of its codec. It is safe for concurrent use.
type Encoder struct {
	options Options
	states  sync.Pool // of *encodeState
}

// NewEncoder returns an encoder. For an option that the format does not have, it
// returns an error that wraps [ErrUnsupported] and names the option.
func NewEncoder(o Options) (*Encoder, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return &Encoder{options: o}, nil
}

// AppendEncode appends the buffer of the content src to dst, which must not overlap it,
// and returns the extended slice. The error is [ErrTooLarge] for more than [MaxSize]
// bytes.
//
// The buffer stores the content unchanged at level 0, if the content has less than 128
// bytes, and if it does not shrink.
func (e *Encoder) AppendEncode(dst, src []byte) ([]byte, error) {
	if len(src) > MaxSize {
		return nil, fmt.Errorf("%w: %d bytes, a buffer holds %d", ErrTooLarge, len(src), MaxSize)
	}
	race.Read(src)
	o := &e.options
	from := len(dst)
	dst = slices.Grow(dst, MaxEncodedSize(len(src)))
	buffer := dst[from : from+MaxEncodedSize(len(src))]
	h := Header{
		Codec: o.Codec, Shuffle: o.Shuffle, TypeSize: o.TypeSize,
		Size: len(src), BlockSize: o.blockSize(len(src)),
	}
	h.Split = o.splits(h.BlockSize)
	if o.Level > 0 && len(src) >= minStreamElements {
		n, err := e.blocks(buffer, src, h)
		if err != nil {
			return nil, err
		}
		h.EncodedSize = n
	}
	if h.EncodedSize == 0 {
		h.Stored, h.EncodedSize = true, len(buffer)
		copy(buffer[HeaderSize:], src)
	}
	h.put(buffer)
	race.Write(buffer[:h.EncodedSize])
	return dst[:from+h.EncodedSize], nil
}

// put writes the header to the start of a buffer.
func (h Header) put(buffer []byte) {
	number := slices.Index(streamCodecs[:], h.Codec)
	if h.Codec == LZ4HC {
		number = slices.Index(streamCodecs[:], LZ4)
	}
	flags := byte(number) << codecShift
	switch h.Shuffle {
	case ByteShuffle:
		flags |= flagBytes
	case BitShuffle:
		flags |= flagBits
	}
	if h.Stored {
		flags |= flagStored
	}
	if !h.Split {
		flags |= flagWhole
	}
	copy(buffer, []byte{formatVersion, streamVersion, flags, byte(h.TypeSize)})
	binary.LittleEndian.PutUint32(buffer[4:], uint32(h.Size))
	binary.LittleEndian.PutUint32(buffer[8:], uint32(h.BlockSize))
	binary.LittleEndian.PutUint32(buffer[12:], uint32(h.EncodedSize))
}

// blocks writes index and blocks into a buffer. It returns the number of bytes used, or
// 0 if the buffer is too short.
func (e *Encoder) blocks(buffer, src []byte, h Header) (int, error) {
	s, ok := e.states.Get().(*encodeState)
	if !ok {
		streams, err := newStreamEncoder(h.Codec, e.options.Level, h.BlockSize)
		if err != nil {
			return 0, err
		}
		s = &encodeState{streams: streams}
	}
	defer e.states.Put(s)
	at := h.IndexSize()
	for i := range h.Blocks() {
		if at > len(buffer) {
			return 0, nil
		}
		binary.LittleEndian.PutUint32(buffer[HeaderSize+4*i:], uint32(at))
		n := s.block(buffer[at:], src[i*h.BlockSize:][:h.BlockLen(i)], h, i)
		if n == 0 {
			return 0, nil
		}
		at += n
	}
	return at, nil
}

// encodeState is the memory with which one goroutine encodes.
type encodeState struct {
	shuffled []byte // a block
	streams  streamEncoder
}

// block writes block i to the start of dst and returns its length, or 0 if dst is too
// short.
func (s *encodeState) block(dst, src []byte, h Header, i int) int {
	in := src
	switch {
	case h.Shuffle == ByteShuffle && h.TypeSize > 1:
		in = room(&s.shuffled, len(src))
		shuffle.EncodeBytes(in, src, h.TypeSize)
	case h.Shuffle == BitShuffle:
		in = room(&s.shuffled, len(src))
		shuffle.EncodeBits(in, src, h.TypeSize)
	}
	count := h.streams(i)
	size := len(src) / count
	at := 0
	for j := range count {
		if len(dst)-at <= 4 {
			return 0
		}
		stream, to := in[j*size:][:size], dst[at+4:]
		n := s.streams(to[:min(size, len(to))], stream)
		if n == 0 || n == size { // a stream of that size would count as stored
			if n = copyFitting(to, stream); n == 0 {
				return 0
			}
		}
		binary.LittleEndian.PutUint32(dst[at:], uint32(n))
		at += 4 + n
	}
	return at
}
