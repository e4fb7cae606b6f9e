// Package jenkins computes Bob Jenkins' lookup3 hash ("hashlittle", May 2006),
// the checksum of HDF5's metadata and of the codec jenkins_lookup3.
//
// The three words of the state start as 0xdeadbeef plus the length plus the
// initial value. Each block of twelve bytes is added to them as three
// little-endian words and mixed in; the last block, of one to twelve bytes, is
// padded with zeros and mixed more thoroughly. The hash is the third word.
package jenkins

import (
	"encoding/binary"
	"math/bits"
)

const block = 12 // bytes

// Lookup3 returns the hash of prefix followed by data, with the given initial value.
func Lookup3(prefix, data []byte, initial uint32) uint32 {
	s := start(len(prefix)+len(data), initial)
	if len(prefix) > 0 {
		// A block that begins in the prefix is completed in other memory.
		n := min((block-len(prefix)%block)%block, len(data))
		head := make([]byte, 0, len(prefix)+n)
		head = append(append(head, prefix...), data[:n]...)
		if n == len(data) {
			return s.finish(head)
		}
		for ; len(head) > 0; head = head[block:] {
			s.mix(head)
		}
		data = data[n:]
	}
	return s.finish(data)
}

type state struct{ a, b, c uint32 }

func start(length int, initial uint32) state {
	x := 0xdeadbeef + uint32(length) + initial
	return state{x, x, x}
}

// add adds a block to the state.
func (s *state) add(k []byte) {
	s.a += binary.LittleEndian.Uint32(k)
	s.b += binary.LittleEndian.Uint32(k[4:])
	s.c += binary.LittleEndian.Uint32(k[8:block])
}

// mix adds the first block of k and mixes the words reversibly.
func (s *state) mix(k []byte) {
	s.add(k)
	a, b, c := s.a, s.b, s.c
	a = (a - c) ^ bits.RotateLeft32(c, 4)
	c += b
	b = (b - a) ^ bits.RotateLeft32(a, 6)
	a += c
	c = (c - b) ^ bits.RotateLeft32(b, 8)
	b += a
	a = (a - c) ^ bits.RotateLeft32(c, 16)
	c += b
	b = (b - a) ^ bits.RotateLeft32(a, 19)
	a += c
	c = (c - b) ^ bits.RotateLeft32(b, 4)
	b += a
	s.a, s.b, s.c = a, b, c
}

// finish adds the remaining bytes and returns the hash.
func (s *state) finish(k []byte) uint32 {
	for ; len(k) > block; k = k[block:] {
		s.mix(k)
	}
	if len(k) == 0 {
		return s.c
	}
	var last [block]byte
	copy(last[:], k)
	s.add(last[:])
	a, b, c := s.a, s.b, s.c
	c = (c ^ b) - bits.RotateLeft32(b, 14)
	a = (a ^ c) - bits.RotateLeft32(c, 11)
	b = (b ^ a) - bits.RotateLeft32(a, 25)
	c = (c ^ b) - bits.RotateLeft32(b, 16)
	a = (a ^ c) - bits.RotateLeft32(c, 4)
	b = (b ^ a) - bits.RotateLeft32(a, 14)
	return (c ^ b) - bits.RotateLeft32(b, 24)
}
