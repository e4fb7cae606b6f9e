package zstd

import "math/bits"

// layout says where copies are looked for in a block of numbers.
type layout struct {
	size  int // of a number, in bytes
	step  int // from one position to the next, a power of two
	phase int // of a position, what it is more than a multiple of step
	width int // how many bytes at a position must be the same, at most 7
}

// runMost is how many positions are looked up in one go.
const runMost = 1 << 10

// It pays to look up eight bytes, too, where these were at another place before
// than fewer bytes last were: at more than one of rareLong positions in a sample
// of each run. If there are fewer, so many blocks go without.
const (
	rareLong   = 16
	longSample = 32 // positions
	withoutMax = 7  // blocks
)

// numbers finds copies in src[from:] as l says. Passes without branches that
// depend on the content list what can be copied from a run of positions; the
// last one takes of these what it meets first. After a run that has many unrelated
// copies dense goes on, up to the end of the block or until it finds others.
func (p *parser) numbers(src []byte, from int, l layout) {
	t := &p.elements
	t.ready(p.size)
	p.begin(from)
	r := run{layout: l, down: t.down, mask: 1<<(8*l.width) - 1}
	limit := len(src) - 16
	sampled, others, dense := 0, 0, false
	for r.at = l.align(max(from, 16+l.step)); r.at <= limit; {
		r.count = min(runMost, (limit-r.at)/l.step+1)
		r.most = min(r.at, window)
		if dense {
			dense = p.dense(t.short, src, &r)
			r.at = max(r.at+r.count*l.step, l.align(p.anchor))
			continue
		}
		hits := p.hits[:lookUp(&p.hits, t.short, src, &r)]
		if p.withoutLong == 0 {
			lookUpLong(hits, t.long, src, &r)
			for _, x := range hits[:min(len(hits), longSample)] {
				sampled++
				if x>>hitLength != x>>hitOffset&offsetMask {
					others++
				}
			}
		}
		hits = hits[:verify(hits, src, &r)]
		k := len(p.sequences)
		p.take(hits, src, r.at)
		dense = l.size == 4 && !p.thorough && len(hits)*4 > r.count && p.unrelated(hits, k)
		r.at = max(r.at+r.count*l.step, l.align(p.anchor))
	}
	if p.withoutLong > 0 {
		p.withoutLong--
	} else if others*rareLong < sampled {
		p.withoutLong = withoutMax
	}
	p.end(src)
}

// align returns the first position from at on where copies are looked for.
func (l layout) align(at int) int { return (at-l.phase+l.step-1)&^(l.step-1) + l.phase }

// take makes sequences of those hits that begin where the last one ended, or
// later. An offset that was used last costs next to nothing: it is preferred if it
// goes on after one byte that differs, or serves at the position of the hit.
func (p *parser) take(hits []hit, src []byte, at int) {
	for _, x := range hits {
		here := at + int(x&(1<<hitOffset-1))
		if here < p.anchor {
			continue
		}
		offset, n := int(x>>hitOffset&offsetMask), int(x>>hitLength)
		if k := len(p.sequences); k > 0 {
			last := int(p.sequences[k-1].offset)
			for next := p.anchor + 1; next <= here+1 && load32(src, next) == load32(src, next-last); next = p.anchor + 1 {
				p.emit(src, next, last, matchLength(src, next, last, 4))
			}
			if here < p.anchor {
				continue
			}
			if n < 8 && load32(src, here) == load32(src, here-last) {
				offset, n = last, matchLength(src, here, last, 4)
			}
		}
		if n == 8 {
			n = matchLength(src, here, offset, n)
		}
		if here-offset >= 8 {
			same := bits.LeadingZeros64(load64(src, here-8)^load64(src, here-8-offset)) / 8
			same = min(same, here-p.anchor)
			here -= same
			n += same
		}
		if n >= minMatch {
			p.emit(src, here, offset, n)
		}
	}
}

// unrelated tells whether few hits are of more than seven bytes, and few sequences
// from k on have the offset of the one before.
func (p *parser) unrelated(hits []hit, k int) bool {
	long, again := 0, 0
	for _, x := range hits {
		long += int(x >> (hitLength + 3))
	}
	for i := max(k, 1); i < len(p.sequences); i++ {
		if p.sequences[i].offset == p.sequences[i-1].offset {
			again++
		}
	}
	return long*3 < len(hits) && again*8 < len(p.sequences)-k
}

// dense makes sequences from a run of positions of which many have short copies
// from anywhere: one search that takes what comes is then better than passes over
// all of them. It tells whether the next run seems to be of this kind, too.
func (p *parser) dense(table []uint32, src []byte, r *run) bool {
	before := len(p.sequences)
	r.most = min(r.at-8, window)
	long := p.takeDense(table, src, r)
	found := len(p.sequences) - before
	return found*4 > r.count && long*4 < found
}
