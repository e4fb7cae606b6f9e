package hdf5

import (
	"encoding/binary"
	"fmt"

	"github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/codecs/shuffle"
)

// bitshuffle undoes the filter bitshuffle, which puts the bits of equal weight, of all
// elements of a block, side by side. If a parameter says so, each block is compressed.
// The number of elements in a block is a multiple of 8. The last block may have fewer
// elements, and up to 7 elements behind it are stored unchanged.
//
// A compressed chunk begins with the size of the content in 8 bytes and the size of a
// block in 4 bytes, both big-endian. Each block follows its own size, in 4 bytes.
func (d *decoders) bitshuffle(p []uint32) (step, error) {
	const elementBytes, blockElements, compression = 2, 3, 4 // indexes of parameters
	if len(p) <= elementBytes {
		return neverApplied, nil
	}
	b := &bitshuffled{size: int(p[elementBytes])}
	if len(p) > blockElements {
		b.block = int(p[blockElements])
	}
	if b.size == 0 || b.size > maxChunk || b.block%8 != 0 || b.block > maxChunk {
		return nil, unsupported("parameters %d", p)
	}
	if b.block == 0 {
		const target, least = 8192, 128
		b.block = max(target/b.size&^7, least)
	}
	if len(p) > compression {
		switch p[compression] {
		case 0:
		case 2:
			b.decompress = func(dst, src []byte) ([]byte, error) {
				n, err := lz4.UncompressBlock(src, dst)
				if err != nil {
					return nil, fmt.Errorf("%w: %w", err, ErrCorrupt)
				}
				return dst[:n], nil
			}
		case 3:
			b.decompress = d.zstd
		default:
			return nil, unsupported("compression %d", p[compression])
		}
	}
	return b.decode, nil
}

// bitshuffled holds the parameters of a bitshuffle filter.
type bitshuffled struct {
	size, block int  // bytes of an element, elements of a block
	decompress  step // nil: blocks are not compressed
}

func (b *bitshuffled) decode(dst, src []byte) ([]byte, error) {
	total, block := uint64(len(src)), b.block
	if b.decompress != nil {
		const header = 8 + 4
		if len(src) < header {
			return nil, corrupt("%d bytes are too few for a header", len(src))
		}
		total = binary.BigEndian.Uint64(src)
		block = int(binary.BigEndian.Uint32(src[8:])) / b.size
		src = src[header:]
	}
	if total > uint64(len(dst)) {
		return nil, tooMuch(len(dst))
	}
	if block == 0 || block%8 != 0 {
		return nil, corrupt("blocks of %d elements of %d bytes", block, b.size)
	}
	dst = dst[:total]
	var between []byte // memory for a decompressed block
	for rest := dst; len(rest) > 0; {
		n := min(block, len(rest)/b.size&^7) * b.size
		if n == 0 {
			if len(src) < len(rest) {
				return nil, corrupt("it ends before its last elements")
			}
			copy(rest, src)
			break
		}
		content := src
		if b.decompress != nil {
			if between == nil {
				between = make([]byte, n)
			}
			var err error
			if content, src, err = b.next(between[:n], src); err != nil {
				return nil, err
			}
		} else {
			src = src[n:]
		}
		shuffle.DecodeBits(rest[:n], content[:n], b.size)
		rest = rest[n:]
	}
	return dst, nil
}

// next decompresses the block at the beginning of src into dst, which has the length of
// the block. It returns the content and the bytes behind the block.
func (b *bitshuffled) next(dst, src []byte) (content, rest []byte, err error) {
	if len(src) < 4 {
		return nil, nil, corrupt("it ends before its last block")
	}
	n := int(binary.BigEndian.Uint32(src))
	if src = src[4:]; n > len(src) {
		return nil, nil, corrupt("a block of %d bytes, but only %d bytes are left", n, len(src))
	}
	if content, err = b.decompress(dst, src[:n]); err != nil {
		return nil, nil, err
	}
	if len(content) != len(dst) {
		return nil, nil, corrupt("a block decodes to %d bytes, want %d", len(content), len(dst))
	}
	return content, src[n:], nil
}
