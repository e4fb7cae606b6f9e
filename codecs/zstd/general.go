package zstd

import "math/bits"

// Multipliers that spread bytes over the upper bits of a hash: the first four to seven bytes of
// a word, or all of them.
const (
	hash4 = 2654435761 << 32
	hash5 = 889523592379 << 24
	hash6 = 227718039650203 << 16
	hash7 = 58295818150454627 << 8
	hash8 = 0x2545f4914f6cdd1d
)

// margin is how far the end of the content is from the last position where a copy is looked for.
const margin = 9

// generalPlain finds copies at any position of src[from:], by hashes of eight and of five
// bytes. If it has found nothing for long, it skips positions, the more the smaller
// p.haste is. h has the offsets of the last sequences.
func (p *parser) generalPlain(src []byte, from int, h history) {
	t := &p.bytes
	p.begin(from)
	offset, before := int(h[0]), int(h[1])
	limit := len(src) - margin
	longs, shorts, down, base, multiplier := t.long, t.short, t.down, t.base, t.multiplier
	for at := max(from, 1); at < limit; {
		// As t.enter does, but most offsets are not looked at further.
		v := peek64(src, at)
		hashLong, hashShort := v*hash8>>(down&63), v*multiplier>>(down&63)
		i, k := slot(longs, hashLong>>tagBits), slot(shorts, hashShort>>tagBits)
		place := (base + uint32(at)) << tagBits
		entryLong, entryShort := place|uint32(hashLong&tagMask), place|uint32(hashShort&tagMask)
		long, short := distance(entryLong, *i), distance(entryShort, *k)
		*i, *k = entryLong, entryShort
		most := min(at, window)
		switch {
		case offset <= at && peek32(src, at+1-offset) == uint32(v>>8):
			at++
			at = p.emit(src, at, offset, matchLength(src, at, offset, 4))
		case allEqual(v):
			offset, before = 1, offset
			at = p.emitAround(src, at+1, 1, 7)
		case uint(long-1) < uint(most) && peek64(src, at-long) == v:
			offset, before = long, offset
			at = p.emitAround(src, at, offset, 8)
		case uint(short-1) < uint(most) && t.worthwhile(peek64(src, at-short)^v, short):
			// Eight bytes from the next position on would be better.
			next := peek64(src, at+1)
			n := 4
			if long := t.enterLong(next, at+1); long != 0 && peek64(src, at+1-long) == next {
				at++
				n, short = 8, long
			}
			offset, before = short, offset
			at = p.emitAround(src, at, offset, n)
		default:
			at += (at-p.anchor)>>(p.haste&31) + 1
			continue
		}
		// A copy with the offset before needs no literals.
		for at < limit && before <= at && peek32(src, at) == peek32(src, at-before) {
			t.enter(peek64(src, at), at)
			offset, before = before, offset
			at = p.emit(src, at, offset, matchLength(src, at, offset, 4))
		}
	}
	p.end(src)
}

// quicklyPlain finds copies as generalPlain does, but looks up one hash alone.
func (p *parser) quicklyPlain(src []byte, from int, h history) {
	t := &p.bytes
	p.begin(from)
	offset, before := int(h[0]), int(h[1])
	limit := len(src) - margin
	for at := max(from, 1); at < limit; {
		v := peek64(src, at)
		short := t.enterShort(v, at)
		switch {
		case offset <= at && peek32(src, at+1-offset) == uint32(v>>8):
			at++
			at = p.emit(src, at, offset, matchLength(src, at, offset, 4))
		case allEqual(v):
			offset, before = 1, offset
			at = p.emitAround(src, at+1, 1, 7)
		case short != 0 && t.worthwhile(peek64(src, at-short)^v, short):
			offset, before = short, offset
			at = p.emitAround(src, at, offset, 4)
		default:
			at += (at-p.anchor)>>(p.haste&31) + 1
			continue
		}
		// A copy with the offset before needs no literals.
		for at < limit && before <= at && peek32(src, at) == peek32(src, at-before) {
			t.enterShort(peek64(src, at), at)
			offset, before = before, offset
			at = p.emit(src, at, offset, matchLength(src, at, offset, 4))
		}
	}
	p.end(src)
}

// allEqual tells whether eight bytes are equal. A copy of such bytes from one byte before has an offset
// that fits all that follow, however long they are, so it is better than one from a place that may be
// anywhere. Masks, and shuffled numbers with bytes that hardly change, are full of them.
func allEqual(v uint64) bool { return bits.RotateLeft64(v, 8) == v }

// far is the offset from which copies of four or five bytes are not made. Such a copy
// takes about as many bits as its literals. Shuffled decimal numbers have so many of
// them that they took most of the time.
const far = 128 << 10

// Where hashes of four bytes are looked up, see effort, four bytes are copied only from nearer than tinyNear, in
// contents of up to tiny bytes, or than smallNear, in others. Copies of four bytes from farther away cost as much as
// their literals.
const (
	tiny      = 16 << 10
	tinyNear  = 1 << 10
	small     = 256 << 10
	smallNear = 1 << 12
)

// worthwhile tells whether to copy from an offset. differ is zero in the bytes, from the
// lowest on, that are equal there.
func (t *hashTables) worthwhile(differ uint64, offset int) bool {
	switch {
	case uint32(differ) != 0:
		return false
	case offset < t.near:
		return true
	case offset < far:
		return uint8(differ>>32) == 0
	}
	return uint16(differ>>32) == 0
}

// emitAround makes a sequence of the n bytes at a position that equal those offset
// bytes earlier, and of the equal bytes in front of and behind them. It enters all of
// these positions, or some, and returns the end.
func (p *parser) emitAround(src []byte, at, offset, n int) int {
	at, end := p.emitBackwards(src, at, offset, matchLength(src, at, offset, n))
	if end+8 <= len(src) {
		if p.quick {
			p.bytes.enterShort(peek64(src, at+2), at+2)
			p.bytes.enterShort(peek64(src, end-2), end-2)
			return end
		}
		if end-at <= p.mostEntire() {
			for k := at + 1; k < end; k++ {
				p.bytes.enter(peek64(src, k), k)
			}
			return end
		}
		p.bytes.enter(peek64(src, at+2), at+2)
		p.bytes.enterLong(peek64(src, end-2), end-2)
		p.bytes.enterShort(peek64(src, end-1), end-1)
	}
	return end
}

// longEntire is the length of copies beyond which no level enters all positions. Most copies are shorter.
const longEntire = 64

// mostEntire returns the length of copies up to which all positions are entered.
func (p *parser) mostEntire() int {
	if p.size <= p.entireUpTo {
		return longEntire
	}
	return 0
}

// emitBackwards makes a sequence of the n bytes at a position that equal those offset bytes earlier, and of the
// equal bytes in front of them. It returns the beginning and the end.
func (p *parser) emitBackwards(src []byte, at, offset, n int) (begin, end int) {
	begin = at
	for begin > p.anchor && begin > offset && src[begin-1] == src[begin-1-offset] {
		begin--
	}
	return begin, p.emit(src, begin, offset, n+at-begin)
}

// enter enters a position with the bytes v into both tables. It returns the offsets to
// the positions that it replaces, or zero for offsets that are too large.
func (t *hashTables) enter(v uint64, at int) (long, short int) {
	return t.enterLong(v, at), t.enterShort(v, at)
}

func (t *hashTables) enterLong(v uint64, at int) int { return t.replace(t.long, v*hash8, at) }

func (t *hashTables) enterShort(v uint64, at int) int { return t.replace(t.short, v*t.multiplier, at) }

// replace enters a position into the slot of a hash. It returns the offset to the position that it
// replaces, or zero if it is too large, or other bits of its hash differ.
func (t *hashTables) replace(table []uint32, hash uint64, at int) (offset int) {
	hash >>= t.down & 63
	i := slot(table, hash>>tagBits)
	entry := (t.base+uint32(at))<<tagBits | uint32(hash&tagMask)
	offset = distance(entry, *i)
	*i = entry
	if offset > min(at, window) {
		return 0
	}
	return offset
}

// distance returns the offset from the position of an entry to that of an earlier one. It is more than a
// window if their tags differ.
func distance(entry, earlier uint32) int { return int(bits.RotateLeft32(entry-earlier, -tagBits)) }
