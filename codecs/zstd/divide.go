package zstd

import (
	"math/bits"
	"slices"
)

// Limits of the parts into which the literals of a block are divided.
const (
	maxParts = 16      // of a block, at most
	minPart  = 4 << 10 // literals of a part, at least

	// partCost is what a further block costs, in bits: its header, the table of its literals, the tables
	// of its sequences, and some of the time that these take in encoders and decoders.
	partCost = 8 * 300

	// leastGain is the logarithm of the part of its literals that a further block has to save besides.
	leastGain = 7

	// chanceGain is what a table of their own gains for a symbol of literals that are drawn in the same
	// way as the others: half a natural unit of information, in bits, times 256.
	chanceGain = 185
)

// part is a part of the literals of a block.
type part struct {
	counts [256]uint32
	size   int // number of literals
	bits   int // that the literals take, times 256
	joined int // bits that the literals of this part and the next one take together, times 256
}

// divide divides the literals of a block into parts, such that tables of their own make the literals
// of each part smaller. Most blocks have one part. The parts are valid until the next call.
func (e *blockEncoder) divide(literals []byte) []*part {
	m := max(1, min(len(literals)/minPart, len(e.parts)))
	parts := e.order[:m]
	for i := range parts {
		p := &e.parts[i]
		from, to := len(literals)*i/m, len(literals)*(i+1)/m
		count(&p.counts, literals[from:to])
		parts[i], p.size = p, to-from
	}
	if m == 1 {
		return parts
	}
	whole := &e.whole
	whole.size, whole.counts = len(literals), [256]uint32{}
	together := 0
	for _, p := range parts {
		p.bits = entropy(p.size, &p.counts, &none)
		together += p.bits
		for s, n := range p.counts {
			whole.counts[s] += n
		}
	}
	symbols := 0
	for _, n := range whole.counts {
		if n > 0 {
			symbols++
		}
	}
	undivided := entropy(whole.size, &whole.counts, &none)
	if undivided-together < partCost<<8+undivided>>leastGain+(m-2)*symbols*chanceGain {
		e.order[0] = whole
		return parts[:1]
	}
	return joinAlike(parts)
}

// joinAlike joins neighbours as long as two blocks cost more than they save, those first that gain least
// from tables of their own.
func joinAlike(parts []*part) []*part {
	for i, p := range parts[1:] {
		parts[i].pair(p)
	}
	for len(parts) > 1 {
		const least = partCost << 8
		best, gain := 0, least
		for i, p := range parts[1:] {
			if g := parts[i].joined - parts[i].joined>>leastGain - parts[i].bits - p.bits; g < gain {
				best, gain = i, g
			}
		}
		if gain == least {
			break
		}
		p, next := parts[best], parts[best+1]
		for s, n := range next.counts {
			p.counts[s] += n
		}
		p.size, p.bits = p.size+next.size, p.joined
		parts = slices.Delete(parts, best+1, best+2)
		if best > 0 {
			parts[best-1].pair(p)
		}
		if best+1 < len(parts) {
			p.pair(parts[best+1])
		}
	}
	return parts
}

// pair sets p.joined for the next part.
func (p *part) pair(next *part) {
	p.joined = entropy(p.size+next.size, &p.counts, &next.counts)
}

// entropy returns the bits, times 256, that n literals take if a[s]+b[s] of them are s. n is at most maxBlock.
func entropy(n int, a, b *[256]uint32) int {
	return n*logarithm(uint32(n)) - weigh(a, b)
}

// none are the frequencies of no literals.
var none [256]uint32

// weighPlain returns the sum of all a[s]+b[s], each times its logarithm, see logarithm.
func weighPlain(a, b *[256]uint32) (sum int) {
	for s, n := range a {
		n += b[s]
		sum += int(n) * logarithm(n)
	}
	return sum
}

// logarithm returns the logarithm of n to base 2, times 256, or 0 for 0.
func logarithm(n uint32) int {
	if n < maxTableSize {
		return int(log256[n])
	}
	const digits = 9 // of a number in log256
	down := bits.Len32(n) - digits
	return down<<8 + int(log256[n>>down])
}
