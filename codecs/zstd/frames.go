package zstd

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Content is the description of the content that frames give.
type Content struct {
	Size     int64 // in bytes, or -1 if some frame does not state it
	Checksum bool  // some frame ends with a checksum of its content
}

const (
	frameMagic     = 0xfd2fb528
	skippableMagic = 0x184d2a50 // the first of 16 magic numbers
	// mostContent bounds the size of content, and keeps sums of sizes from
	// overflowing.
	mostContent = 1 << 62
)

// errCut reports bytes that end within a frame.
var errCut = errors.New("zstd: the frame is cut short")

// Frames reads frames and skippable frames up to the end of r: their headers and the
// headers of their blocks. It decodes no content. It fails for anything other than
// frames, and for blocks that no frame may have.
func Frames(r *bufio.Reader) (Content, error) {
	var all Content
	for n := 0; ; n++ {
		if _, err := r.Peek(1); errors.Is(err, io.EOF) {
			if n == 0 {
				return all, errCut
			}
			return all, nil
		}
		magic, err := number(r, 4)
		switch {
		case err != nil:
			return all, err
		case magic&^15 == skippableMagic:
			size, err := number(r, 4)
			if err == nil {
				err = skip(r, int(size))
			}
			if err != nil {
				return all, err
			}
			continue
		case magic != frameMagic:
			return all, fmt.Errorf("zstd: no frame begins with %08x", magic)
		}
		one, err := frame(r)
		if err != nil {
			return all, err
		}
		all.Checksum = all.Checksum || one.Checksum
		if all.Size < 0 || one.Size < 0 {
			all.Size = -1
		} else if all.Size += one.Size; all.Size > mostContent {
			return all, fmt.Errorf("zstd: frames of %d bytes and more", int64(mostContent))
		}
	}
}

// frame reads the part of a frame behind its magic number.
func frame(r *bufio.Reader) (Content, error) {
	one, err := readFrameHeader(r)
	if err != nil {
		return one, err
	}
	known := int64(0) // bytes of content that blocks state
	for last := false; !last; {
		header, err := number(r, 3)
		if err != nil {
			return one, err
		}
		last = header&1 != 0
		kind, size := header>>1&3, int(header>>3)
		if size > maxBlock && kind != 1 {
			return one, fmt.Errorf("zstd: a block of %d bytes, at most %d", size, maxBlock)
		}
		stored := size
		switch kind {
		case 0: // stored unchanged
			known += int64(size)
		case 1: // one byte that repeats
			known += int64(size)
			stored = 1
		case 3:
			return one, errors.New("zstd: a block of the reserved type")
		}
		if err := skip(r, stored); err != nil {
			return one, err
		}
	}
	if one.Size >= 0 && known > one.Size {
		return one, fmt.Errorf("zstd: a frame of %d bytes has blocks of %d", one.Size, known)
	}
	if one.Checksum {
		return one, skip(r, 4)
	}
	return one, nil
}

// frameHeader is the part between a magic number and the first block (RFC 8878, section
// 3.1.1.1).
type frameHeader struct {
	Content
	window     uint64 // in bytes
	dictionary uint32 // the number of the dictionary that the frame needs, or zero
	length     int    // of the header, in bytes
}

// maxFrameHeader is the most bytes of a header.
const maxFrameHeader = 14

// parseFrameHeader reads the header at the beginning of b.
func parseFrameHeader(b []byte) (frameHeader, error) {
	h := frameHeader{Content: Content{Size: -1}}
	if len(b) == 0 {
		return h, errCut
	}
	descriptor := b[0]
	single := descriptor&descriptorSingle != 0
	windows := 1
	if single {
		windows = 0
	}
	dictionary := [4]int{0, 1, 2, 4}[descriptor&3]
	size := [4]int{0, 2, 4, 8}[descriptor>>descriptorSize]
	if size == 0 && single {
		size = 1
	}
	h.length = 1 + windows + dictionary + size
	switch {
	case descriptor&(1<<3) != 0:
		return h, errors.New("zstd: a reserved bit of the frame's header is set")
	case len(b) < h.length:
		return h, errCut
	}
	h.Checksum = descriptor&descriptorChecksum != 0
	h.dictionary = uint32(littleEndian(b[1+windows:][:dictionary]))
	if size > 0 {
		n := littleEndian(b[h.length-size : h.length])
		if size == 2 {
			n += 256
		}
		if n > mostContent {
			return h, fmt.Errorf("zstd: a frame of %d bytes", n)
		}
		h.Size = int64(n)
	}
	if single {
		h.window = max(uint64(h.Size), minWindow)
	} else {
		base := uint64(minWindow) << (b[1] >> 3)
		h.window = base + base>>3*uint64(b[1]&7)
	}
	return h, nil
}

// minWindow is the smallest window of a frame, in bytes.
const minWindow = 1 << 10

// littleEndian returns a number of up to eight bytes.
func littleEndian(b []byte) uint64 {
	var word [8]byte
	copy(word[:], b)
	return binary.LittleEndian.Uint64(word[:])
}

func readFrameHeader(r *bufio.Reader) (Content, error) {
	b, err := r.Peek(maxFrameHeader)
	if err = cut(err); err != nil && !errors.Is(err, errCut) {
		return Content{}, err
	}
	h, err := parseFrameHeader(b)
	if err != nil {
		return h.Content, err
	}
	return h.Content, skip(r, h.length)
}

// number reads a little-endian number of up to eight bytes.
func number(r *bufio.Reader, length int) (uint64, error) {
	var word [8]byte
	_, err := io.ReadFull(r, word[:length])
	return littleEndian(word[:]), cut(err)
}

func skip(r *bufio.Reader, n int) error {
	_, err := r.Discard(n)
	return cut(err)
}

// cut returns an error of a reader, with the end of its input as errCut.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}
