package n5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/codecs"
)

// modes of blocks.
const (
	plain  = 0
	varied = 1 // the number of elements follows the shape
)

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: an N5 block %s", codecs.ErrCorrupt, fmt.Sprintf(format, args...))
}

// Header returns the size of the header of a block of mode 0.
func Header(rank int) int { return 4 + 4*rank }

// MostLZ4 bounds the size of a block whose elements have n bytes, compressed by LZ4.
func MostLZ4(n, rank int) int {
	const frames = 1 << 10 // lz4-java has one for each 64 bytes at least, most writers for 64 KiB
	return Header(rank) + 4 + n + n/2 + frames
}

// Block returns a block in mode 0, whose elements are not compressed by LZ4. The array has rank
// dimensions, elements of width bytes, and at most most elements in a block. The result may share
// memory with the block, which must not be used any more.
func Block(block []byte, rank, width, most int, compressed bool) ([]byte, error) {
	header := Header(rank)
	if len(block) < header {
		return nil, corrupt("of %d bytes, its header has %d", len(block), header)
	}
	mode := binary.BigEndian.Uint16(block)
	if n := int(binary.BigEndian.Uint16(block[2:])); mode <= varied && n != rank {
		return nil, corrupt("of %d dimensions, the array has %d", n, rank)
	}
	elements := 1
	for k := range rank {
		n := int(binary.BigEndian.Uint32(block[4+4*k:]))
		if n > 0 && elements > math.MaxInt/n {
			return nil, corrupt("of too many elements")
		}
		elements *= n
	}
	if elements > most {
		return nil, fmt.Errorf("%w: an N5 block of %d elements, at most %d are in a chunk", codecs.ErrTooLarge, elements, most)
	}
	switch {
	case mode == plain && !compressed:
		return block, nil
	case mode > varied:
		return nil, corrupt("in mode %d, which holds no array of numbers", mode)
	case mode == varied:
		if len(block) < header+4 {
			return nil, corrupt("of %d bytes, its header has %d", len(block), header+4)
		}
		if n := int(binary.BigEndian.Uint32(block[header:])); n != elements {
			return nil, corrupt("of %d elements, its shape has %d", n, elements)
		}
		copy(block[4:], block[:header]) // the number is overwritten
		block = block[4:]
		binary.BigEndian.PutUint16(block, plain)
	}
	if !compressed {
		return block, nil
	}
	out := make([]byte, header, header+elements*width)
	copy(out, block[:header])
	return decompress(out, block[header:], elements*width)
}

// ownMagic begins a frame of the format that LZ4 itself defines.
const ownMagic = "\x04\x22\x4d\x18"

const (
	frameMagic  = "LZ4Block"
	frameHeader = len(frameMagic) + 13
	// methods of frames, in the upper bits of a byte.
	frameStored = 0x10
	frameLZ4    = 0x20
)

// decompress appends size bytes, which were compressed by lz4-java; or as one LZ4 block, as z5
// does; or as one LZ4 block behind its size, as numcodecs does; or in a frame of LZ4, as the crate
// n5 does. dst has room for them.
func decompress(dst, src []byte, size int) ([]byte, error) {
	if len(src) < len(frameMagic) || string(src[:len(frameMagic)]) != frameMagic {
		if len(src) > 4 && int64(binary.LittleEndian.Uint32(src)) == int64(size) {
			if out, err := frame(dst, src[4:], size); err == nil {
				return out, nil
			}
		}
		if bytes.HasPrefix(src, []byte(ownMagic)) { // no block begins so: it would repeat what is in front of it
			return ownFrame(dst, src, size)
		}
		return frame(dst, src, size)
	}
	left := size
	for {
		if len(src) == 0 && left == 0 {
			return dst, nil // without the empty frame
		}
		if len(src) < frameHeader || string(src[:len(frameMagic)]) != frameMagic {
			return nil, corrupt("whose LZ4 data end %d bytes early", left)
		}
		method := src[len(frameMagic)] & 0xf0
		numbers := src[len(frameMagic)+1:]
		packed, n, sum := int64(binary.LittleEndian.Uint32(numbers)), int64(binary.LittleEndian.Uint32(numbers[4:])), binary.LittleEndian.Uint32(numbers[8:])
		src = src[frameHeader:]
		if n == 0 {
			if left != 0 || packed != 0 {
				return nil, corrupt("whose LZ4 data end %d bytes early", left)
			}
			return dst, nil
		}
		if n > int64(left) || packed > int64(len(src)) {
			return nil, corrupt("with an LZ4 frame of %d bytes in %d, where %d bytes are left", n, packed, left)
		}
		begin := len(dst)
		var err error
		switch {
		case method == frameStored && packed == n:
			dst = append(dst, src[:n]...)
		case method == frameLZ4:
			dst, err = frame(dst, src[:packed], int(n))
		default:
			err = corrupt("with an LZ4 frame of method %#x", method)
		}
		if err != nil {
			return nil, err
		}
		if got := checksum(dst[begin:]); got != sum {
			return nil, corrupt("with an LZ4 frame whose checksum is %08x instead of %08x", got, sum)
		}
		src, left = src[packed:], left-int(n)
	}
}

// frame appends the size bytes of one block of LZ4. dst has room for them.
func frame(dst, src []byte, size int) ([]byte, error) {
	begin := len(dst)
	dst = dst[:begin+size]
	n, err := lz4.UncompressBlock(src, dst[begin:])
	if err != nil || n != size {
		return nil, corrupt("whose LZ4 data are damaged")
	}
	return dst, nil
}

// ownFrame appends the size bytes of one frame of LZ4's own format, and compares its checksums.
func ownFrame(dst, src []byte, size int) ([]byte, error) {
	begin := len(dst)
	dst = dst[:begin+size]
	in := bytes.NewReader(src)
	r := lz4.NewReader(in)
	if _, err := io.ReadFull(r, dst[begin:]); err != nil {
		return nil, corrupt("whose LZ4 data are damaged: %v", err)
	}
	var more [1]byte
	if n, err := r.Read(more[:]); n > 0 || !errors.Is(err, io.EOF) || in.Len() > 0 {
		return nil, corrupt("whose LZ4 data do not end after %d bytes", size)
	}
	return dst, nil
}
