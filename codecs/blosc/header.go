package blosc

import (
	"encoding/binary"
	"slices"
)

// HeaderSize is the length in bytes of a header, and what a buffer may be
// longer than its content at most.
const HeaderSize = 16

const (
	formatVersion = 2
	streamVersion = 1

	flagBytes    = 0x01
	flagStored   = 0x02
	flagBits     = 0x04
	flagReserved = 0x08
	flagWhole    = 0x10
	codecShift   = 5
)

// streamCodecs are the codecs by their number in a header: lz4hc is read as
// lz4.
var streamCodecs = [...]Codec{BloscLZ, LZ4, Snappy, Zlib, Zstd}

// Header is what the first 16 bytes of a buffer say.
type Header struct {
	Codec       Codec // LZ4 also for what LZ4HC has written
	Shuffle     Shuffle
	TypeSize    int
	Size        int  // of the content in bytes
	BlockSize   int  // in bytes; 0 where Size is 0
	EncodedSize int  // of the whole buffer in bytes
	Stored      bool // the content follows as it is, not in blocks
	Split       bool // blocks are split where they can be
}

// ParseHeader reads the header at the start of a buffer, of which no more need
// be there, and checks that its fields agree. Its error is [ErrCorrupt], or
// [ErrUnsupported] for other versions of the format.
func ParseHeader(prefix []byte) (Header, error) {
	if len(prefix) < HeaderSize {
		return Header{}, corrupt("%d bytes, a header has %d", len(prefix), HeaderSize)
	}
	if v := prefix[0]; v != formatVersion {
		return Header{}, unsupported("version %d of the format: want %d", v, formatVersion)
	}
	flags := prefix[2]
	if flags&flagReserved != 0 {
		return Header{}, unsupported("flags %#02x", flags)
	}
	h := Header{
		TypeSize:    int(prefix[3]),
		Size:        int(binary.LittleEndian.Uint32(prefix[4:])),
		BlockSize:   int(binary.LittleEndian.Uint32(prefix[8:])),
		EncodedSize: int(binary.LittleEndian.Uint32(prefix[12:])),
		Stored:      flags&flagStored != 0,
		Split:       flags&flagWhole == 0,
	}
	// As c-blosc has it, shuffled bytes of single bytes are none, and
	// otherwise count more than shuffled bits.
	switch {
	case flags&flagBytes != 0 && h.TypeSize > 1:
		h.Shuffle = ByteShuffle
	case flags&flagBits != 0:
		h.Shuffle = BitShuffle
	}
	if h.Size == 0 {
		h.BlockSize = 0
	}
	if !h.Stored {
		number := int(flags >> codecShift)
		if number >= len(streamCodecs) || prefix[1] != streamVersion {
			return Header{}, unsupported("codec %d, version %d of its streams", number, prefix[1])
		}
		h.Codec = streamCodecs[number]
	}
	return h, h.check()
}

// check compares the fields with the limits and with each other.
func (h Header) check() error {
	switch {
	case h.Size > MaxSize:
		return corrupt("a content of %d bytes: at most %d are possible", h.Size, MaxSize)
	case h.EncodedSize < HeaderSize:
		return corrupt("a buffer of %d bytes", h.EncodedSize)
	case h.Size == 0:
		return nil
	case h.TypeSize == 0:
		return corrupt("elements of 0 bytes")
	case h.BlockSize == 0 || h.BlockSize > min(h.Size, maxBlockSize):
		return corrupt("blocks of %d bytes in a content of %d", h.BlockSize, h.Size)
	case h.Stored && h.EncodedSize != HeaderSize+h.Size:
		return corrupt("%d bytes stored in a buffer of %d", h.Size, h.EncodedSize)
	case !h.Stored && h.EncodedSize < h.IndexSize():
		return corrupt("%d blocks in a buffer of %d bytes", h.Blocks(), h.EncodedSize)
	}
	return nil
}

// Blocks returns the number of blocks.
func (h Header) Blocks() int {
	if h.Size == 0 {
		return 0
	}
	return (h.Size + h.BlockSize - 1) / h.BlockSize
}

// BlockLen returns the number of bytes of the content in block i: BlockSize,
// or less in the last one.
func (h Header) BlockLen(i int) int { return min(h.BlockSize, h.Size-i*h.BlockSize) }

// IndexSize returns the length in bytes of what precedes the blocks: the
// header, and where each block begins.
func (h Header) IndexSize() int {
	if h.Stored {
		return HeaderSize
	}
	return HeaderSize + 4*h.Blocks()
}

// Range is a range of bytes of a buffer, without its End.
type Range struct{ Start, End int }

// BlockRanges returns for each block the bytes of the buffer that hold it, so
// that [Decoder.DecodeBlock] can do with these. Blocks do not tell their ends:
// a range reaches to the start of another block, or to the end of the buffer.
// prefix holds at least the first [Header.IndexSize] bytes of the buffer.
func (h Header) BlockRanges(prefix []byte) ([]Range, error) {
	if len(prefix) < h.IndexSize() {
		return nil, corrupt("%d bytes, header and index have %d", len(prefix), h.IndexSize())
	}
	ranges := make([]Range, h.Blocks())
	if h.Stored {
		for i := range ranges {
			start := HeaderSize + i*h.BlockSize
			ranges[i] = Range{start, start + h.BlockLen(i)}
		}
		return ranges, nil
	}
	ends := make([]int, len(ranges), len(ranges)+1)
	for i := range ranges {
		start, err := h.blockStart(prefix, i)
		if err != nil {
			return nil, err
		}
		ranges[i].Start, ends[i] = start, start
	}
	ends = append(ends, h.EncodedSize)
	slices.Sort(ends)
	for i := range ranges {
		next, _ := slices.BinarySearch(ends, ranges[i].Start+1)
		ranges[i].End = ends[next]
	}
	return ranges, nil
}

// blockStart returns where block i begins; h is not stored. A block has at
// least the four bytes of a stream's size.
func (h Header) blockStart(prefix []byte, i int) (int, error) {
	start := int(binary.LittleEndian.Uint32(prefix[HeaderSize+4*i:]))
	if start < h.IndexSize() || start > h.EncodedSize-4 {
		return 0, corrupt("block %d begins at %d: the blocks lie from %d to %d", i, start, h.IndexSize(), h.EncodedSize)
	}
	return start, nil
}

// streams returns how many streams of equal length block i consists of.
func (h Header) streams(i int) int {
	if h.Split && h.BlockLen(i) == h.BlockSize && splittable(h.TypeSize, h.BlockSize) {
		return h.TypeSize
	}
	return 1
}
