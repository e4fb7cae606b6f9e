package zstd

import "math/bits"

// layout tells where copies are looked for in a block of numbers.
type layout struct {
	size  int // of a number, in bytes
	step  int // from one position to the next, a power of two
	phase int // distance of positions from multiples of step
	width int // number of bytes at a position that must be equal, at most 7
	// script tells whether the block is text, and of which kind. Blocks that seem to hold numbers are none.
	script script
	// related is whether a part of the bytes, but neither few nor most of them, differ from those
	// eight bytes before. It is so in the upper bytes of shuffled floats, and in numbers of eight bytes, see nearby.
	related bool
	// single is whether hardly more than one byte of a number of eight bytes differs from the number
	// before. It is so in times at even distances.
	single bool
	// varied is whether more than five bytes of a number of eight bytes differ from the number before. It
	// is so in decimals. Whole numbers repeat in them, or nothing does.
	varied bool
	// whole is whether copies begin where numbers do, and end there. It is so if three bytes of a number of four bytes
	// often differ from the number before, as in floats with few decimals, and in those of few different values. A number
	// costs so much there that a copy of it alone is worth while, whatever number follows. It is also so if at least one
	// of ten numbers of two bytes equals the number before, as in smooth data. There, copies have several numbers.
	whole bool
	// steady is whether two of five numbers of two bytes, or more, equal the number before.
	steady bool
	// sparse is whether many numbers of four bytes are zero, and the others repeat. Such a block is whole, too.
	sparse bool
	// wide is whether copies of eight bytes from far away are better than shorter ones from nearby: two bytes of a number
	// of four bytes often differ from the number before, or numbers of two bytes are whole.
	wide bool
}

// runMost is the most positions that are looked up in one pass.
const runMost = 1 << 8

// Looking up eight bytes as well pays if their last place often differs from the last
// place of fewer bytes: at one of rareLong positions or more, in a sample of each run.
// If it is rarer in the samples of a block, the next withoutMax blocks go without it, and so
// does the rest of the block, unless its numbers have eight bytes. But a table that was not used for some blocks lacks
// their bytes, and finds less than there is. So high levels always look up eight bytes where several bytes of a number often
// differ.
const (
	rareLong   = 16
	longSample = 32 // positions in the sample
	withoutMax = 7  // number of blocks
)

// A run is poor if its copies save less than one byte in poorSavings. A sequence takes about
// againCost bytes, and offsetCost bytes more if its offset is not that of the sequence before.
// After more than patience poor runs, runs are skipped.
const (
	poorSavings = 32
	againCost   = 1
	offsetCost  = 2
	patience    = 4
)

// A run is for dense if one of so many of its positions, or more, has a copy: in numbers of two bytes, of
// four, and of four in a content of up to smallContent bytes, where few numbers have occurred yet. In floats
// with noise, one of 40 positions has one; in rounded floats, one of ten in the first KiB.
const (
	denseTwo     = 6
	denseFour    = 4
	denseSmall   = 16
	smallContent = 64 << 10
)

// denseWindow is the largest offset of the copies that dense makes. The window of the C library at level 3 is as
// large. These copies are short. One from farther back saves next to nothing, and waits for the memory.
const denseWindow = 2 << 20

// Numbers of eight bytes are crowded if the first crowdedSample bytes of a block have one sequence for one and a half to
// crowdedShare numbers, and the copies have the length of a number in the mean. So it is in bounds and corners of cells,
// and in depths. The search at any position finds longer copies there, and takes less time. Where nearly each number has a
// sequence of its own, or parts of numbers are copied, as in floats of 32 bits that were stored in 64, that search finds
// nothing longer, and frames would be up to 7 % larger.
const (
	crowdedShare  = 6
	crowdedSample = 8 << 10
)

// numbers finds copies in src[from:] according to l. It gives up and returns false if the numbers are crowded and no
// trial decides how the block is searched. Passes without branches that
// depend on the content list the possible copies from a run of positions. The last pass
// takes the first copies that it meets. After a run with many unrelated copies, dense
// takes over, up to the end of the block or until a run is of the other kind. A content of numbers of two
// bytes, or a small one of four, begins with dense. Copies of single numbers are not for dense, which expects longer ones.
func (p *parser) numbers(src []byte, from int, l layout) bool {
	t := &p.elements
	log := p.numberLog
	if l.size == 2 {
		log = p.twoByteLog
	}
	t.readyNumbers(p.searched, log)
	p.decideWhole(&l)
	p.begin(from)
	r := run{layout: l, down: t.down, mask: 1<<(8*l.width) - 1, denseEach: denseFour}
	limit := len(src) - 16
	alwaysLong := l.wide && p.severalAlways || l.whole && l.size == 4 && p.thorough
	if alwaysLong {
		p.withoutLong = 0
	}
	sampled, others := 0, 0
	mayGiveUp := l.size == 8 && (p.tries == 0 || p.size < leastTried)
	small := l.size == 4 && p.size <= smallContent
	if l.size == 2 {
		r.denseEach = denseTwo
	} else if small {
		r.denseEach = denseSmall
	}
	dense := from == 0 && !p.thorough && l.width > 4 && (l.size == 2 || small)
	for r.at = l.align(max(from, 16+l.step)); r.at <= limit; {
		r.count = min(runMost, (limit-r.at)/l.step+1)
		r.most = min(r.at, window)
		if p.skip > 0 {
			p.skip--
			if !r.holdsRow(src) {
				r.at += r.count * l.step
				continue
			}
		}
		before := len(p.sequences)
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
			if l.size < 8 && !alwaysLong && sampled >= rareLong*8 && others*rareLong < sampled {
				p.withoutLong = withoutMax + 1
			}
		}
		hits = hits[:verify(hits, src, &r)]
		k := len(p.sequences)
		p.take(hits, src, r.at, &l)
		dense = l.size <= 4 && l.width > 4 && !p.thorough && len(hits)*r.denseEach > r.count && p.unrelated(hits, k)
		p.judge(before, r.count*l.step)
		r.at = max(r.at+r.count*l.step, l.align(p.anchor))
		if mayGiveUp && r.at-from >= crowdedSample {
			mayGiveUp = false
			made, copied := len(p.sequences), p.anchor-from-len(p.literals)
			if n := (r.at - from) / l.size; made*crowdedShare > n && made*3 < 2*n && copied >= made*l.size {
				return false
			}
		}
	}
	if p.withoutLong > 0 {
		p.withoutLong--
	} else if !alwaysLong && others*rareLong < sampled {
		p.withoutLong = withoutMax
	}
	p.end(src)
	return true
}

// decideWhole decides whether copies begin and end where numbers do. After a block in which they do so, they do in all
// later ones of the frame, because a table has hashes of one width.
func (p *parser) decideWhole(l *layout) {
	few := l.size == 2 && p.size <= smallContent // so few that copies of three numbers are rare
	l.whole = (l.whole || p.whole) && l.size < 8 && (!few || l.steady || p.thorough)
	if !l.whole {
		return
	}
	p.whole = true
	l.phase, l.width = 0, 4
	if l.size == 2 && (!few || l.steady) {
		l.width = 6
	}
}

// rowProbes is how many places of a run are looked at before the run is skipped.
const rowProbes = 8

// holdsRow tells whether one of a few places in the run has eight bytes that equal the eight bytes before: numbers under a
// mask are equal, for example. Such a run is not skipped.
func (r *run) holdsRow(src []byte) bool {
	n := r.count * r.step
	for at := r.at; at < r.at+n; at += max(n/rowProbes, 1) {
		if peek64(src, at) == peek64(src, at-8) {
			return true
		}
	}
	return false
}

// judge looks at the sequences of a run, which are those from k on. bytes is the length of the
// run. After more than patience poor runs, the parser skips one run, then three, then seven
// after each further poor run, at most p.mostSkipped at a time. If the run was among those to skip, and holds a row, it
// changes that only if it is not poor.
func (p *parser) judge(k, bytes int) {
	saved, last := 0, uint32(0)
	for _, s := range p.sequences[k:] {
		saved += int(s.length) - againCost
		if s.offset != last {
			saved -= offsetCost
		}
		last = s.offset
	}
	if saved*poorSavings > bytes {
		p.skipped, p.skip, p.poor = 0, 0, 0
		return
	}
	if p.poor++; p.poor > patience && p.skip == 0 {
		p.skipped = min(2*p.skipped+1, p.mostSkipped)
		p.skip = p.skipped
	}
}

// align returns the first position, from at on, where copies are looked for.
func (l layout) align(at int) int { return (at-l.phase+l.step-1)&^(l.step-1) + l.phase }

// leastRest is the fewest bytes of a hit that are taken if others of its bytes have been taken
// before.
const (
	leastRest = 5
	farRest   = 8 << 10
)

// take makes sequences of the hits. Of a hit that begins before the last sequence ended, it takes
// the rest, unless that is short.
// An offset that was used last costs next to nothing. It is preferred if its copy
// continues after one byte or two that differ, or if it fits the position of the hit.
func (p *parser) take(hits []hit, src []byte, at int, l *layout) {
	for _, x := range hits {
		here := at + int(x&(1<<hitOffset-1))
		offset, n := int(x>>hitOffset&offsetMask), int(x>>hitLength)
		if taken := p.anchor - here; l.whole && 0 < taken && taken < l.size {
			p.giveBack(taken)
		}
		if taken := p.anchor - here; taken > 0 {
			if n-taken < leastRest || offset > farRest || l.size < 8 {
				continue
			}
			if n == 8 {
				n = matchLength(src, here, offset, n)
			}
			here, n = p.anchor, n-taken
		}
		if k := len(p.sequences); k > 0 {
			last := int(p.sequences[k-1].offset)
			for p.anchor <= here {
				next, least := p.anchor+1, uint(4)
				if next <= here && n < 8 && peek32(src, next) != peek32(src, next-last) {
					next, least = next+1, 6
				}
				if (peek64(src, next)^peek64(src, next-last))<<(64-8*least) != 0 {
					break
				}
				p.emit(src, next, last, matchLength(src, next, last, int(least)))
			}
			if here < p.anchor {
				continue
			}
			if n < 8 && peek32(src, here) == peek32(src, here-last) {
				offset, n = last, matchLength(src, here, last, 4)
			}
		}
		if n == 8 { // at least, because verify looks at eight bytes
			n = matchLength(src, here, offset, n)
		}
		if here-offset >= 8 {
			same := bits.LeadingZeros64(peek64(src, here-8)^peek64(src, here-8-offset)) / 8
			same = min(same, here-p.anchor)
			here -= same
			n += same
		}
		if n >= minMatch {
			p.emit(src, here, offset, n)
		}
	}
}

// giveBack shortens the last copy by n bytes, if it stays long enough. These are the first bytes of a number that has a
// copy of its own. If the last copy kept them, the rest of the number would be literals.
func (p *parser) giveBack(n int) {
	if len(p.sequences) == 0 {
		return
	}
	if last := &p.sequences[len(p.sequences)-1]; int(last.length) >= n+minMatch+1 {
		last.length -= uint32(n)
		p.anchor -= n
	}
}

// unrelated tells whether few hits have more than seven bytes, and few sequences from k
// on have the offset of the sequence before.
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

// dense makes sequences from a run of positions many of which have short copies from
// anywhere. For such a run, one search that takes the first copies is better than
// passes over all positions. It tells whether the next run seems to be of this kind,
// too.
func (p *parser) dense(table []uint32, src []byte, r *run) bool {
	before := len(p.sequences)
	r.most = min(r.at-8, denseWindow)
	long := p.takeDense(table, src, r)
	found := len(p.sequences) - before
	return found*r.denseEach > r.count && long*4 < found
}
