package zstd

import (
	"math/bits"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// Limits of the search of lazily.
const (
	enough     = 16 // the length of a copy after which no further places are tried
	contented  = 32 // the length of a copy behind which no better one is looked for
	entered    = 16 // of a long copy, so many bytes at each end are entered
	againAhead = 3  // positions behind a copy at which one with the last offset is looked for
	lazyHaste  = 7  // what haste in effort is for the other searches; a position takes longer here
	waverHaste = 9  // the same for bytes that waver
)

// again is what a copy with the offset of the last sequence gains beyond its bytes, see gain. Its offset costs
// next to nothing, and the copies after it may have that offset, too.
const again = 12

// ways is the number of entries in a bucket. The first ones are the newest.
const (
	waysLog = 3
	ways    = 1 << waysLog
)

// probe looks for the best copy from a position.
type probe struct {
	src        []byte
	buckets    []uint32
	down       uint
	base       uint32
	multiplier uint64 // of the hash
	tries      uint32 // has a bit for each entry of a bucket that is looked at
	ahead      int    // as in effort
	haste      uint   // lazyHaste or waverHaste
	plain      bool   // there is no kernel for this processor
	limits     [9]int // the offset from which so many equal bytes are not copied; 8 stands for more, too

	// The arguments of the kernels, and their results.
	at, last, least, anchor, limit int
	offset, n                      int
}

// newProbe returns a probe for the content src[from:].
func (p *parser) newProbe(src []byte, from int) probe {
	t := &p.bytes
	c := probe{
		src: src, buckets: t.short, down: t.down + waysLog, base: t.base, multiplier: t.multiplier,
		tries: 1<<p.tries - 1, ahead: p.ahead, haste: lazyHaste, plain: cpu.Used() < cpu.AVX2,
		limits: [9]int{4: t.near, far, window + 1, window + 1, window + 1},
	}
	if p.size > small && wavers(src[from:]) {
		c.haste = waverHaste
	}
	return c
}

// lazily finds copies at any position. It tries some of the last places with the same hash. Before it takes a copy,
// it looks whether one from the next positions is better. It enters the positions of a copy, of a long one only those
// near its ends. h has the offsets of the last sequences.
func (p *parser) lazily(src []byte, from int, h history) {
	p.begin(from)
	p.probe = p.newProbe(src, from)
	c := &p.probe
	offset, before := int(h[0]), int(h[1])
	limit := len(src) - margin - 1
	for at := max(from, 1); at < limit; {
		found, best, n := c.scan(at, offset, p.anchor, limit)
		if found >= limit {
			break
		}
		if n == 0 && allEqual(peek64(src, found)) {
			best, at = 1, p.repeated(found, limit)
		} else {
			best, at = p.best(found, best, n, offset, limit)
		}
		if best != offset {
			offset, before = best, offset
		}
		// A copy with the offset before needs no literals.
		for at < limit && before <= at && peek32(src, at) == peek32(src, at-before) {
			c.enter(at, at+1)
			offset, before = before, offset
			at = p.emit(src, at, offset, matchLength(src, at, offset, 4))
		}
	}
	c.src = nil
	p.end(src)
}

// repeated makes a sequence of the byte that repeats from a position on, and returns its end.
func (p *parser) repeated(at, limit int) int {
	src := p.probe.src
	p.probe.enter(at, at+1)
	_, end := p.emitBackwards(src, at+1, 1, matchLength(src, at+1, 1, 7))
	p.probe.enter(max(at+1, min(end-2, limit)), min(end, limit))
	return end
}

// best makes a sequence of the best copy from a position or from the next ones, and returns its offset
// and its end. At the position, n bytes equal those offset bytes earlier. If n is 0, a copy with the offset of the last
// sequence, which is last, begins there or at the next position.
func (p *parser) best(at, offset, n, last, limit int) (chosen, end int) {
	c := &p.probe
	src := c.src
	if n == 0 {
		// A copy from the next position that has the last offset is better than a copy from here
		// that gains no more.
		m := 0
		if peek32(src, at+1-last) == peek32(src, at+1) {
			m = matchLength(src, at+1, last, 4)
		}
		if offset, n = c.look(at, last, gain(last, m, last)); n == 0 {
			at++
			c.enter(at, at+1)
			offset, n = last, m
		}
	}
	final := at // the final position that is entered
	for final < at+c.ahead && n < contented && final+1 < limit {
		final++
		if o, m := c.look(final, last, worth(offset, n, last, final-at)); m > 0 {
			at, offset, n = final, o, m
		}
	}
	for next := final + 1; offset != last && last <= next && next <= at+againAhead && n < contented && next+1 < limit; next++ {
		if peek32(src, next) == peek32(src, next-last) {
			if m := matchLength(src, next, last, 4); gain(last, m, last) > worth(offset, n, last, next-at) {
				c.enter(final+1, next+1)
				final, at, offset, n = next, next, last, m
			}
		}
	}
	_, end = p.emitBackwards(src, at, offset, n)
	if from, to := final+1, min(end, limit); to-from <= 2*entered {
		c.enter(from, to)
	} else {
		c.enter(from, from+entered)
		c.enter(to-entered, to)
	}
	return offset, end
}

// gain is about four times the number of bytes that a copy of n bytes saves. last is the offset of
// the last sequence, which costs nothing.
func gain(offset, n, last int) int {
	switch {
	case n == 0:
		return 0
	case offset == last:
		return 4*n + again
	}
	return 4*n - bits.Len(uint(offset))
}

// worth is what a copy has to gain more than, which begins some positions behind another one.
func worth(offset, n, last, behind int) int { return gain(offset, n, last) + 1 + 3*behind }

// scanPlain enters positions from one on, up to the first one that is of use, and returns that one. Then a copy of n bytes
// begins there, from offset bytes earlier, and the position is entered, too. Or n is 0, and the position is not entered: it
// has eight equal bytes, or a copy with the offset of the last sequence begins there or at the next position, or it is
// limit or more. anchor is where the last sequence ended.
func (c *probe) scanPlain(at, last, anchor, limit int) (to, offset, n int) {
	for at < limit {
		v := peek64(c.src, at)
		if allEqual(v) {
			break
		}
		if last <= at {
			if differ := v ^ peek64(c.src, at-last); uint32(differ) == 0 || uint32(differ>>8) == 0 {
				break
			}
		}
		if offset, n = c.lookPlain(at, last, 0); n > 0 {
			break
		}
		at += (at-anchor)>>(c.haste&63) + 1
	}
	return at, offset, n
}

// lookPlain returns the copy from a position that gains most: with the offset of the last sequence, or
// with one of those in the bucket of the position. n is 0 if none gains more than least. It enters the position.
func (c *probe) lookPlain(at, last, least int) (offset, n int) {
	src := c.src
	v := peek64(src, at)
	if last <= at && peek32(src, at-last) == uint32(v) {
		if m := matchLength(src, at, last, 4); 4*m+again > least {
			offset, n, least = last, m, 4*m+again
		}
	}
	most := min(at, window)
	bucket, entry := c.place(at, v)
	for i, e := range bucket {
		o := distance(entry, e)
		if c.tries>>i&1 == 0 || uint(o-1) >= uint(most) {
			continue
		}
		differ := peek64(src, at-o) ^ v
		m := bits.TrailingZeros64(differ) / 8
		if o >= c.limits[m] {
			continue
		}
		if m == 8 {
			m = matchLength(src, at, o, m)
		}
		if g := gain(o, m, 0); g > least {
			offset, n, least = o, m, g
			if n >= enough {
				break
			}
		}
	}
	copy(bucket[1:], bucket[:])
	bucket[0] = entry
	return offset, n
}

// place returns the bucket of a position, and its entry there. v are the bytes of the position.
func (c *probe) place(at int, v uint64) (bucket *[ways]uint32, entry uint32) {
	h := v * c.multiplier >> (c.down & 63)
	entry = (c.base+uint32(at))<<tagBits | uint32(h&tagMask)
	return (*[ways]uint32)(c.buckets[h>>tagBits<<waysLog:]), entry
}

// enterPlain enters the positions from one up to another.
func (c *probe) enterPlain(from, to int) {
	for at := from; at < to; at++ {
		bucket, entry := c.place(at, peek64(c.src, at))
		copy(bucket[1:], bucket[:])
		bucket[0] = entry
	}
}
