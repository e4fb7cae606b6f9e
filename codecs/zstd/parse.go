package zstd

import (
	"encoding/binary"
	"math/bits"
)

// hashTables have, for each hash, the last position of bytes with this hash.
type hashTables struct {
	long, short []uint32
	down        uint // how far a hash is shifted to give a place in a table
	usable      bool // the tables can be used in this frame
}

func newHashTables(log int) hashTables {
	return hashTables{long: make([]uint32, 1<<log), short: make([]uint32, 1<<log)}
}

// ready empties the tables when a frame, of size bytes, uses them for the first time.
// It makes them no larger than the frame needs.
func (t *hashTables) ready(size int) {
	if t.usable {
		return
	}
	log := min(bits.Len(uint(size)), bits.Len(uint(cap(t.long)))-1)
	t.long, t.short = t.long[:1<<log], t.short[:1<<log]
	clear(t.long)
	clear(t.short)
	t.down = uint(64 - log)
	t.usable = true
}

// parser finds repetitions: it turns blocks into literals and sequences.
type parser struct {
	bytes, elements hashTables
	thorough        bool
	withoutLong     int // number of blocks of numbers that go without the long table
	poor            int // number of poor runs of numbers one after the other, see judge
	skip, rest      int // number of runs of numbers to skip, and how many were skipped last
	size            int // of the frame's content, in bytes

	literals  []byte
	sequences []sequence
	anchor    int // beginning of the content that is in neither literals nor sequences yet
	hits      [runMost]hit
}

// wild is the fewest bytes that emit copies.
const wild = 8

// newParser returns a parser whose tables for bytes have 1<<log entries each. Tables
// for numbers have half as many entries, which is as good and stays in nearer caches. A
// thorough parser always looks for numbers in passes.
func newParser(log int, thorough bool) *parser {
	return &parser{
		thorough:  thorough,
		bytes:     newHashTables(log),
		elements:  newHashTables(log - 1),
		literals:  make([]byte, 0, maxBlock+wild),
		sequences: make([]sequence, 0, maxSequences),
	}
}

// reset prepares for a frame of n bytes.
func (p *parser) reset(n int) {
	p.size = n
	p.bytes.usable, p.elements.usable = false, false
	p.withoutLong, p.poor, p.skip, p.rest = 0, 0, 0, 0
}

// parse turns the block src[from:] into literals and sequences. Copies go back as far
// as window. h has the offsets of the last sequences.
func (p *parser) parse(src []byte, from int, h history) {
	if l, ok := findLayout(src[from:]); ok {
		p.numbers(src, from, l)
	} else {
		p.general(src, from, h)
	}
}

func (p *parser) begin(from int) {
	p.literals, p.sequences, p.anchor = p.literals[:0], p.sequences[:0], from
}

// emit makes a sequence: the n bytes at a position equal those offset bytes earlier. It
// returns the end of the copy. At least wild bytes follow the position.
func (p *parser) emit(src []byte, at, offset, n int) (end int) {
	run, k := at-p.anchor, len(p.literals)
	p.literals = p.literals[:k+run]
	if run <= wild {
		binary.LittleEndian.PutUint64(p.literals[k:k+wild], load64(src, p.anchor))
	} else {
		copy(p.literals[k:], src[p.anchor:at])
	}
	p.sequences = p.sequences[:len(p.sequences)+1]
	s := &p.sequences[len(p.sequences)-1]
	s.literals, s.length, s.offset = uint32(run), uint32(n), uint32(offset)
	p.anchor = at + n
	return at + n
}

func (p *parser) end(src []byte) {
	p.literals = append(p.literals, src[p.anchor:]...)
}

// matchLength returns the number of bytes at a position that equal those offset bytes
// earlier, up to the end of src. The first n bytes are known to be equal.
func matchLength(src []byte, at, offset, n int) int {
	next := at + n
	for next+8 <= len(src) {
		if x := load64(src, next-offset) ^ load64(src, next); x != 0 {
			return next - at + bits.TrailingZeros64(x)>>3
		}
		next += 8
	}
	for next < len(src) && src[next-offset] == src[next] {
		next++
	}
	return next - at
}
