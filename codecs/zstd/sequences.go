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

// coded is a sequence as it is encoded: its codes, and the bits that follow
// them.
type coded struct {
	codes  uint32 // codes of literals, offset and match, eight bits each, and the number of bits of length
	length uint32 // bits that follow the code of the literals' length, with those of the match's length above them
	offset uint32 // bits that follow the code of the offset; the code is their number
}

func (c *coded) literalCode() uint8 { return uint8(c.codes) }
func (c *coded) offsetCode() uint8  { return uint8(c.codes >> 8) }
func (c *coded) matchCode() uint8   { return uint8(c.codes >> 16) }
func (c *coded) lengthBits() uint   { return uint(c.codes >> 24) }

// Codes of lengths (RFC 8878, section 3.1.1.3.2.1.1): the beginning of each, and the
// number of bits that follow it. For matches, lengths are without minMatch.
var (
	literalWidths = append(make([]uint8, 16), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
	matchWidths   = append(make([]uint8, 32), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)

	literalCodes = newCodeRanges(literalWidths)
	matchCodes   = newCodeRanges(matchWidths)
)

type codeRanges struct {
	// short has an entry for each length below 128: its code, the number of bits that
	// follow, shifted by 8, and these bits, shifted by 16.
	short [128]uint32
	// long has the entries for longer lengths, by the number of their bits.
	long [32]uint32
}

// newCodeRanges lists codes. A code stands for as many lengths as the bits that follow
// it distinguish.
func newCodeRanges(widths []uint8) *codeRanges {
	var r codeRanges
	base := 0
	for code, width := range widths {
		for i := range 1 << width {
			if base+i < len(r.short) {
				r.short[base+i] = uint32(code | int(width)<<8 | i<<16)
			}
		}
		r.long[bits.Len(uint(base))] = uint32(code | int(width)<<8)
		base += 1 << width
	}
	return &r
}

// of returns the code of a length, the number of bits that follow it, and these bits.
func (r *codeRanges) of(length uint32) (code uint8, width, rest uint32) {
	if length < uint32(len(r.short)) {
		c := r.short[length]
		return uint8(c), c >> 8 & 0xff, c >> 16
	}
	n := bits.Len32(length)
	c := r.long[n&31]
	return uint8(c), c >> 8, length - 1<<(n-1)
}

// codeCounts is how often each code of a kind occurs. The last entries are always zero.
type codeCounts [64]uint32

// history holds the last three offsets, of which a sequence can name one (RFC
// 8878, section 3.1.1.5).
type history [3]uint32

// code turns sequences into codes, and counts the codes.
func (h *history) code(dst []coded, src []sequence, counts *[codeKinds]codeCounts) {
	r0, r1, r2 := h[0], h[1], h[2]
	dst = dst[:len(src)]
	literals, matches := literalCodes, matchCodes
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
		ll, widthLL, restLL := literals.of(s.literals)
		ml, widthML, restML := matches.of(s.length - minMatch)
		of := uint32(bits.Len32(value)-1) & 31
		c := &dst[i]
		c.codes = uint32(ll) | of<<8 | uint32(ml)<<16 | (widthLL+widthML)<<24
		c.length = restLL | restML<<(widthLL&31)
		c.offset = value - 1<<of
		counts[literalLengths][ll&63]++
		counts[offsets][of]++
		counts[matchLengths][ml&63]++
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
	if cost, ok := t.cost(counts); ok && repeat && cost <= best {
		best, mode = cost, modeRepeat
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
			*t = *scratch
			t.build()
			return out, modeFSE
		}
	}
	if mode == modePredefined {
		*t = k.predefined
	}
	return dst, mode
}

// appendSequences appends the bit stream of sequences.
func appendSequences(dst []byte, sequences []coded, tables *[codeKinds]fseTable) []byte {
	start := len(dst)
	out := dst[start:cap(dst)]
	ll, of, ml := &tables[literalLengths], &tables[offsets], &tables[matchLengths]

	last := &sequences[len(sequences)-1]
	stateLL := ll.first(last.literalCode())
	stateOF := of.first(last.offsetCode())
	stateML := ml.first(last.matchCode())
	var (
		acc = uint64(last.length) | uint64(last.offset)<<last.lengthBits()
		n   = last.lengthBits() + uint(last.offsetCode())
		at  = 0

		step  fseStep
		width uint32
	)
	for i := len(sequences) - 2; i >= 0; i-- {
		binary.LittleEndian.PutUint64(out[at:], acc)
		at += int(n >> 3)
		acc >>= n & 56
		n &= 7

		s := &sequences[i]
		codes := s.codes
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

		offset, more := uint(s.offsetCode()), s.lengthBits()
		if n+more+offset > 63 {
			binary.LittleEndian.PutUint64(out[at:], acc)
			at += int(n >> 3)
			acc >>= n & 56
			n &= 7
		}
		acc |= (uint64(s.length) | uint64(s.offset)<<(more&63)) << (n & 63)
		n += more + offset
	}
	binary.LittleEndian.PutUint64(out[at:], acc)
	w := bitWriter{out: dst[:start+at+int(n>>3)], bits: acc >> (n & 56), n: n & 7}
	w.put(uint64(stateML)&(1<<ml.log-1), uint(ml.log))
	w.put(uint64(stateOF)&(1<<of.log-1), uint(of.log))
	w.put(uint64(stateLL)&(1<<ll.log-1), uint(ll.log))
	return w.end()
}
