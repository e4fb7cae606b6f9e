package zstd

import (
	"math/bits"
	"slices"
)

// The sample of a block from which its layout is judged.
const (
	sampleParts = 16
	samplePart  = 64                       // bytes
	sampleTotal = sampleParts * samplePart // so few that eight bits hold an eighth of them
)

// findLayout tells whether a block seems to hold numbers of 2, 4 or 8 bytes, and how to
// look for copies in it. In such a block, bytes differ less from the bytes one number
// before than from the bytes between. It judges by a sample. Without numbers, only related
// and script mean something.
func findLayout(block []byte) (l layout, ok bool) {
	if len(block) < 2*sampleTotal {
		return layout{}, false
	}
	distances := [...]int{1, 2, 3, 4, 8}
	var (
		counts unequalBytes
		same   uint64 // eight bytes that repeat, and how often their repetitions are to be counted
		often  uint64
	)
	for part := range sampleParts {
		at := 8 + (len(block)-8-samplePart)/sampleParts*part&^7
		stretch := block[at-8 : at+samplePart]
		for i := 8; i+8 <= len(stretch); i += 8 {
			v, before := peek64(stretch, i), peek64(stretch, i-8)
			switch {
			case v != before:
				counts.add(v, before, 1)
			case v == same:
				often++
			default:
				counts.add(same, same, often)
				same, often = v, 1
			}
		}
	}
	counts.add(same, same, often)
	var differ [9][8]int // by distance and position
	for _, d := range distances {
		for i := range differ[d] {
			differ[d][i] = int(counts[d] >> (8 * i) & 0xff)
		}
	}
	for _, size := range []int{2, 4, 8} {
		least := sampleTotal
		for _, d := range distances {
			if d < size {
				least = min(least, sum(differ[d][:]))
			}
		}
		if n := sum(differ[size][:]); n > sampleTotal/7 && 10*n <= 9*least {
			l, ok = layoutOf(size, &differ[size])
			if l.size == 4 && l.wide && !l.whole {
				l.whole = repeatNearby(block)
			}
			return l, ok
		}
	}
	eight := sum(differ[8][:])
	if eight > sampleTotal*7/16 {
		l.script = scriptOf(block)
		if l.script != noText {
			return l, false
		}
		if repeat, sparse := wordsRepeat(block); repeat {
			return layout{size: 4, step: 4, width: 4, wide: true, whole: true, sparse: sparse}, true
		}
		return l, false
	}
	return layout{related: eight > sampleTotal/8}, false
}

// wordsRepeat tells by a sample whether words of four bytes repeat, and do so because they are numbers: words that begin
// between two of them repeat more rarely. All bytes may differ from those one number before. Where many numbers are zero,
// words between two numbers often repeat as well, because they are half of a number and two zero bytes. So words with a half
// of two zero bytes are left out. If the other words show numbers, the block is sparse. In machine code, few words are left.
func wordsRepeat(block []byte) (repeat, sparse bool) {
	n := repeatedWords(block, 0, false)
	if n < leastRepeated {
		return false, false
	}
	between := repeatedWords(block, 2, false)
	if n > 3*between {
		return true, false
	}
	full := repeatedWords(block, 0, true)
	sparse = full > 3*repeatedWords(block, 2, true) && (full >= manyFull || full >= leastFull && 10*n >= 13*between)
	return sparse, sparse
}

// leastRepeated is the fewest repeated words in a sample from which on they are not there by chance. leastFull is the same
// for words without a half of two zero bytes. manyFull is more of these than in the machine code that was tried.
const (
	leastRepeated = 6
	leastFull     = 2 * leastRepeated
	manyFull      = 30
)

// repeatedWords returns how many words of a sample have occurred in it before, but not right before. If full is set, words
// with a half of two zero bytes are left out. The words begin from bytes after multiples of four.
func repeatedWords(block []byte, from int, full bool) (n int) {
	var seen [sampleTotal / 4]uint32
	for part := range sampleParts {
		at := len(block)/sampleParts*part&^3 + from
		before := uint32(0)
		for i := at; i < at+samplePart; i += 4 {
			word := peek32(block, i)
			if !full || word&0xffff != 0 && word>>16 != 0 {
				place := &seen[word*(hash4>>32)>>24]
				if *place == word && word != before {
					n++
				}
				*place = word
			}
			before = word
		}
	}
	return n
}

// repeatNearby tells by a sample whether a third of the numbers of four bytes, or more, equal one of the few numbers
// before them. In a row of equal numbers, those from the third on do not count. Corners of cells are such numbers, because a
// corner belongs to several cells.
func repeatNearby(block []byte) bool {
	n := 0
	for part := range sampleParts {
		at := len(block) / sampleParts * part &^ 3
		var numbers [samplePart / 4]uint32
		for i := range numbers {
			number := peek32(block, at+4*i)
			numbers[i] = number
			inRow := i > 1 && number == numbers[i-1] && number == numbers[i-2]
			if !inRow && slices.Contains(numbers[:i], number) {
				n++
			}
		}
		if n <= part { // as in most floats: that saves time
			return false
		}
	}
	return 3*n >= sampleTotal/4
}

// script tells whether bytes are text, and of which kind.
type script int

const (
	noText  script = iota
	prose          // text of words
	figures        // text with many digits, such as a table
)

// Text has no byte below leastInText. It has many digits if one byte of digitShare is a digit.
const (
	leastInText = '\t'
	digitShare  = 6
)

// scriptOf tells by a sample whether a block is text, and of which kind. The block has sampleTotal bytes or more.
func scriptOf(block []byte) script {
	digits := 0
	for part := range sampleParts {
		at := len(block) / sampleParts * part
		for i := at; i < at+samplePart; i += 8 {
			v := peek64(block, i)
			if bytesBelow(v, leastInText) > 0 {
				return noText
			}
			digits += bytesBelow(v^'0'*eachByte, '9'-'0'+1)
		}
	}
	if digits*digitShare < sampleTotal {
		return prose
	}
	return figures
}

// A block wavers if one byte in waverShare, or more, differs by at most reach from the byte before. By chance, one in
// eight does.
const (
	waverShare = 4
	reach      = 16
)

// wavers tells by a sample whether bytes are near those before them. It is so in the upper bytes of a mantissa in
// shuffled floats. Copies are rare and short there, and are found only if few positions are skipped.
func wavers(block []byte) bool {
	if len(block) < 2*sampleTotal {
		return false
	}
	near := 0
	for part := range sampleParts {
		at := 8 + (len(block)-8)/sampleParts*part
		for i := at; i < at+samplePart; i += 8 {
			near += nearBytes(peek64(block, i), peek64(block, i-1))
		}
	}
	return near*waverShare > sampleTotal
}

// nearBytes returns how many of eight bytes differ by at most reach.
func nearBytes(a, b uint64) int {
	const high = 0x80 * eachByte
	d := ((a | high) - b&^high) ^ (a^^b)&high // the differences
	d = (d&^high + reach*eachByte) ^ d&high
	return bytesBelow(d, 2*reach+1)
}

// eachByte has a one in each of eight bytes.
const eachByte = 0x0101010101010101

// bytesBelow returns how many of eight bytes are less than a limit of at most 128.
func bytesBelow(v uint64, limit byte) int {
	const low = 0x7f * eachByte
	atLeast := v&low + uint64(0x80-limit)*eachByte | v
	return bits.OnesCount64(^atLeast & (0x80 * eachByte))
}

// layoutOf returns the layout of numbers of the given size. differ tells, for each
// position of eight bytes, how often the byte differs from the byte one number before.
// Copies are looked for behind the bytes that differ most. The bytes that follow and
// the whole next number must be equal, as far as width tells; for numbers of eight
// bytes, most bytes of one number. ok is false if they are not to be searched as numbers.
func layoutOf(size int, differ *[8]int) (l layout, ok bool) {
	for i := size; i < len(differ); i++ {
		differ[i%size] += differ[i]
	}
	most, share := slices.Max(differ[:size]), 9
	if size == 8 {
		// In decimals, nearly all bytes of the fraction differ nearly always, and the last one of them,
		// behind which copies begin, less often.
		share = 5
	}
	phase, drop := 0, -1
	for i, n := range differ[:size] {
		before := differ[(i+size-1)%size]
		if 10*before >= share*most && before-n > drop {
			phase, drop = i, before-n
		}
	}
	step := min(size, 4)
	if size == 8 && nearby(differ) {
		return layout{related: most > sampleTotal/size*7/8}, false
	}
	l = layout{size: size, step: step, phase: phase % step, width: 5}
	switch size {
	case 2:
		n := sampleTotal / size
		l.whole = 10*most < 9*n && 5*most >= 4*sum(differ[:size])
		l.wide = l.whole
		l.steady = 5*most < 3*n
	case 4:
		l.width = 6
		l.wide = sum(differ[:size]) >= 2*most
		l.whole = 2*sum(differ[:size]) >= 5*most
	}
	l.single = size == 8 && 2*sum(differ[:]) <= 3*most
	l.varied = size == 8 && sum(differ[:]) > sampleTotal*21/32
	return l, true
}

// nearby is whether numbers of eight bytes repeat from one number before, rather than from anywhere: numbers that are
// often equal, or of which two bytes differ, and now and then a third. So do categories, times and sorted numbers. In
// numbers by chance, the third byte differs never or often. differ is as in layoutOf. The search at any position is best
// for them, because it tries copies from one number before first.
func nearby(differ *[8]int) bool {
	const n = sampleTotal / 8
	ranked := *differ
	slices.Sort(ranked[:])
	most, third := ranked[7], sum(ranked[:6])
	return 4*sum(ranked[:]) <= 9*most && (8*most < 7*n || 0 < third && 8*third <= n)
}

// unequalBytes are counts of bytes that differ from those at a distance before them, by the distance:
// eight counts of eight bits.
type unequalBytes [9]uint64

// add counts eight bytes n times, which have as many bytes before them.
func (c *unequalBytes) add(v, before, n uint64) {
	c[1] += n * unequal(v, v<<8|before>>56)
	c[2] += n * unequal(v, v<<16|before>>48)
	c[3] += n * unequal(v, v<<24|before>>40)
	c[4] += n * unequal(v, v<<32|before>>32)
	c[8] += n * unequal(v, before)
}

// unequal returns a one in each byte that differs between a and b.
func unequal(a, b uint64) uint64 {
	const low = 0x7f * eachByte
	x := a ^ b
	return (x&low + low | x) >> 7 & eachByte
}

func sum(list []int) (total int) {
	for _, n := range list {
		total += n
	}
	return total
}
