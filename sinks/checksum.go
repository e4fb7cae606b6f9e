package sinks

import (
	"encoding/binary"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// selfChecked is the CRC-32C of all bytes that end with the CRC-32C of the bytes before, in
// little-endian order. Encoded chunks end so if the last codec is crc32c.
const selfChecked = 0x48674bc7

// Checksum computes the checksum of an object, as [Receipt] has it: its CRC-32C. If the object
// ends with the CRC-32C of the bytes before, the CRC-32C of the whole object tells nothing. Then the
// checksum is the one at the end of the object. The zero value is the checksum of no bytes.
type Checksum struct {
	crc  uint32
	last uint32 // the last four bytes
}

// NewChecksum returns the checksum of an object whose CRC-32C is known. last are its last four
// bytes. They count only if the CRC-32C proves nothing, see [Proves].
func NewChecksum(crc uint32, last []byte) Checksum {
	var c Checksum
	c.Add(last)
	c.crc = crc
	return c
}

// Add adds the next bytes of the object.
func (c *Checksum) Add(p []byte) {
	c.crc = crc32.Update(c.crc, castagnoli, p)
	if len(p) >= 4 {
		c.last = binary.LittleEndian.Uint32(p[len(p)-4:])
		return
	}
	for _, b := range p {
		c.last = c.last>>8 | uint32(b)<<24
	}
}

// Sum returns the checksum.
func (c Checksum) Sum() uint32 {
	if c.crc == selfChecked {
		return c.last
	}
	return c.crc
}

// Is reports whether the checksum is the recorded one. Version 0.1 recorded the CRC-32C of
// the whole object even if it tells nothing.
func (c Checksum) Is(recorded uint32) bool { return recorded == c.Sum() || recorded == c.crc }

// Proves reports whether a CRC-32C tells one object from another: it is not that of all objects
// that end with a CRC-32C of their own.
func Proves(crc uint32) bool { return crc != selfChecked }
