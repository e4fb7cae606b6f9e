package blosc

import (
	"fmt"
	"slices"
)

// Codec is the compression of streams.
type Codec uint8

// The codecs, numbered as c-blosc does in its interface.
const (
	BloscLZ Codec = iota
	LZ4
	LZ4HC // slower than LZ4 and with smaller streams, which LZ4 reads
	Snappy
	Zlib
	Zstd
)

// Shuffle is the order of the bytes or bits of a block that is compressed.
type Shuffle uint8

// Kinds of shuffle, numbered as in c-blosc's interface.
const (
	NoShuffle   Shuffle = iota
	ByteShuffle         // bytes of equal weight side by side
	BitShuffle          // bits of equal weight side by side
)

// Options say how to encode. The zero value stores the content unchanged.
type Options struct {
	Codec    Codec
	Level    int // 0 (stored), or 1 (fast) to 9 (small)
	Shuffle  Shuffle
	TypeSize int // bytes of an element, at most 255; 0 means 1
	// BlockSize is the size of a block in bytes. It is rounded as c-blosc rounds it. 0
	// stands for the size that c-blosc would choose.
	BlockSize int
}

// Limits of the format, as in c-blosc.
const (
	MaxSize      = 1<<31 - 1 - HeaderSize // of a content
	MaxTypeSize  = 255
	maxBlockSize = (1<<31 - 1 - MaxTypeSize*4) / 3

	minStreamElements = 128 // least elements of a split block; also the least bytes of a content that is compressed
	maxSplits         = 16
)

// check refuses options that the format does not have, and sets defaults.
func (o *Options) check() error {
	switch {
	case o.Codec > Zstd:
		return unsupported("codec %d", o.Codec)
	case o.Level < 0 || o.Level > 9:
		return unsupported("level %d: want 0 to 9", o.Level)
	case o.Shuffle > BitShuffle:
		return unsupported("shuffle %d", o.Shuffle)
	case o.TypeSize < 0 || o.TypeSize > MaxTypeSize:
		return unsupported("typesize %d: want 1 to %d", o.TypeSize, MaxTypeSize)
	case o.BlockSize < 0 || o.BlockSize > MaxSize:
		return unsupported("blocksize %d: want 0 to %d", o.BlockSize, MaxSize)
	}
	o.TypeSize = max(o.TypeSize, 1)
	return nil
}

// splits tells whether blocks of a size are compressed as one stream for each byte of
// an element. c-blosc does not split blocks for zstd. It splits them for other codecs,
// so that its first versions can read them.
func (o *Options) splits(blockSize int) bool {
	return o.Codec != Zstd && splittable(o.TypeSize, blockSize)
}

// splittable tells whether a block may consist of several streams at all.
func splittable(typeSize, blockSize int) bool {
	return typeSize <= maxSplits && blockSize/typeSize >= minStreamElements
}

// blockSize returns the size of the blocks of a content of n bytes, as c-blosc 1.21
// chooses it. It is the size of a processor's cache times factors that grow with the
// level and the codec. For split blocks it is larger, so that one stream has this size.
func (o *Options) blockSize(n int) int {
	const cache = 32 << 10
	if n < o.TypeSize {
		return 1
	}
	size := n
	switch {
	case o.BlockSize > 0:
		size = min(max(o.BlockSize, minStreamElements), maxBlockSize)
	case n >= cache:
		slow := o.Codec == LZ4HC || o.Codec == Zlib || o.Codec == Zstd
		quarters := [...]int{1, 2, 4, 8, 16, 16, 32, 32, 32, 32}[o.Level]
		size = cache / 4 * quarters
		if slow {
			size *= 2
		}
		if slow && o.Level == 9 {
			size *= 2
		}
	}
	if o.Level > 0 && o.splits(size) {
		size = min(size, 256<<10) * o.TypeSize
		size = min(max(size, 64<<10), 1<<20)
	}
	size = min(size, n)
	if size > o.TypeSize {
		size -= size % o.TypeSize
	}
	return size
}

// codecNames are the names of the codecs in c-blosc and numcodecs (cname).
var codecNames = [...]string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}

// String returns the codec's name in c-blosc, such as "lz4hc".
func (c Codec) String() string {
	if int(c) < len(codecNames) {
		return codecNames[c]
	}
	return fmt.Sprintf("Codec(%d)", uint8(c))
}

// ParseCodec returns the codec of a name that [Codec.String] gives, or an error
// with [ErrUnsupported].
func ParseCodec(name string) (Codec, error) {
	i := slices.Index(codecNames[:], name)
	if i < 0 {
		return 0, unsupported("codec %q: want one of %q", name, codecNames)
	}
	return Codec(i), nil
}
