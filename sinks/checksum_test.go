package sinks

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// TestChecksum: objects that end with their own CRC-32C have different checksums, whatever the
// pieces they come in. Other objects have their CRC-32C.
func TestChecksum(t *testing.T) {
	sums := map[uint32]bool{}
	for n := range 40 {
		data := bytes.Repeat([]byte{byte(n), 7}, n)
		plain := crc32.Checksum(data, castagnoli)
		for piece := 1; piece < 9; piece++ {
			var c Checksum
			for at := 0; at < len(data); at += piece {
				c.Add(data[at:min(at+piece, len(data))])
			}
			if c.Sum() != plain || !c.Is(plain) || c.Is(plain+1) || !Proves(c.Sum()) {
				t.Errorf("%d bytes in pieces of %d: %08x, want %08x", len(data), piece, c.Sum(), plain)
			}
		}
		checked := binary.LittleEndian.AppendUint32(data, plain)
		if crc := crc32.Checksum(checked, castagnoli); crc != selfChecked || Proves(crc) {
			t.Errorf("%d bytes with their CRC-32C: %08x", len(data), crc)
		}
		for piece := 1; piece < 9; piece++ {
			var c Checksum
			for at := 0; at < len(checked); at += piece {
				c.Add(checked[at:min(at+piece, len(checked))])
			}
			// A checkpoint of an earlier version has selfChecked.
			if c.Sum() != plain || !c.Is(plain) || !c.Is(selfChecked) || c.Is(plain+1) || NewChecksum(c.crc, checked[len(checked)-4:]) != c {
				t.Errorf("%d bytes with their CRC-32C in pieces of %d: %08x, want %08x", len(data), piece, c.Sum(), plain)
			}
		}
		sums[plain] = true
	}
	if len(sums) != 40 {
		t.Errorf("40 objects have %d checksums", len(sums))
	}
	damaged := NewChecksum(1, []byte{1, 2, 3, 4})
	if damaged.Is(selfChecked) {
		t.Error("a damaged object is like one on record")
	}
}
