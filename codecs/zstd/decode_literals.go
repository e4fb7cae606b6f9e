package zstd

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/klauspost/compress/huff0"
)

const (
	lookups   = containerBits / maxCodeBits // lookups between two loads
	mostRound = 2 * lookups                 // the most literals of these lookups
)

// codedLiterals decodes the literals in src[at:end], in the codes in front of them or in those of
// the block before.
func (f *frameDecoder) codedLiterals(h literalsHeader, at, end int) error {
	if f.plain || !literalKernel() {
		return f.libraryLiterals(h, f.src[at:end])
	}
	if h.kind == literalsCompressed {
		var err error
		if at, err = f.readCodes(at, end); err != nil {
			return err
		}
	}
	f.codes.prepare()
	if h.four {
		return f.codes.decodeFour(f.literals, f.src, at, end, false)
	}
	return f.codes.decodeOnly(f.literals, f.src, at, end)
}

// libraryLiterals does the same with a library, which is faster where there is no kernel.
func (f *frameDecoder) libraryLiterals(h literalsHeader, stored []byte) error {
	if h.kind == literalsCompressed {
		var err error
		if _, stored, err = huff0.ReadTable(stored, &f.huffman); err != nil {
			return errWeights
		}
	}
	to, decoder, err := f.literals[:0:h.n], f.huffman.Decoder(), error(nil)
	if h.four {
		to, err = decoder.Decompress4X(to, stored)
	} else {
		to, err = decoder.Decompress1X(to, stored)
	}
	if err != nil || len(to) != h.n {
		return errStream
	}
	return nil
}

// literalStreams are the four streams of literals of a block. The highest bits of a stream are
// read first.
type literalStreams struct {
	src, dst []byte
	codes    *literalDecoder
	table    *literalTable // of codes
	// Of each stream, the next bits are in bits, the first ones in the highest bits. number of
	// them count; further bits, if set, are those that follow. The next eight bytes begin at at.
	bits   [4]uint64
	number [4]int
	at     [4]int
	// first is the place of the lowest bit of a stream. The literals of the stream go to dst[out:end].
	first, out, end [4]int
}

// errStream reports a stream of literals that does not end where its literals end.
var errStream = errors.New("zstd: a stream of literals is damaged")

// decodeFour decodes the four streams in src[at:end] to dst, without the kernel if plain is set.
func (c *literalDecoder) decodeFour(dst, src []byte, at, end int, plain bool) error {
	const table = 6 // bytes
	part := (len(dst) + 3) / 4
	if end-at < table+4 || 3*part > len(dst) {
		return errStream
	}
	s := literalStreams{src: src, dst: dst, codes: c, table: &c.table}
	start := at + table
	for i := range 4 {
		next := end
		if i < 3 {
			next = start + int(binary.LittleEndian.Uint16(src[at+2*i:]))
		}
		if next > end || next == start || src[next-1] == 0 {
			return errStream
		}
		// A frame's header and others come before the streams, and have more than eight bytes.
		unused := bits.LeadingZeros8(src[next-1]) + 1
		s.bits[i], s.number[i], s.at[i] = load64(src, next-8)<<unused, 64-unused, next-16
		s.out[i], s.end[i] = i*part, min((i+1)*part, len(dst))
		s.first[i] = 8 * start
		start = next
	}
	if !plain && literalKernel() {
		return s.decode()
	}
	for i := range 4 {
		if err := s.finish(i); err != nil {
			return err
		}
	}
	return nil
}

// finish decodes what is left of a stream.
func (s *literalStreams) finish(i int) error {
	return s.codes.decodeStream(s.dst[:s.end[i]], s.out[i], s.src, s.bit(i), s.first[i])
}

// bit returns the place in src behind the next bit of a stream.
func (s *literalStreams) bit(i int) int { return 8*(s.at[i]+8) + s.number[i] }

// decodeOnly decodes the only stream, src[at:end], to dst.
func (c *literalDecoder) decodeOnly(dst, src []byte, at, end int) error {
	if at == end || src[end-1] == 0 {
		return errStream
	}
	return c.decodeStream(dst, 0, src, 8*(end-1)+bits.Len8(src[end-1])-1, 8*at)
}

// decodeStream decodes the bits of src from first up to bit to dst[out:], which they fill.
func (c *literalDecoder) decodeStream(dst []byte, out int, src []byte, bit, first int) error {
	for len(dst)-out >= mostRound && bit >= first {
		word := load64(src, (bit+7)>>3-8) << (-bit & 7)
		for range lookups {
			e := c.table[word>>(64-maxCodeBits)]
			word <<= e & 63
			binary.LittleEndian.PutUint16(dst[out:], e.symbols())
			out += e.literals()
			bit -= int(e.bits())
		}
	}
	for ; out < len(dst) && bit >= first; out++ {
		word := load64(src, (bit+7)>>3-8) << (-bit & 7)
		symbol := c.table[word>>(64-maxCodeBits)].first()
		dst[out] = symbol
		bit -= c.length(symbol)
	}
	if bit != first || out != len(dst) {
		return errStream
	}
	return nil
}

// rounds returns how many rounds of lookups all streams can make, before one has too few bytes left
// to load, or too little room for literals.
func (s *literalStreams) rounds() int {
	const mostLoaded = 7
	n := s.at[0] / mostLoaded
	for i := range 4 {
		n = min(n, s.at[i]/mostLoaded, (s.end[i]-s.out[i])/mostRound)
	}
	return n
}

// Entries of two literals are made if a sample tells that they save enough lookups to be worth it.
const (
	sampleRounds = 20
	worthPairs   = 4000 // lookups
)

// pair makes entries of two literals if that is worth it for all streams, which have at least so
// many rounds to make.
func (s *literalStreams) pair(rounds int) {
	part := s.end[0] - s.out[0]
	if s.codes.pairs || 2*part < worthPairs || rounds < sampleRounds {
		return
	}
	decodeKernel(s, sampleRounds)
	const sample = sampleRounds * lookups // literals
	saved := 0
	for i := range 4 {
		saved += s.codes.saved(s.dst[s.out[i]-sample : s.out[i]])
	}
	if saved*part/sample > worthPairs {
		s.codes.pair()
	}
}

// decode decodes all streams with the kernel.
//
// With entries of two literals, some streams have fewer lookups to make than others. A stream that
// has come to its end begins again, and writes the same literals to the same places, until the
// others have come to theirs.
func (s *literalStreams) decode() error {
	const worthKernel = 50 // literals of a stream
	begin, done := *s, [4]bool{}
	s.pair(s.rounds())
	for more := true; more; {
		for n := s.rounds(); n > 0; n = s.rounds() {
			decodeKernel(s, n)
		}
		more = false
		for i := range 4 {
			if left := s.end[i] - s.out[i]; left >= mostRound {
				more = more || !done[i] && left >= worthKernel
				continue
			}
			if !done[i] {
				if err := s.finish(i); err != nil {
					return err
				}
				done[i] = true
			}
			s.bits[i], s.number[i], s.at[i], s.out[i] = begin.bits[i], begin.number[i], begin.at[i], begin.out[i]
		}
		more = more && s.rounds() > 0
	}
	for i := range 4 {
		if done[i] {
			s.mend(i)
		} else if err := s.finish(i); err != nil {
			return err
		}
	}
	return nil
}

// mend writes the literal where a stream that has begun again has stopped. There may be the zero of
// an entry with a single literal.
func (s *literalStreams) mend(i int) {
	if s.out[i] < s.end[i] {
		word := s.bits[i] | load64(s.src, s.at[i])>>s.number[i]
		s.dst[s.out[i]] = s.table[word>>(64-maxCodeBits)].first()
	}
}
