package zstd

import (
	"bytes"
	"math"
	"math/bits"
)

// hashTables have, for each hash, the last position of bytes with this hash.
type hashTables struct {
	long, short []uint32 // long may be nil
	down        uint     // how far a hash is shifted to give a place in a table, and a tag below it in those for bytes
	usable      bool     // the tables can be used in this frame

	// An entry of the tables for bytes is a place, and a tag below it: as many more bits of the hash. A place has
	// 24 bits. It is a position plus base. The places of earlier frames are below base, and those of the next frame
	// begin at next.
	base, next uint32

	multiplier uint64 // of the hash of the short table for bytes
	near       int    // the offset from which copies of four bytes are not made
}

// Two different tags show that two positions have different bytes, without a look at these.
const (
	tagBits = 8
	tagMask = 1<<tagBits - 1
	places  = 1 << (32 - tagBits)
)

// newHashTables returns tables of so many entries, the long one only if both are needed.
func newHashTables(log int, both bool) hashTables {
	t := hashTables{short: make([]uint32, 1<<log), next: 1}
	if both {
		t.long = make([]uint32, 1<<log)
	}
	return t
}

// ready makes the tables for bytes ready when a frame, of size bytes, uses them for the first
// time. It makes them no larger than needed to search so many bytes. l is the layout of the first block that uses them.
func (t *hashTables) ready(size, searched int, e *effort, l *layout) {
	if t.usable {
		return
	}
	t.cut(searched)
	t.down -= tagBits
	if searched >= places-int(t.next) {
		clear(t.long[:cap(t.long)])
		clear(t.short[:cap(t.short)])
		t.next = 1
	}
	t.multiplier, t.near = hash5, far
	switch {
	case l.script == figures:
		t.multiplier = hash7
	case size <= tiny && (size <= e.fourUpTo || l.varied):
		t.multiplier, t.near = hash4, tinyNear
	case size <= e.fourUpTo && l.script != prose:
		t.multiplier, t.near = hash4, smallNear
	case e.six:
		t.multiplier = hash6
	}
	t.base = t.next
	t.next += uint32(min(searched, places-1))
}

// readyNumbers does the same with the tables for numbers. It empties them. log is the logarithm of the
// most entries of each.
func (t *hashTables) readyNumbers(size, log int) {
	if t.usable {
		return
	}
	t.cut(min(size/2, 1<<log)) // because there is at most one position in two bytes
	clear(t.long)
	clear(t.short)
}

// cut makes the tables no larger than most entries need.
func (t *hashTables) cut(most int) {
	log := min(bits.Len(uint(max(most, 2)-1)), bits.Len(uint(cap(t.short)))-1)
	t.short = t.short[:1<<log]
	if t.long != nil {
		t.long = t.long[:1<<log]
	}
	t.down = uint(64 - log)
	t.usable = true
}

// effort is how thoroughly a parser searches, and how far blocks are divided.
type effort struct {
	// tableLog is the logarithm of the number of entries in each table for bytes.
	tableLog int
	// numberLog is the logarithm of the number of entries in each table for numbers of four and eight
	// bytes, and twoByteLog that for numbers of two bytes. What a larger table finds in four and eight bytes
	// saves about as much time as it costs. In two bytes it is many short copies, which take time.
	numberLog, twoByteLog int
	// haste is the logarithm of the number of bytes without copies after which the search at any
	// position skips one more position each time. The one that tries several places has lazyHaste.
	haste       uint
	mostSkipped int  // the most runs of numbers that are skipped one after the other, see judge
	parts       int  // the most blocks for 128 KiB of content
	thorough    bool // numbers are always looked up in passes
	// tries is how many earlier places the search at any position tries, and ahead at how many positions behind a
	// copy it looks for a better one. If they are zero, and in related bytes, another search tries one place: there it
	// finds copies as good in half of the time. If they are not zero, a part of a content is searched in two ways, see trialEvery.
	tries, ahead int
	// severalAlways is whether all contents are searched so. Otherwise only some small contents are, see triesSeveral.
	severalAlways bool
	// quickUpTo is the size of contents up to which the search at any position looks up one hash alone. In varied numbers
	// it does so up to tiny.
	quickUpTo int
	// six is whether the search at any position looks up hashes of six bytes in place of five.
	six bool
	// fourUpTo is the size of contents up to which the search at any position looks up hashes of four bytes in place
	// of five. In text it does so only up to tiny, and in text with many digits never.
	fourUpTo int
	// entireUpTo is the size of contents up to which a search that tries one place enters all positions of a copy.
	// Otherwise it enters three.
	entireUpTo int
	// sparse is whether sparse numbers are searched as numbers. Their frames are up to a third smaller then, and take up to
	// twice the time.
	sparse bool
	// anyUpTo is the size of contents up to which varied numbers are searched at any position, wherever they are. Frames of
	// small contents are smaller then. Large contents are encoded faster, but their frames are up to 16 % larger.
	anyUpTo int
}

// parser finds repetitions: it turns blocks into literals and sequences.
type parser struct {
	effort
	bytes, elements hashTables
	probe           probe
	withoutLong     int  // number of blocks of numbers that go without the long table
	quick           bool // one hash alone is looked up
	whole           bool // a block of the frame had whole numbers, see layout
	anyPosition     bool // see parse
	poor            int  // number of poor runs of numbers one after the other, see judge
	skip, skipped   int  // number of runs of numbers to skip, and how many were skipped last
	size            int  // of the frame's content, in bytes
	searched        int  // the number of its bytes that are searched

	literals  []byte
	sequences []sequence
	anchor    int // beginning of the content that is in neither literals nor sequences yet
	hits      [runMost]hit
}

// wild is the fewest bytes that emit copies.
const wild = 8

// newParser returns a parser.
func newParser(e effort) *parser {
	return &parser{
		effort:    e,
		bytes:     newHashTables(e.tableLog, e.quickUpTo < math.MaxInt),
		elements:  newHashTables(max(e.numberLog, e.twoByteLog), true),
		literals:  make([]byte, 0, maxBlock+wild),
		sequences: make([]sequence, 0, maxSequences),
	}
}

// reset prepares for a frame of n bytes.
func (p *parser) reset(n int) {
	p.size, p.searched = n, n
	p.bytes.usable, p.elements.usable = false, false
	p.withoutLong, p.poor, p.skip, p.skipped, p.whole, p.anyPosition = 0, 0, 0, 0, false, false
}

// parse turns the block src[from:] into literals and sequences. Copies go back as far
// as window. h has the offsets of the last sequences. If p.anyPosition is set, the block is searched for copies at any
// position, and otherwise as its layout says.
func (p *parser) parse(src []byte, from int, h history) {
	if p.constant(src, from) {
		return
	}
	l, ok := findLayout(src[from:])
	numbers, related := p.searches(l, ok)
	if numbers && !p.anyPosition {
		if p.numbers(src, from, l) {
			return
		}
		p.anyPosition = true // up to the end of the frame
	}
	if related && p.anyPosition {
		l.related = false
	}
	p.anywhere(src, from, h, l)
}

// searches tells how the layout of a block says that it is searched, if not for copies at any position: as numbers, or as
// related bytes, for which that search tries one place.
func (p *parser) searches(l layout, ok bool) (numbers, related bool) {
	if l.single && !p.triesSeveral(l) {
		// Each copy has the offset of the one before, which the search at any position tries first.
		ok = false
	}
	// Varied numbers behind blocks that were searched at any position repeat much of these.
	varied := l.varied && (p.size <= p.anyUpTo || p.bytes.usable)
	return ok && !varied && (p.sparse || !l.sparse), l.related && p.severalAlways && p.size > smallRelated
}

// smallRelated is the size of contents up to which related bytes are always searched at one place for each position.
// Several places would make hardly any of them smaller, and take up to twice the time.
const smallRelated = 512 << 10

// anywhere finds copies at any position of the block src[from:], whose layout is l.
func (p *parser) anywhere(src []byte, from int, h history, l layout) {
	p.prepare(&l)
	switch {
	case p.triesSeveral(l) && !l.related:
		p.lazily(src, from, h)
	case p.quick:
		p.quickly(src, from, h)
	default:
		p.general(src, from, h)
	}
}

// triesSeveral tells whether the search at any position tries several places in a block of layout l. Level 5 does so in
// small contents, but not in decimals, times and most text: these would take twice the time, and be hardly smaller.
func (p *parser) triesSeveral(l layout) bool {
	switch {
	case p.tries == 0:
		return false
	case p.severalAlways:
		return true
	case l.script == figures:
		return p.size <= tiny
	}
	return p.size <= small && l.script == noText && !l.varied && !l.single
}

// prepare decides what the search at any position looks up.
func (p *parser) prepare(l *layout) {
	p.bytes.ready(p.size, p.searched, &p.effort, l)
	p.quick = p.size <= p.quickUpTo || l.varied && p.size <= tiny
}

// constant makes a sequence of src[from:] if it is one number over and over, of at most eight bytes, and
// tells whether it is.
func (p *parser) constant(src []byte, from int) bool {
	for _, size := range []int{1, 2, 4, 8} {
		at := max(from, size)
		if at+wild <= len(src) && bytes.Equal(src[at:], src[at-size:len(src)-size]) {
			p.begin(from)
			p.emit(src, at, size, len(src)-at)
			return true
		}
	}
	return false
}

func (p *parser) begin(from int) {
	p.literals, p.sequences, p.anchor = p.literals[:0], p.sequences[:0], from
}

// emit makes a sequence: the n bytes at a position equal those offset bytes earlier. It
// returns the end of the copy. At least wild bytes follow the position.
func (p *parser) emit(src []byte, at, offset, n int) (end int) {
	run, k := at-p.anchor, len(p.literals)
	p.literals = p.literals[:k+run]
	poke64(p.literals, k, peek64(src, p.anchor))
	switch {
	case run > 2*wild:
		copy(p.literals[k:], src[p.anchor:at])
	case run > wild:
		poke64(p.literals, k+wild, peek64(src, p.anchor+wild))
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
	// Most copies are short, and few are long.
	for range 2 {
		if next+8 > len(src) {
			break
		}
		if x := peek64(src, next-offset) ^ peek64(src, next); x != 0 {
			return next - at + bits.TrailingZeros64(x)>>3
		}
		next += 8
	}
	for next+32 <= len(src) {
		a := next - offset
		if (peek64(src, a)^peek64(src, next))|(peek64(src, a+8)^peek64(src, next+8))|(peek64(src, a+16)^peek64(src, next+16))|(peek64(src, a+24)^peek64(src, next+24)) != 0 {
			break
		}
		next += 32
	}
	for next+8 <= len(src) {
		if x := peek64(src, next-offset) ^ peek64(src, next); x != 0 {
			return next - at + bits.TrailingZeros64(x)>>3
		}
		next += 8
	}
	for next < len(src) && src[next-offset] == src[next] {
		next++
	}
	return next - at
}
