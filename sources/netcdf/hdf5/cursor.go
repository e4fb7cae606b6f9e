package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/zmigrate/zmigrate/codecs"
)

// ErrCorrupt is the cause of an error about bytes that break the format: a wrong
// signature or checksum, a place outside of the file, a structure that contradicts
// itself.
var ErrCorrupt = codecs.Corrupt("corrupt HDF5 file")

// corrupt returns an error that wraps ErrCorrupt.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrCorrupt)
}

// unsupported returns an error that wraps errors.ErrUnsupported.
func unsupported(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), errors.ErrUnsupported)
}

// undefined is the address that stands for nothing.
const undefined = math.MaxUint64

// widths are the sizes in bytes of addresses (which the format calls offsets) and of
// lengths in a file. The superblock states them.
type widths struct{ offset, length int }

// cursor reads little-endian numbers from bytes, one after the other. After the first
// error all of its methods return zero values.
type cursor struct {
	data []byte
	at   int
	widths
	err error
}

// take returns the next n bytes, which must not be modified.
func (c *cursor) take(n int) []byte {
	if c.err == nil && (n < 0 || n > len(c.data)-c.at) {
		c.err = corrupt("%d bytes end before byte %d", len(c.data), uint64(c.at)+uint64(n))
	}
	if c.err != nil {
		return nil
	}
	b := c.data[c.at : c.at+n : c.at+n]
	c.at += n
	return b
}

func (c *cursor) skip(n int) { c.take(n) }

// left returns the number of bytes that have not been read.
func (c *cursor) left() int {
	if c.err != nil {
		return 0
	}
	return len(c.data) - c.at
}

// uint reads a number of n bytes, at most 8.
func (c *cursor) uint(n int) uint64 {
	var b [8]byte
	copy(b[:], c.take(n))
	return binary.LittleEndian.Uint64(b[:])
}

func (c *cursor) uint8() uint8   { return uint8(c.uint(1)) }
func (c *cursor) uint16() uint16 { return uint16(c.uint(2)) }
func (c *cursor) uint32() uint32 { return uint32(c.uint(4)) }
func (c *cursor) uint64() uint64 { return c.uint(8) }

// address reads an address. If all bits are set, it is undefined, whatever the width.
func (c *cursor) address() uint64 { return c.full(c.offset) }

// size reads a length. If all bits are set, it is math.MaxUint64, whatever the width.
func (c *cursor) size() uint64 { return c.full(c.length) }

func (c *cursor) full(width int) uint64 {
	n := c.uint(width)
	if n == math.MaxUint64>>(64-8*width) {
		return math.MaxUint64
	}
	return n
}

// signature reads four bytes and a version, and fails unless they have the given
// values.
func (c *cursor) signature(want string, version uint8) {
	if got := c.take(4); c.err == nil && string(got) != want {
		c.err = corrupt("it begins with %q instead of %q", got, want)
	}
	if got := c.uint8(); c.err == nil && got != version {
		c.err = unsupported("version %d of %q", got, want)
	}
}

// text returns the bytes before the next zero byte, and skips the zero byte.
func (c *cursor) text() []byte {
	for i := c.at; i < len(c.data) && c.err == nil; i++ {
		if c.data[i] == 0 {
			b := c.take(i - c.at)
			c.skip(1)
			return b
		}
	}
	c.take(len(c.data) - c.at + 1) // no zero byte follows: fails
	return nil
}

// intOf converts a number of the file to an int. It fails for numbers larger than any
// memory.
func (c *cursor) intOf(n uint64, what string) int {
	if n > math.MaxInt {
		if c.err == nil {
			c.err = corrupt("%s of %d", what, n)
		}
		return 0
	}
	return int(n)
}

// encodedSize returns the number of bytes in which the format writes numbers up to
// limit, which is not 0.
func encodedSize(limit uint64) int { return log2(limit)/8 + 1 }

// log2 returns the place of the most significant bit of n, which is not 0.
func log2(n uint64) int {
	k := -1
	for ; n > 0; n >>= 1 {
		k++
	}
	return k
}
