package zstd

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// sequence is a copy of length bytes from offset bytes back, after literals, which are
// copied first (RFC 8878, section 3.1.1.3.2).
type sequence struct {
	literals uint32
	length   uint32 // at least minMatch
	offset   uint32
}

// minMatch is the length of the shortest copy, in bytes.
const minMatch = 3

// The kinds of codes of a sequence, in the order of their tables in a block.
const (
	literalLengths = iota
	offsets
	matchLengths
	codeKinds
)

// The modes of the table of a kind of codes (RFC 8878, section 3.1.1.3.2.1.1).
const (
	modePredefined = iota
	modeRLE
	modeFSE
	modeRepeat
)

// codeKind has the properties in which the kinds of codes differ.
type codeKind struct {
	symbols    int
	most       uint8 // the largest log of a table
	predefined fseTable
}

func newCodeKinds() (kinds [codeKinds]codeKind) {
	for i, k := range [codeKinds]struct {
		symbols   int
		most, log uint8
		norm      []int16
	}{
		literalLengths: {36, 9, 6, []int16{4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1}},
		offsets:        {32, 8, 5, []int16{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1}},
		matchLengths: {53, 9, 6, []int16{1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
			1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1}},
	} {
		kinds[i].symbols, kinds[i].most = k.symbols, k.most
		t := &kinds[i].predefined
		t.log, t.symbols = k.log, len(k.norm)
		copy(t.norm[:], k.norm)
		t.build()
	}
	return kinds
}

// coded is a sequence as it is encoded: its codes, and the bits that follow them. They take twelve
// bytes, as the sequence does.
type coded struct {
	codes     uint32 // codes of literals, offset and match, eight bits each, and the number of bits that follow
	low, high uint32 // bits that follow the code of the literals' length, those of the match's length above them, and those of the offset
}

func (c *coded) literalCode() uint8 { return uint8(c.codes) }
func (c *coded) offsetCode() uint8  { return uint8(c.codes >> 8) }
func (c *coded) matchCode() uint8   { return uint8(c.codes >> 16) }

// rest returns the bits that follow the codes, at most mostRestBits, and their number.
func (c *coded) rest() (bits uint64, n uint) {
	return uint64(c.low) | uint64(c.high)<<32, uint(c.codes >> 24)
}

// mostRestBits is the most bits that follow the codes of a sequence: those of a length of literals
// and of a match of up to a block each, and of an offset of up to a window.
const mostRestBits = 16 + 16 + 23

// mostSequence is the most bytes that a sequence takes in a stream.
const mostSequence = (3*maxTableLog + mostRestBits + 7) / 8

// Codes of lengths (RFC 8878, section 3.1.1.3.2.1.1): the number of bits that follow each. For
// matches, lengths are without minMatch.
var (
	literalWidths = append(make([]uint8, 16), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
	matchWidths   = append(make([]uint8, 32), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)

	lengths = lengthCodes{newCodeRanges(literalWidths, 0), newCodeRanges(matchWidths, 16)}
)

// lengthCodes are the codes of both kinds of lengths.
type lengthCodes struct{ literals, matches codeRanges }

// codeRanges has, for each length, its code where a coded has it, the number of bits that follow
// the code, shifted by 24, and these bits, shifted by 32.
type codeRanges struct {
	short [128]uint64 // by the length
	long  [32]uint64  // for longer lengths, by the number of their bits less one; without the bits that follow
}

// newCodeRanges lists codes, which a coded has at a place of its codes. A code stands for as many
// lengths as the bits that follow it distinguish.
func newCodeRanges(widths []uint8, place uint) (r codeRanges) {
	base := 0
	for code, width := range widths {
		entry := uint64(code)<<place | uint64(width)<<24
		for i := range 1 << width {
			if base+i < len(r.short) {
				r.short[base+i] = entry | uint64(i)<<32
			}
		}
		if base >= len(r.short) {
			r.long[bits.Len(uint(base))-1] = entry
		}
		base += 1 << width
	}
	return r
}

// of returns the entry of a length.
func (r *codeRanges) of(length uint32) uint64 {
	if length < uint32(len(r.short)) {
		return r.short[length]
	}
	n := bits.Len32(length) - 1
	return r.long[n&31] | uint64(length-1<<n)<<32
}

// codeCounts is how often each code of a kind occurs. The last entries are always zero.
type codeCounts [64]uint32

// history holds the last three offsets, of which a sequence can name one (RFC
// 8878, section 3.1.1.5).
type history [3]uint32

// codePlain turns sequences into codes, and counts the codes.
func (h *history) codePlain(dst []coded, src []sequence, counts *[codeKinds]codeCounts) {
	r0, r1, r2 := h[0], h[1], h[2]
	dst = dst[:len(src)]
	table := &lengths
	for i, s := range src {
		value := s.offset + 3
		switch {
		case s.offset == r0 && s.literals > 0:
			value = 1
		case s.offset == r1:
			value = 2
			if s.literals == 0 {
				value = 1
			}
			r0, r1 = r1, r0
		case s.offset == r2:
			value = 3
			if s.literals == 0 {
				value = 2
			}
			r0, r1, r2 = r2, r0, r1
		default:
			r0, r1, r2 = s.offset, r0, r1
		}
		ll, ml := table.literals.of(s.literals), table.matches.of(s.length-minMatch)
		of := uint32(bits.Len32(value)-1) & 31
		codes := uint32(ll) + uint32(ml)
		rest := ll>>32 | ml>>32<<(ll>>24&31) | uint64(value-1<<of)<<(codes>>24&63)
		dst[i] = coded{codes + of<<8 + of<<24, uint32(rest), uint32(rest >> 32)}
		counts[literalLengths][codes&63]++
		counts[offsets][of]++
		counts[matchLengths][codes>>16&63]++
	}
	*h = history{r0, r1, r2}
}

// choose chooses the form of the table of a kind of codes that takes the fewest bits,
// appends it, and makes the table t. At first t is the table of the block before;
// repeat says whether it may be used again.
func (k *codeKind) choose(dst []byte, t *fseTable, repeat bool, counts []uint32, scratch *fseTable) (out []byte, mode int) {
	different, last := 0, 0
	for s, n := range counts {
		if n > 0 {
			different++
			last = s
		}
	}
	best, mode := uint64(math.MaxUint64), modePredefined
	if cost, ok := k.predefined.cost(counts); ok {
		best = cost
	}
	if repeat {
		if cost, ok := t.cost(counts); ok && cost <= best {
			best, mode = cost, modeRepeat
		}
	}
	if different == 1 {
		if best > 8<<8 {
			t.single(uint8(last))
			return append(dst, byte(last)), modeRLE
		}
	} else {
		scratch.normalize(counts, k.most)
		cost, _ := scratch.cost(counts)
		out = scratch.appendHeader(dst)
		if cost+uint64(len(out)-len(dst))<<11 < best {
			t.log, t.symbols, t.norm = scratch.log, scratch.symbols, scratch.norm
			t.build()
			return out, modeFSE
		}
	}
	if mode == modePredefined {
		*t = k.predefined
	}
	return dst, mode
}

// stream is the bit stream of sequences in the making.
type stream struct {
	out    []byte
	at     int    // where the stream goes on
	acc    uint64 // the last n bits, which are not in out yet
	n      uint
	states [codeKinds]uint32
	tables *[codeKinds]fseTable
}

// appendSequences appends the bit stream of sequences, the last of which comes first.
func appendSequences(dst []byte, sequences []coded, tables *[codeKinds]fseTable) []byte {
	ll, of, ml := &tables[literalLengths], &tables[offsets], &tables[matchLengths]
	end := len(sequences) - 1
	last := &sequences[end]
	s := stream{out: dst[:cap(dst)], at: len(dst), tables: tables}
	s.states = [codeKinds]uint32{ll.first(last.literalCode()), of.first(last.offsetCode()), ml.first(last.matchCode())}
	s.acc, s.n = last.rest()
	s.put(sequences[:end])

	w := bitWriter{out: s.out[:s.at], bits: s.acc, n: s.n}
	w.put(0, 0)
	w.put(uint64(s.states[matchLengths])&(1<<ml.log-1), uint(ml.log))
	w.put(uint64(s.states[offsets])&(1<<of.log-1), uint(of.log))
	w.put(uint64(s.states[literalLengths])&(1<<ll.log-1), uint(ll.log))
	return w.end()
}

// mostUnflushed is the most bits that follow the codes of a sequence if they are put behind the bits
// of its codes without writing these first.
const mostUnflushed = 63 - 7 - maxTableLog - maxTableLog - (maxTableLog - 1)

// putPlain puts sequences into the stream, the last one first.
func (s *stream) putPlain(sequences []coded) {
	ll, of, ml := &s.tables[literalLengths], &s.tables[offsets], &s.tables[matchLengths]
	stateLL, stateOF, stateML := s.states[literalLengths], s.states[offsets], s.states[matchLengths]
	acc, n, at, out := s.acc, s.n, s.at, s.out
	var (
		step  fseStep
		width uint32
	)
	for i := len(sequences) - 1; i >= 0; i-- {
		binary.LittleEndian.PutUint64(out[at:], acc)
		at += int(n >> 3)
		acc >>= n & 56
		n &= 7

		c := &sequences[i]
		codes := c.codes
		step = of.steps[codes>>8&63]
		width = (stateOF + step.bits) >> 16 & 31
		acc |= uint64(stateOF&(1<<width-1)) << (n & 63)
		n += uint(width)
		stateOF = uint32(of.next[(stateOF>>width+uint32(step.find))&(maxTableSize-1)])

		step = ml.steps[codes>>16&63]
		width = (stateML + step.bits) >> 16 & 31
		acc |= uint64(stateML&(1<<width-1)) << (n & 63)
		n += uint(width)
		stateML = uint32(ml.next[(stateML>>width+uint32(step.find))&(maxTableSize-1)])

		step = ll.steps[codes&63]
		width = (stateLL + step.bits) >> 16 & 31
		acc |= uint64(stateLL&(1<<width-1)) << (n & 63)
		n += uint(width)
		stateLL = uint32(ll.next[(stateLL>>width+uint32(step.find))&(maxTableSize-1)])

		rest, more := c.rest()
		if more > mostUnflushed {
			binary.LittleEndian.PutUint64(out[at:], acc)
			at += int(n >> 3)
			acc >>= n & 56
			n &= 7
		}
		acc |= rest << (n & 63)
		n += more
	}
	s.acc, s.n, s.at = acc, n, at
	s.states = [codeKinds]uint32{stateLL, stateOF, stateML}
}
