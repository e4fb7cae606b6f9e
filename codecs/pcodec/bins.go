package pcodec

import (
	"math"
	"math/bits"
	"slices"
)

// sorted returns a sorted copy of values. It sorts by radix, with a pass for each byte
// that differs among the values.
func sorted[L latent](values []L) []L {
	from, to := slices.Clone(values), make([]L, len(values))
	for shift := uint(0); shift < width[L](); shift += 8 {
		var starts [256]int
		for _, v := range from {
			starts[uint8(v>>shift)]++
		}
		if slices.Contains(starts[:], len(from)) {
			continue
		}
		sum := 0
		for i, count := range starts {
			starts[i] = sum
			sum += count
		}
		for _, v := range from {
			start := &starts[uint8(v>>shift)]
			to[*start] = v
			*start++
		}
		from, to = to, from
	}
	return from
}

// span is a range of sorted values.
type span[L latent] struct {
	lower, upper L // the first and the last value
	count        int
}

// divide divides sorted values into about 2^log spans of about equal counts. Equal
// values stay together; a value that occurs often has a span of its own.
func divide[L latent](values []L, log int) []span[L] {
	var spans []span[L]
	target := max(1, (len(values)+1<<log-1)>>log)
	for len(values) > 0 {
		n := min(target, len(values))
		if last := values[n-1]; n < len(values) && values[n] == last {
			first, _ := slices.BinarySearch(values[:n], last)
			end := len(values)
			if last < ^L(0) {
				end, _ = slices.BinarySearch(values, last+1)
			}
			if n = end; first > 0 && end-first >= target {
				n = first
			}
		}
		spans = append(spans, span[L]{values[0], values[n-1], n})
		values = values[n:]
	}
	return spans
}

// chooseSpans divides sorted values, at least one, into spans, and joins neighbours so
// that bins for the spans take the fewest bits, including the bits of the bins
// themselves. It also returns the number of these bits, times 2^16. It computes with
// integers, so that the choice is the same on every machine.
func chooseSpans[L latent](values []L, log int) ([]span[L], int64) {
	spans := divide(values, log)
	w := width[L]()
	binCost := int64(maxTableLog+w+uint(bits.Len(w))) << 16
	total := log2(len(values))

	// least[j] is the cost of the first j spans. The last of them are joined, from span
	// first[j] on.
	least := make([]int64, len(spans)+1)
	first := make([]int, len(spans)+1)
	for j := 1; j <= len(spans); j++ {
		upper, count := spans[j-1].upper, 0
		least[j] = math.MaxInt64
		for i := j - 1; i >= 0; i-- {
			count += spans[i].count
			offset := int64(bits.Len64(uint64(upper-spans[i].lower))) << 16
			cost := least[i] + binCost + int64(count)*(offset+total-log2(count))
			if cost < least[j] {
				least[j], first[j] = cost, i
			}
		}
	}

	var joined []span[L]
	for j := len(spans); j > 0; j = first[j] {
		s := span[L]{lower: spans[first[j]].lower, upper: spans[j-1].upper}
		for _, part := range spans[first[j]:j] {
			s.count += part.count
		}
		joined = append(joined, s)
	}
	slices.Reverse(joined)
	return joined, least[len(spans)]
}

// log2 returns the binary logarithm of n > 0 times 2^16, to a hundredth.
func log2(n int) int64 {
	whole := bits.Len(uint(n)) - 1
	f := int64(n)<<16>>whole - 1<<16 // log2(1+f) is about f + 0.3437*f*(1-f)
	return int64(whole)<<16 + f + 22525*(f*(1<<16-f)>>16)>>16
}

// maxTableLog is the binary logarithm of the largest tANS table that is written. Larger
// tables hardly save anything, and do not fit into the fastest cache.
const maxTableLog = 12

// makeBins makes bins of spans, and chooses the size of the tANS table, of which log is
// the binary logarithm. The weights of the bins add up to this size.
func makeBins[L latent](spans []span[L]) (made []bin[L], log uint) {
	if len(spans) > 1 {
		log = min(uint(bits.Len(uint(len(spans)-1)))+4, maxTableLog)
	}
	total := 0
	for _, s := range spans {
		total += s.count
	}
	made = make([]bin[L], len(spans))
	ideal := make([]float64, len(spans))
	missing := 1 << log
	for i, s := range spans {
		ideal[i] = float64(s.count) * float64(int(1)<<log) / float64(total)
		weight := max(1, int(ideal[i]))
		missing -= weight
		made[i] = bin[L]{
			lower:  s.lower,
			weight: uint16(weight),
			width:  uint8(bits.Len64(uint64(s.upper - s.lower))),
		}
	}
	for ; missing != 0; missing -= settle(made, ideal, missing > 0) {
	}
	return made, log
}

// settle adds 1 to the weight that is furthest below its ideal, or subtracts 1 from the
// weight that is furthest above it, but leaves at least 1. It returns the change.
func settle[L latent](made []bin[L], ideal []float64, add bool) int {
	best, most := 0, -1.0
	for i, b := range made {
		weight := float64(b.weight)
		if ratio := ideal[i] / weight; add && ratio > most {
			best, most = i, ratio
		} else if !add && b.weight > 1 && 1/ratio > most {
			best, most = i, 1/ratio
		}
	}
	if add {
		made[best].weight++
		return 1
	}
	made[best].weight--
	return -1
}
