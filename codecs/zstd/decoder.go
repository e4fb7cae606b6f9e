package zstd

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/klauspost/compress/huff0"

	"github.com/zmigrate/zmigrate/internal/race"
)

// ErrTooLarge reports a content for which there is not enough room.
var ErrTooLarge = errors.New("zstd: more content than there is room for")

// Decoder decodes frames. Its zero value is ready, and it is safe for concurrent use.
// Between calls it keeps only memory to work with, some 200 KiB for each concurrent
// call, which is freed when it has not been used for long.
type Decoder struct {
	idle sync.Pool // of *frameDecoder
}

// Decode decodes all frames in src, one after the other, to the beginning of dst, and
// returns the number of bytes of their content. Skippable frames have no content. The
// error is ErrTooLarge if dst is too short. dst must not overlap src. Decode may change
// bytes of dst behind the content.
//
// It accepts everything that RFC 8878 allows, except frames that need a dictionary, and
// copies from 2 GiB back or more.
func (d *Decoder) Decode(dst, src []byte) (n int, err error) {
	return d.DecodeUpTo(dst, src, math.MaxInt)
}

// DecodeUpTo is Decode, but stops as soon as dst holds the first n bytes of the content. It
// returns how many bytes of dst are content: n or more, or fewer if the content has fewer bytes.
// Faults of src behind the place where it stops stay unseen. A frame with a checksum is decoded
// whole, and its checksum is compared.
func (d *Decoder) DecodeUpTo(dst, src []byte, n int) (there int, err error) {
	return d.decode(dst, src, n, math.MaxInt)
}

// DecodeFirst is Decode, but decodes the first frame in src alone. What is behind it may be anything.
func (d *Decoder) DecodeFirst(dst, src []byte) (n int, err error) {
	return d.decode(dst, src, math.MaxInt, 1)
}

// decode decodes at most so many frames, until dst holds n bytes of their content.
func (d *Decoder) decode(dst, src []byte, n, frames int) (there int, err error) {
	race.Read(src)
	f, ok := d.idle.Get().(*frameDecoder)
	if !ok {
		f = &frameDecoder{}
	}
	f.src, f.dst, f.out = src, dst, 0
	for f.at = 0; f.at < len(src) && f.out < n && frames > 0; frames-- {
		f.until = n
		if err = f.next(); err != nil {
			break
		}
	}
	there = f.out
	race.Write(dst[:there])
	f.src, f.dst, f.literals = nil, nil, nil
	d.idle.Put(f)
	return there, err
}

// frameDecoder decodes one frame after the other.
type frameDecoder struct {
	sequenceDecoder

	at    int  // how far src is decoded
	coded bool // codes are those of a block of the frame

	codes       literalDecoder
	weightTable decodeTable
	huffman     huff0.Scratch             // the codes, if the library decodes literals
	room        [maxBlock + wildCopy]byte // memory for literals
}

// next decodes the next frame, or skips a skippable one.
func (f *frameDecoder) next() error {
	rest := f.src[f.at:]
	if len(rest) < 4 {
		return errCut
	}
	switch magic := load32(rest, 0); {
	case magic&^15 == skippableMagic:
		const head = 8
		if len(rest) < head || uint64(load32(rest, 4)) > uint64(len(rest)-head) {
			return errCut
		}
		f.at += head + int(load32(rest, 4))
		return nil
	case magic != frameMagic:
		return fmt.Errorf("zstd: no frame begins with %08x", magic)
	}
	h, err := parseFrameHeader(rest[4:])
	switch {
	case err != nil:
		return err
	case h.dictionary != 0:
		return fmt.Errorf("zstd: the frame needs the dictionary %d: dictionaries are not supported", h.dictionary)
	case h.Size > int64(len(f.dst)-f.out):
		return fmt.Errorf("%w: %d bytes for a frame of %d", ErrTooLarge, len(f.dst)-f.out, h.Size)
	}
	f.at += 4 + h.length
	return f.frame(h)
}

// frame decodes the frame whose first block is next.
func (f *frameDecoder) frame(h frameHeader) error {
	f.frameStart, f.end = f.out, len(f.dst)
	if h.Size >= 0 {
		f.end = f.out + int(h.Size)
	}
	if h.Checksum {
		f.until = math.MaxInt
	}
	f.window = int(h.window)
	f.most = min(f.window, maxBlock)
	f.history = [3]uint64{1, 4, 8}
	f.defined = [codeKinds]bool{}
	f.coded = false
	for last := false; !last; {
		if len(f.src)-f.at < blockHeader {
			return errCut
		}
		header := int(f.src[f.at]) | int(f.src[f.at+1])<<8 | int(f.src[f.at+2])<<16
		f.at += blockHeader
		last = header&1 != 0
		err := f.block(header>>1&3, header>>3)
		if errors.Is(err, ErrTooLarge) && h.Size >= 0 {
			return fmt.Errorf("zstd: a frame of %d bytes holds more", h.Size)
		}
		if err != nil {
			return err
		}
		if f.out >= f.until {
			return nil
		}
	}
	content := f.dst[f.frameStart:f.out]
	if h.Size >= 0 && int64(len(content)) != h.Size {
		return fmt.Errorf("zstd: a frame of %d bytes holds %d", h.Size, len(content))
	}
	if h.Checksum {
		if len(f.src)-f.at < 4 {
			return errCut
		}
		if want, got := load32(f.src, f.at), checksum(content); got != want {
			return fmt.Errorf("zstd: the content has the checksum %08x in place of %08x", got, want)
		}
		f.at += 4
	}
	return nil
}

// block decodes a block of a kind, with the size in its header.
func (f *frameDecoder) block(kind, size int) error {
	if size > f.most {
		return fmt.Errorf("zstd: a block of %d bytes, at most %d", size, f.most)
	}
	stored := size
	if kind == blockRLE {
		stored = 1
	}
	if stored > len(f.src)-f.at {
		return errCut
	}
	data := f.src[f.at : f.at+stored]
	switch kind {
	case blockRaw, blockRLE:
		if size > f.end-f.out {
			return ErrTooLarge
		}
		if to := f.dst[f.out : f.out+size]; kind == blockRaw {
			copy(to, data)
		} else {
			fill(to, data[0])
		}
		f.out += size
	case blockCompressed:
		at, err := f.literalsSection(f.at, f.at+stored)
		if err == nil {
			err = f.sequencesSection(at, f.at+stored)
		}
		if err != nil {
			return err
		}
	default:
		return errors.New("zstd: a block of the reserved type")
	}
	f.at += stored
	return nil
}

func fill(dst []byte, value byte) {
	if value == 0 {
		clear(dst)
		return
	}
	n := copy(dst, []byte{value, value, value, value, value, value, value, value})
	for n < len(dst) {
		n += copy(dst[n:], dst[:n])
	}
}

// literalsHeader is the header of literals (RFC 8878, section 3.1.1.3.1.1).
type literalsHeader struct {
	kind   int
	four   bool // the literals are coded in four streams
	n      int  // number of literals
	stored int  // bytes of the stored literals behind the header
	length int  // of the header, in bytes
}

// parseLiteralsHeader reads the header at the beginning of b.
func parseLiteralsHeader(b []byte) (h literalsHeader, err error) {
	if len(b) < 2 {
		return h, errShort
	}
	bits := littleEndian(b[:min(8, len(b))])
	format := bits >> 2 & 3
	h.kind = int(bits & 3)
	if h.kind == literalsRaw || h.kind == literalsRLE {
		switch format {
		case 1:
			h.length, h.n = 2, int(bits>>4&(1<<12-1))
		case 3:
			h.length, h.n = 3, int(bits>>4&(1<<20-1))
		default:
			h.length, h.n = 1, int(bits>>3&(1<<5-1))
		}
		h.stored = h.n
		if h.kind == literalsRLE {
			h.stored = 1
		}
	} else {
		width := [4]uint{10, 10, 14, 18}[format]
		h.length = [4]int{3, 3, 4, 5}[format]
		h.four = format != 0
		h.n = int(bits >> 4 & (1<<width - 1))
		h.stored = int(bits >> (4 + width) & (1<<width - 1))
	}
	if h.length+h.stored > len(b) {
		return h, errShort
	}
	return h, nil
}

// errShort reports a block that ends earlier than its headers say.
var errShort = errors.New("zstd: a block ends too early")

// literalsSection decodes the literals of the block src[at:end] and returns their end.
func (f *frameDecoder) literalsSection(at, end int) (next int, err error) {
	h, err := parseLiteralsHeader(f.src[at:end])
	switch {
	case err != nil:
		return 0, err
	case h.n > f.most:
		return 0, fmt.Errorf("zstd: a block of %d literals, at most %d", h.n, f.most)
	}
	at += h.length
	next = at + h.stored
	stored := f.src[at:next]
	switch h.kind {
	case literalsRaw:
		f.literals, f.spare = stored, len(f.src)-next
		return next, nil
	case literalsRLE:
		f.literals, f.spare = f.room[:h.n], len(f.room)-h.n
		fill(f.literals, stored[0])
		return next, nil
	case literalsTreeless:
		if !f.coded {
			return 0, errors.New("zstd: literals with the codes of the block before, which has none")
		}
	}
	// If there are no sequences, the literals are the content.
	alone := end-next == 1 && f.src[next] == 0 && h.n <= f.end-f.out
	f.literals, f.spare = f.room[:h.n], len(f.room)-h.n
	if alone {
		f.literals, f.spare = f.dst[f.out:f.out+h.n], 0
	}
	if err := f.codedLiterals(h, at, next); err != nil {
		return 0, err
	}
	f.coded = true
	return next, nil
}
