package zstd

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Content is what frames tell of what they decode to.
type Content struct {
	Size     int64 // in bytes, or -1: not every frame tells
	Checksum bool  // whether a frame ends with a checksum of its content
}

const (
	frameMagic     = 0xfd2fb528
	skippableMagic = 0x184d2a50 // and 15 more
	// mostContent bounds the size of content, and keeps sums of sizes from
	// overflowing.
	mostContent = 1 << 62
)

// errCut reports bytes that end within a frame.
var errCut = errors.New("zstd: the frame is cut short")

// Frames reads frames, and skippable ones, up to the end of r: their headers and
// those of their blocks, of which it decodes nothing. It fails if anything but
// frames is there, or a block that no frame has.
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

// frame reads a frame behind its magic number.
func frame(r *bufio.Reader) (Content, error) {
	one, err := frameHeader(r)
	if err != nil {
		return one, err
	}
	known := int64(0) // bytes of the content that blocks tell of
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
		case 0: // as it is
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

// frameHeader reads what is between a magic number and the first block.
func frameHeader(r *bufio.Reader) (Content, error) {
	one := Content{Size: -1}
	descriptor, err := number(r, 1)
	if err != nil {
		return one, err
	}
	if descriptor&(1<<3) != 0 {
		return one, errors.New("zstd: a reserved bit of the frame's header is set")
	}
	one.Checksum = descriptor&(1<<2) != 0
	single := descriptor&(1<<5) != 0 // the content is the window, and tells its size
	before := [4]int{0, 1, 2, 4}[descriptor&3]
	if !single {
		before++
	}
	if err := skip(r, before); err != nil {
		return one, err
	}
	length := [4]int{0, 2, 4, 8}[descriptor>>6]
	if length == 0 && single {
		length = 1
	}
	if length == 0 {
		return one, nil
	}
	size, err := number(r, length)
	if err != nil {
		return one, err
	}
	if length == 2 {
		size += 256
	}
	if size > mostContent {
		return one, fmt.Errorf("zstd: a frame of %d bytes", size)
	}
	one.Size = int64(size)
	return one, nil
}

// number reads a little-endian number of up to eight bytes.
func number(r *bufio.Reader, length int) (uint64, error) {
	var word [8]byte
	_, err := io.ReadFull(r, word[:length])
	return binary.LittleEndian.Uint64(word[:]), cut(err)
}

func skip(r *bufio.Reader, n int) error {
	_, err := r.Discard(n)
	return cut(err)
}

// cut is an error of a reader, where the end of what it reads is one.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}
