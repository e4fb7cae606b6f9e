package blosc

import (
	"encoding/binary"
	"slices"
)

// HeaderSize is the length in bytes of a header. A buffer is at most this much longer
// than its content.
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

// streamCodecs are the codecs by their numbers in a header. lz4hc is read as lz4.
var streamCodecs = [...]Codec{BloscLZ, LZ4, Snappy, Zlib, Zstd}

// Header is the content of the first 16 bytes of a buffer.
type Header struct {
	Codec       Codec // LZ4 also for streams of LZ4HC
	Shuffle     Shuffle
	TypeSize    int
	Size        int  // of the content in bytes
	BlockSize   int  // in bytes; 0 where Size is 0
	EncodedSize int  // of the whole buffer in bytes
	Stored      bool // the content follows unchanged, not in blocks
	Split       bool // blocks are split if they can be
}

// ParseHeader reads the header at the start of a buffer, and checks that its fields
// agree. prefix need not have more than the header. The error wraps [ErrCorrupt], or
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
	// As in c-blosc, a byte shuffle of single bytes is no shuffle. Otherwise the byte
	// shuffle comes before the bit shuffle.
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

// BlockLen returns the number of bytes of the content in block i. It is BlockSize, or
// less for the last block.
func (h Header) BlockLen(i int) int { return min(h.BlockSize, h.Size-i*h.BlockSize) }

// IndexSize returns the length in bytes of the header and of the index, which has the
// beginning of each block.
func (h Header) IndexSize() int {
	if h.Stored {
		return HeaderSize
	}
	return HeaderSize + 4*h.Blocks()
}

// Range is a range of bytes of a buffer; End is exclusive.
type Range struct{ Start, End int }

// BlockRanges returns, for each block, the range of the buffer that holds the block,
// for [Decoder.DecodeBlock]. The index does not have the ends of blocks, so a range
// extends to the beginning of another block, or to the end of the buffer. prefix holds
// at least the first [Header.IndexSize] bytes of the buffer.
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

// blockStart returns the beginning of block i. h is not stored. A block has at least
// the four bytes of a stream's size.
func (h Header) blockStart(prefix []byte, i int) (int, error) {
	start := int(binary.LittleEndian.Uint32(prefix[HeaderSize+4*i:]))
	if start < h.IndexSize() || start > h.EncodedSize-4 {
		return 0, corrupt("block %d begins at %d: the blocks lie from %d to %d", i, start, h.IndexSize(), h.EncodedSize)
	}
	return start, nil
}

// streams returns the number of streams, of equal length, in block i.
func (h Header) streams(i int) int {
	if h.Split && h.BlockLen(i) == h.BlockSize && splittable(h.TypeSize, h.BlockSize) {
		return h.TypeSize
	}
	return 1
}
