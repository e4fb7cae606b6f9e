// Package inflate decodes DEFLATE (RFC 1951), alone, in zlib streams (RFC 1950) and in
// gzip members (RFC 1952), from memory to memory. The whole stream and the whole content
// are in memory, so decoding takes about half the time of a decoder that reads and writes
// piece by piece.
//
// A zlib stream is a header of two bytes, blocks, and the Adler-32 of the content,
// big-endian. A gzip member is a header of ten bytes and more, blocks, and the CRC-32 and
// the length of the content, little-endian. A block is, the least significant bit first:
//
//	1 bit    last block
//	2 bits   0: stored: to the next byte, length and its complement (2 bytes each), bytes
//	         1: symbols in the fixed codes
//	         2: lengths of codes, run-length coded in a code of their own; symbols in these codes
//
// A symbol is a byte, the end of the block, or the length of a repetition. The symbol
// of a distance follows a length. Further bits may follow lengths and distances. Codes
// are Huffman codes of at most 15 bits.
//
// Codes are looked up in tables with an entry for each value of a short code; longer
// codes lead to a second table. While enough is left of the stream and of the room for
// the content, nothing has to be checked within a symbol; most of the work is done in
// this fast loop.
package inflate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/zmigrate/zmigrate/codecs/adler32"
	"github.com/zmigrate/zmigrate/internal/race"
)

// Causes of errors.
var (
	// ErrCorrupt means that a stream is damaged or cut off.
	ErrCorrupt = errors.New("corrupt deflate stream")
	// ErrTooLarge means that a stream decodes to more bytes than there is room
	// for.
	ErrTooLarge = errors.New("deflate stream is too large")
)

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrCorrupt)
}

// Decoder decodes streams. It keeps its tables for the next stream. Its zero value is
// ready. It is for one goroutine.
type Decoder struct {
	literals  [literalTable]entry
	distances [distanceTable]entry
	codes     [1 << codeBits]entry
	lengths   [288 + 32]uint8

	src  []byte
	at   int    // number of bytes of src that are in hold, or used
	hold uint64 // the next bits
	n    uint   // number of valid bits in hold; further bits, if set, are the next bits of src
}

// MostRatio is the most bytes that a byte of a stream can stand for.
const MostRatio = 1032

// Raw decodes blocks without header and checksum into dst. It returns the length of the
// content and the number of bytes of src that it has used.
func (d *Decoder) Raw(dst, src []byte) (n, used int, err error) {
	d.src, d.at, d.hold, d.n = src, 0, 0, 0
	n, err = d.blocks(dst)
	used = len(src) - len(d.rest())
	d.src = nil
	if err != nil {
		return 0, 0, err
	}
	race.Read(src[:used])
	race.Write(dst[:n])
	return n, used, nil
}

// Zlib decodes a zlib stream into dst. It returns the length of the content and the number
// of bytes of src that it has used.
func (d *Decoder) Zlib(dst, src []byte) (n, used int, err error) {
	const header, trailer = 2, 4
	if len(src) < header+trailer {
		return 0, 0, corrupt("%d bytes are too few", len(src))
	}
	if src[0]&0xf != 8 || src[0]>>4 > 7 || binary.BigEndian.Uint16(src)%31 != 0 || src[1]&0x20 != 0 {
		return 0, 0, corrupt("it begins with %x", src[:header])
	}
	n, used, err = d.Raw(dst, src[header:])
	if err != nil {
		return 0, 0, err
	}
	used += header
	if len(src)-used < trailer {
		return 0, 0, corrupt("it is cut off before its checksum")
	}
	stored, sum := binary.BigEndian.Uint32(src[used:]), adler32.Sum(dst[:n])
	if sum != stored {
		return 0, 0, corrupt("the checksum is %08x, stored is %08x", sum, stored)
	}
	return n, used + trailer, nil
}

// rest returns the bytes after the last byte with a used bit.
func (d *Decoder) rest() []byte {
	return d.src[d.at-int(d.n/8):]
}

// blocks decodes all blocks, and returns the length of the content.
func (d *Decoder) blocks(dst []byte) (int, error) {
	n := 0
	for last := false; !last; {
		d.refill()
		head, ok := d.take(3)
		if !ok {
			return 0, corrupt("it is cut off after %d bytes", n)
		}
		last = head&1 != 0
		var err error
		switch head >> 1 {
		case 0:
			n, err = d.stored(dst, n)
		case 1:
			d.fixed()
			n, err = d.symbols(dst, n)
		case 2:
			if err = d.dynamic(); err == nil {
				n, err = d.symbols(dst, n)
			}
		default:
			err = corrupt("a block of type 3")
		}
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

// refill puts at least 56 bits into hold, or all the bits that are left.
func (d *Decoder) refill() {
	if d.at+8 <= len(d.src) {
		d.hold |= binary.LittleEndian.Uint64(d.src[d.at:]) << d.n
		d.at += int(63-d.n) >> 3
		d.n |= 56
		return
	}
	d.hold &= 1<<d.n - 1
	for d.n < 56 && d.at < len(d.src) {
		d.hold |= uint64(d.src[d.at]) << d.n
		d.at++
		d.n += 8
	}
}

// take uses k bits of hold. It returns false if there are fewer.
func (d *Decoder) take(k uint) (uint, bool) {
	if k > d.n {
		return 0, false
	}
	v := uint(d.hold & (1<<k - 1))
	d.hold >>= k
	d.n -= k
	return v, true
}

// stored copies the content of a stored block.
func (d *Decoder) stored(dst []byte, n int) (int, error) {
	src := d.rest()
	if len(src) < 4 {
		return 0, corrupt("it is cut off before a stored block")
	}
	size := int(binary.LittleEndian.Uint16(src))
	if size != int(^binary.LittleEndian.Uint16(src[2:])) {
		return 0, corrupt("the length of a stored block, %d bytes, contradicts its complement", size)
	}
	if src = src[4:]; size > len(src) {
		return 0, corrupt("it is cut off within a stored block")
	}
	if size > len(dst)-n {
		return 0, ErrTooLarge
	}
	copy(dst[n:], src[:size])
	d.src, d.at, d.hold, d.n = src[size:], 0, 0, 0
	return n + size, nil
}

// fixed makes the tables of the fixed codes.
func (d *Decoder) fixed() {
	l := d.lengths[:]
	for i := range l {
		switch {
		case i < 144:
			l[i] = 8
		case i < 256:
			l[i] = 9
		case i < 280:
			l[i] = 7
		case i < 288:
			l[i] = 8
		default:
			l[i] = 5
		}
	}
	if !makeTable(d.literals[:], literalBits, l[:288], literalEntry) || !makeTable(d.distances[:], distanceBits, l[288:], distanceEntry) {
		panic("inflate: the fixed codes are not codes")
	}
}

// codeOrder is the order in which the lengths of the codes for lengths are stored.
const codeOrder = "\x10\x11\x12\x00\x08\x07\x09\x06\x0a\x05\x0b\x04\x0c\x03\x0d\x02\x0e\x01\x0f"

// dynamic reads the lengths of the codes of a block, and makes their tables.
func (d *Decoder) dynamic() error {
	short := corrupt("it is cut off within the lengths of codes")
	d.refill()
	head, ok := d.take(14)
	if !ok {
		return short
	}
	literals, distances, codes := int(head&0x1f)+257, int(head>>5&0x1f)+1, int(head>>10)+4
	if literals > 286 || distances > 30 {
		return corrupt("%d codes for literals and %d for distances", literals, distances)
	}
	var l [19]uint8
	for i := range codes {
		d.refill()
		v, ok := d.take(3)
		if !ok {
			return short
		}
		l[codeOrder[i]] = uint8(v)
	}
	if !makeTable(d.codes[:], codeBits, l[:], codeEntry) {
		return corrupt("the code of lengths is not complete")
	}
	all := d.lengths[:literals+distances]
	for i := 0; i < len(all); {
		d.refill()
		e := d.codes[d.hold&(1<<codeBits-1)]
		if _, ok := d.take(uint(e & 0xff)); !ok || e&invalid != 0 {
			return short
		}
		symbol := uint8(e >> 16)
		if symbol < 16 {
			all[i] = symbol
			i++
			continue
		}
		value, times, extra := uint8(0), 3, uint(3)
		switch symbol {
		case 16:
			if i == 0 {
				return corrupt("the first length is a repetition of the one before")
			}
			value, extra = all[i-1], 2
		case 18:
			times, extra = 11, 7
		}
		more, ok := d.take(extra)
		if times += int(more); !ok || times > len(all)-i {
			return corrupt("more lengths than codes")
		}
		for range times {
			all[i] = value
			i++
		}
	}
	if all[256] == 0 {
		return corrupt("there is no code for the end of a block")
	}
	if !makeTable(d.literals[:], literalBits, all[:literals], literalEntry) || !makeTable(d.distances[:], distanceBits, all[literals:], distanceEntry) {
		return corrupt("a code is not complete, or has too many members")
	}
	return nil
}

// reverse returns the low n bits of v in the opposite order.
func reverse(v uint32, n uint) uint32 { return bits.Reverse32(v) >> (32 - n) }
