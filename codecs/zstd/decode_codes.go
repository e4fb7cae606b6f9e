package zstd

import (
	"errors"
	"math/bits"
)

// literalEntry tells what the next bits of a stream of literals stand for:
//
//	bits  0…7   number of bits of the codes
//	bits  8…15  number of literals, 1 or 2
//	bits 16…23  the first literal
//	bits 24…31  the second literal, if there is one
//
// The sum of the entry of a code alone and of such an entry with the code as second literal and
// without a first one is the entry of both codes.
type literalEntry uint32

func (e literalEntry) bits() uint      { return uint(e & 0xff) }
func (e literalEntry) literals() int   { return int(e >> 8 & 0xff) }
func (e literalEntry) first() byte     { return byte(e >> 16) }
func (e literalEntry) symbols() uint16 { return uint16(e >> 16) }

const oneLiteral = 1 << 8

// literalTable has an entry for the next maxCodeBits bits, whatever they are.
type literalTable [1 << maxCodeBits]literalEntry

// literalDecoder are the Huffman codes of literals, for decoding (RFC 8878, section 4.2.1).
type literalDecoder struct {
	weights   [256]uint8           // of each symbol: one more than the bits by which its code is shorter than the longest; 0: no code
	symbols   int                  // number of weights
	longest   uint8                // the length of the longest code
	perLength [maxCodeBits + 1]int // number of codes of each length
	longer    [maxCodeBits + 1]int // of the values of the next maxCodeBits bits, how many begin with a longer code than this
	order     [256]uint8           // symbols with codes, the longest codes first

	table literalTable
	made  bool // the table is that of the codes
	pairs bool // it has entries of two literals

	seconds literalTable // room for pair
}

// errWeights reports that the codes of literals cannot be read.
var errWeights = errors.New("zstd: the codes of literals are damaged")

// weightKind describes the codes of weights to the decoder.
var weightKind = newWeightKind()

func newWeightKind() (k decodeKind) {
	k.most, k.codes = 6, maxSymbols // there are fewer, but the table may name others
	for weight := range k.codes {
		k.symbols[weight] = entry(weight) << 40
	}
	return k
}

// readCodes reads the weights that are at the beginning of src[at:end], and returns their end.
func (f *frameDecoder) readCodes(at, end int) (next int, err error) {
	c := &f.codes
	if at == end {
		return 0, errWeights
	}
	head := int(f.src[at])
	at++
	if head < 128 {
		next = at + head
		if next > end {
			return 0, errWeights
		}
		c.symbols, err = f.readWeights(at, next)
	} else {
		c.symbols = head - 127
		next = at + (c.symbols+1)/2
		if next > end {
			return 0, errWeights
		}
		for i := range c.symbols {
			c.weights[i] = f.src[at+i/2] >> (4 * (^i & 1)) & 15
		}
	}
	if err == nil {
		err = c.complete()
	}
	return next, err
}

// readWeights reads weights that are encoded with two states in turn, and returns how many.
func (f *frameDecoder) readWeights(at, end int) (n int, err error) {
	t := &f.weightTable
	log, length, err := t.readTable(&weightKind, f.src[at:end])
	if err != nil {
		return 0, errWeights
	}
	at += length
	if at == end || f.src[end-1] == 0 {
		return 0, errWeights
	}
	first, bit := 8*at, 8*(end-1)+bits.Len8(f.src[end-1])-1
	take := func(n int) int {
		bit -= n
		// A frame's header and others come before the stream, and have more than eight bytes.
		return int(load64(f.src, (bit+n+7)>>3-8) << (-(bit + n) & 7) >> (64 - n))
	}
	states := [2]int{take(int(log)), 0}
	states[1] = take(int(log))
	if bit < first {
		return 0, errWeights
	}
	for n = 0; ; n++ {
		if n+1 >= len(f.codes.weights)-1 {
			return 0, errWeights
		}
		state := &states[n&1]
		e := t[*state]
		f.codes.weights[n] = uint8(e.base())
		if bit == first && e.stateBits() > 0 {
			f.codes.weights[n+1] = uint8(t[states[^n&1]].base())
			return n + 2, nil
		}
		*state = e.next() + take(e.stateBits())
		if bit < first {
			return 0, errWeights
		}
	}
}

// complete adds the last weight, which follows from the others, and finds the lengths of codes.
func (c *literalDecoder) complete() error {
	var perWeight [maxCodeBits + 1]int
	room := 0 // that the codes take, in codes of the longest length
	for _, w := range c.weights[:c.symbols] {
		if w > maxCodeBits {
			return errWeights
		}
		perWeight[w]++
		room += 1 << w >> 1
	}
	c.longest = uint8(bits.Len(uint(room)))
	left := 1<<c.longest - room
	if room == 0 || c.longest > maxCodeBits || left&(left-1) != 0 {
		return errWeights
	}
	last := bits.Len(uint(left))
	c.weights[c.symbols] = uint8(last)
	c.symbols++
	perWeight[last]++
	if perWeight[1] < 2 || perWeight[1]&1 != 0 {
		return errWeights
	}
	c.sort(&perWeight)
	c.made = false
	return nil
}

// sort finds the lengths and the order of codes. perWeight is the number of codes of each weight.
func (c *literalDecoder) sort(perWeight *[maxCodeBits + 1]int) {
	c.perLength = [maxCodeBits + 1]int{}
	var next [16]uint8 // by weight
	at, values := 0, 0
	for w := 1; w <= int(c.longest); w++ {
		length := int(c.longest) + 1 - w
		next[w] = uint8(at)
		at += perWeight[w]
		c.perLength[length] = perWeight[w]
		c.longer[length] = values
		values += perWeight[w] << (maxCodeBits - length)
	}
	for length := range c.longer {
		if length > int(c.longest) {
			c.longer[length] = 0
		}
	}
	c.longer[0] = values
	next[0] = uint8(at) // symbols without codes are behind the others
	for s, w := range c.weights[:c.symbols] {
		c.order[next[w&15]] = uint8(s)
		next[w&15]++
	}
}

// length returns the length of the code of a symbol that has one.
func (c *literalDecoder) length(symbol byte) int { return int(c.longest) + 1 - int(c.weights[symbol]) }

// prepare makes the table of single codes, unless there is one already.
func (c *literalDecoder) prepare() {
	if !c.made {
		c.single()
		c.made, c.pairs = true, false
	}
}

// saved returns how many lookups entries of two literals would have saved for some literals.
func (c *literalDecoder) saved(literals []byte) (n int) {
	before := maxCodeBits // bits of an entry that has one literal; all of them if there is none
	for _, s := range literals {
		length := c.length(s)
		if before += length; before <= maxCodeBits {
			n++
			before = maxCodeBits
		} else {
			before = length
		}
	}
	return n
}

// single makes entries of single codes. The longest codes come first, and codes of the same length in
// the order of their symbols.
func (c *literalDecoder) single() {
	list, order := c.table[:], c.order[:]
	for length := c.longest; length > 0; length-- {
		symbols := order[:c.perLength[length&15]]
		order = order[len(symbols):]
		e := literalEntry(length) | oneLiteral
		switch n := 1 << (maxCodeBits - length); n {
		case 1:
			for i, s := range symbols {
				list[i] = e | literalEntry(s)<<16
			}
			list = list[len(symbols):]
		case 2:
			for _, s := range symbols {
				to, one := (*[2]literalEntry)(list), e|literalEntry(s)<<16
				to[0], to[1] = one, one
				list = list[len(to):]
			}
		case 4:
			for _, s := range symbols {
				to, one := (*[4]literalEntry)(list), e|literalEntry(s)<<16
				to[0], to[1], to[2], to[3] = one, one, one, one
				list = list[len(to):]
			}
		default:
			for _, s := range symbols {
				to, one := (*[8]literalEntry)(list), e|literalEntry(s)<<16
				to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7] = one, one, one, one, one, one, one, one
				for k := len(to); k < n; k *= 2 {
					copy(list[k:n], list[:k])
				}
				list = list[n:]
			}
		}
	}
}

// pair makes entries of two literals of those of single ones, where both codes fit in.
func (c *literalDecoder) pair() {
	c.pairs = true
	shortest := 1
	for c.perLength[shortest] == 0 {
		shortest++
	}
	// For k bits behind a first code, there are 1<<k entries of a second one after 1<<k other entries.
	// Codes that do not fit in come first, and their entries are zero.
	most := 1 << (maxCodeBits - shortest) // entries
	for i, to := c.longer[maxCodeBits-shortest]>>shortest, c.seconds[most:][:most]; i < most; i++ {
		e := c.table[i<<shortest&(1<<maxCodeBits-1)]
		to[i] = e&0xffff | e>>16<<24
	}
	clear(c.seconds[most:][:c.longer[maxCodeBits-shortest]>>shortest])
	for length := shortest + 1; length <= maxCodeBits-shortest; length++ {
		n := 1 << (maxCodeBits - length)
		from, to := c.seconds[2*n:][:2*n], c.seconds[n:][:n]
		alone := c.longer[maxCodeBits-length] >> length
		clear(to[:alone])
		for i := alone; i < len(to); i++ {
			to[i] = from[2*i]
		}
	}
	list := c.table[c.longer[maxCodeBits-shortest]:]
	for length := maxCodeBits - shortest; length > 0; length-- {
		n := 1 << (maxCodeBits - length)
		alone := c.longer[maxCodeBits-length] >> length
		for range c.perLength[length] {
			addEntry(list[alone:n], c.seconds[n+alone:][:n-alone], list[0])
			list = list[n:]
		}
	}
}

// addEntry writes the sums of e and entries to list, which is as long as entries.
func addEntry(list, entries []literalEntry, e literalEntry) {
	for len(list) >= 4 && len(entries) >= 4 {
		to, from := (*[4]literalEntry)(list), (*[4]literalEntry)(entries)
		to[0], to[1], to[2], to[3] = from[0]+e, from[1]+e, from[2]+e, from[3]+e
		list, entries = list[4:], entries[4:]
	}
	for i, other := range entries {
		list[i] = other + e
	}
}
