package zstd

import "math/bits"

// Multipliers that spread bytes over the upper bits of a hash: the first five or six bytes of
// a word, or all of them.
const (
	hash5 = 889523592379 << 24
	hash6 = 227718039650203 << 16
	hash8 = 0x2545f4914f6cdd1d
)

// margin is how far the end of the content is from the last position where a copy is looked for.
const margin = 9

// generalPlain finds copies at any position of src[from:], by hashes of eight and of five
// bytes. If it has found nothing for long, it skips positions, the more the smaller
// p.haste is. h has the offsets of the last sequences.
func (p *parser) generalPlain(src []byte, from int, h history) {
	t := &p.bytes
	t.ready(p.size)
	p.begin(from)
	offset, before := int(h[0]), int(h[1])
	limit := len(src) - margin
	longs, shorts, down, base := t.long, t.short, t.down, t.base
	for at := max(from, 1); at < limit; {
		// As t.enter does, but most offsets are not looked at further.
		v := peek64(src, at)
		h8, h5 := v*hash8>>(down&63), v*hash5>>(down&63)
		i, k := slot(longs, h8>>tagBits), slot(shorts, h5>>tagBits)
		place := (base + uint32(at)) << tagBits
		l, s := place|uint32(h8&tagMask), place|uint32(h5&tagMask)
		long, short := distance(l, *i), distance(s, *k)
		*i, *k = l, s
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
		case uint(short-1) < uint(most) && worthwhile(peek64(src, at-short)^v, short):
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

// quicklyPlain finds copies as generalPlain does, but looks up hashes of six bytes alone.
func (p *parser) quicklyPlain(src []byte, from int, h history) {
	t := &p.bytes
	t.ready(p.size)
	p.begin(from)
	offset, before := int(h[0]), int(h[1])
	limit := len(src) - margin
	for at := max(from, 1); at < limit; {
		v := peek64(src, at)
		short := t.enterSix(v, at)
		switch {
		case offset <= at && peek32(src, at+1-offset) == uint32(v>>8):
			at++
			at = p.emit(src, at, offset, matchLength(src, at, offset, 4))
		case allEqual(v):
			offset, before = 1, offset
			at = p.emitAround(src, at+1, 1, 7)
		case short != 0 && worthwhile(peek64(src, at-short)^v, short):
			offset, before = short, offset
			at = p.emitAround(src, at, offset, 4)
		default:
			at += (at-p.anchor)>>(p.haste&31) + 1
			continue
		}
		// A copy with the offset before needs no literals.
		for at < limit && before <= at && peek32(src, at) == peek32(src, at-before) {
			t.enterSix(peek64(src, at), at)
			offset, before = before, offset
			at = p.emit(src, at, offset, matchLength(src, at, offset, 4))
		}
	}
	p.end(src)
}

// Limits of the search of lazily.
const (
	lookAhead = 2  // positions behind a copy at which a better one is looked for
	contented = 32 // the length of a copy behind which no better one is looked for
	entered   = 64 // of a long copy, so many bytes at each end are entered
)

// lazily finds copies as generalPlain does. But before it takes a copy, it looks whether one from the
// next positions is better, and it enters every second position of a copy.
func (p *parser) lazily(src []byte, from int, h history) {
	t := &p.bytes
	t.ready(p.size)
	p.begin(from)
	offset, before := int(h[0]), int(h[1])
	limit := len(src) - 10
	for at := max(from, 1); at < limit; {
		v := peek64(src, at)
		long, short := t.enter(v, at)
		best, end := 0, 0
		switch {
		case allEqual(v):
			best, end = 1, p.emitAround(src, at+1, 1, 7)
		case offset <= at && (peek32(src, at+1-offset) == uint32(v>>8) || peek32(src, at-offset) == uint32(v)),
			long != 0 && peek64(src, at-long) == v,
			short != 0 && worthwhile(peek64(src, at-short)^v, short):
			best, end = p.best(src, at, limit, offset, long, short)
		}
		if end == 0 {
			at += (at-p.anchor)>>(p.haste&31) + 1
			continue
		}
		if best != offset {
			offset, before = best, offset
		}
		at = end
		// A copy with the offset before needs no literals.
		for at < limit && before <= at && peek32(src, at) == peek32(src, at-before) {
			t.enter(peek64(src, at), at)
			offset, before = before, offset
			at = p.emit(src, at, offset, matchLength(src, at, offset, 4))
		}
	}
	p.end(src)
}

// best makes a sequence of the best copy from a position or from the next ones, and returns its offset
// and its end, or zeros if no copy is worth a sequence. last is the offset of the last sequence, and long
// and short are those that the tables have for the position.
func (p *parser) best(src []byte, at, limit, last, long, short int) (offset, end int) {
	t := &p.bytes
	// A copy from the next position that has the last offset is better than a copy from here
	// that gains no more.
	again := 0
	if last <= at && peek32(src, at+1-last) == peek32(src, at+1) {
		again = matchLength(src, at+1, last, 4)
	}
	offset, n := candidate(src, at, last, long, short, 4*again)
	switch {
	case n > 0:
	case again > 0:
		at++
		t.enter(peek64(src, at), at)
		offset, n = last, again
	default:
		return 0, 0
	}
	final := at // the final position that is entered
	for final < at+lookAhead && n < contented && final+1 < limit {
		final++
		long, short = t.enter(peek64(src, final), final)
		if o, m := candidate(src, final, last, long, short, gain(offset, n, last)+1+3*(final-at)); m > 0 {
			at, offset, n = final, o, m
		}
	}
	begin := at
	for begin > p.anchor && begin > offset && src[begin-1] == src[begin-1-offset] {
		begin--
	}
	end = p.emit(src, begin, offset, n+at-begin)
	for k := final + 1; k < min(end, limit); k += 2 {
		if k > final+entered && k < end-entered {
			k = end - entered
		}
		t.enter(peek64(src, k), k)
	}
	return offset, end
}

// gain is about four times the number of bytes that a copy of n bytes saves. last is the offset of
// the last sequence, which costs nothing.
func gain(offset, n, last int) int {
	if offset == last {
		return 4 * n
	}
	return 4*n - bits.Len(uint(offset))
}

// candidate returns the copy from a position that gains most: with the offset of the last sequence, or
// with one of those that the tables have. n is 0 if none gains more than least.
func candidate(src []byte, at, last, long, short, least int) (offset, n int) {
	v := peek64(src, at)
	if last <= at && peek32(src, at-last) == uint32(v) {
		if m := matchLength(src, at, last, 4); 4*m > least {
			offset, n, least = last, m, 4*m
		}
	}
	if long != 0 && peek64(src, at-long) == v {
		m := matchLength(src, at, long, 8)
		if g := gain(long, m, last); g > least {
			offset, n, least = long, m, g
		}
	}
	if short != 0 && short != long {
		if differ := peek64(src, at-short) ^ v; worthwhile(differ, short) {
			m := bits.TrailingZeros64(differ) / 8
			if m == 8 {
				m = matchLength(src, at, short, m)
			}
			if gain(short, m, last) > least {
				offset, n = short, m
			}
		}
	}
	return offset, n
}

// allEqual tells whether eight bytes are equal. A copy of such bytes from one byte before has an offset
// that fits all that follow, however long they are, so it is better than one from a place that may be
// anywhere. Masks, and shuffled numbers with bytes that hardly change, are full of them.
func allEqual(v uint64) bool { return bits.RotateLeft64(v, 8) == v }

// far is the offset from which copies of four or five bytes are not made. Such a copy
// takes about as many bits as its literals. Shuffled decimal numbers have so many of
// them that they took most of the time.
const far = 128 << 10

// worthwhile tells whether to copy from an offset. differ is zero in the bytes, from the
// lowest on, that are equal there.
func worthwhile(differ uint64, offset int) bool {
	return uint32(differ) == 0 && (offset < far || uint16(differ>>32) == 0)
}

// emitAround makes a sequence of the n bytes at a position that equal those offset
// bytes earlier, and of the equal bytes in front of and behind them. It enters some of
// these positions, and returns the end.
func (p *parser) emitAround(src []byte, at, offset, n int) int {
	n = matchLength(src, at, offset, n)
	for at > p.anchor && at > offset && src[at-1] == src[at-1-offset] {
		at--
		n++
	}
	end := p.emit(src, at, offset, n)
	if end+8 <= len(src) {
		if p.quick {
			p.bytes.enterSix(peek64(src, at+2), at+2)
			p.bytes.enterSix(peek64(src, end-2), end-2)
			return end
		}
		p.bytes.enter(peek64(src, at+2), at+2)
		p.bytes.enterLong(peek64(src, end-2), end-2)
		p.bytes.enterShort(peek64(src, end-1), end-1)
	}
	return end
}

// enter enters a position with the bytes v into both tables. It returns the offsets to
// the positions that it replaces, or zero for offsets that are too large.
func (t *hashTables) enter(v uint64, at int) (long, short int) {
	return t.enterLong(v, at), t.enterShort(v, at)
}

func (t *hashTables) enterLong(v uint64, at int) int { return t.replace(t.long, v*hash8, at) }

func (t *hashTables) enterShort(v uint64, at int) int { return t.replace(t.short, v*hash5, at) }

func (t *hashTables) enterSix(v uint64, at int) int { return t.replace(t.short, v*hash6, at) }

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
