package zstd

import "math/bits"

// maxSymbols is the most symbols of the codes of a sequence, and of the weights of a
// Huffman code.
const (
	maxSymbols   = 53
	maxTableLog  = 9
	minTableLog  = 5
	maxTableSize = 1 << maxTableLog
)

// fseTable encodes symbols by their frequency with a finite state entropy coder (RFC
// 8878, section 4.1). A state is a number of log bits, to which the size of the table
// is added.
type fseTable struct {
	log     uint8
	symbols int // one more than the last symbol
	// norm is the number of states of each symbol; the sum is 1<<log. A symbol of -1
	// has one state, among the last states of the table.
	norm [maxSymbols]int16
	// steps and next tell which state follows a state.
	steps [64]fseStep
	next  [maxTableSize]uint16
}

// fseStep tells how to encode a symbol: write the (state + bits) >> 16 low bits of the
// state; the rest, plus find, is the index of the next state.
type fseStep struct {
	bits uint32
	find int32
}

// first returns the state that encodes a symbol at no cost.
func (t *fseTable) first(symbol uint8) uint32 {
	s := t.steps[symbol]
	n := (s.bits + 1<<15) >> 16
	return uint32(t.next[int32((n<<16-s.bits)>>n)+s.find])
}

// single makes the table of a single symbol, which takes no bits.
func (t *fseTable) single(symbol uint8) {
	t.log, t.symbols = 0, int(symbol)+1
	t.norm = [maxSymbols]int16{}
	t.norm[symbol] = 1
	t.steps[symbol] = fseStep{}
	t.next[0] = 0
}

// build makes the table. norm, log and symbols are set already.
func (t *fseTable) build() {
	size := 1 << t.log
	var (
		spread [maxTableSize]uint8
		start  [maxSymbols + 1]uint16
	)
	spreadSymbols(spread[:size], t.norm[:t.symbols])
	for s, n := range t.norm[:t.symbols] {
		start[s+1] = start[s] + uint16(max(n, -n))
	}
	place := start
	for state, s := range spread[:size] {
		t.next[place[s]] = uint16(size + state)
		place[s]++
	}
	for s, n := range t.norm[:t.symbols] {
		switch n {
		case 0:
			// Never encoded.
		case 1, -1:
			t.steps[s] = fseStep{bits: uint32(t.log)<<16 - uint32(size), find: int32(start[s]) - 1}
		default:
			most := uint32(t.log) - uint32(bits.Len16(uint16(n-1))) + 1
			t.steps[s] = fseStep{bits: most<<16 - uint32(n)<<most, find: int32(start[s]) - int32(n)}
		}
	}
}

// spreadSymbols sets the symbol of each state of a table. norm is the number of states
// of each symbol (RFC 8878, section 4.1.1).
func spreadSymbols(spread []uint8, norm []int16) {
	last := len(spread) - 1
	for s, n := range norm {
		if n < 0 {
			spread[last] = uint8(s)
			last--
		}
	}
	at, step, mask := 0, len(spread)>>1+len(spread)>>3+3, len(spread)-1
	for s, n := range norm {
		for range n {
			spread[at&mask] = uint8(s)
			for at = (at + step) & mask; at > last; {
				at = (at + step) & mask
			}
		}
	}
}

// normalize sets log and norm from the frequencies of symbols, at least two of which
// are not zero. The table has at most 1<<most states.
func (t *fseTable) normalize(counts []uint32, most uint8) {
	total := uint32(0)
	t.symbols = 0
	for s, n := range counts {
		total += n
		if n > 0 {
			t.symbols = s + 1
		}
	}
	// A table has a quarter as many states as symbols to encode, but at least as many
	// as different symbols.
	log := max(bits.Len32(total-1)-3, min(bits.Len32(total), bits.Len(uint(t.symbols-1))+1))
	t.log = uint8(min(max(log, minTableLog), int(most)))
	size := uint64(1) << t.log

	t.norm = [maxSymbols]int16{}
	left := int(size)
	for s, n := range counts[:t.symbols] {
		if n > 0 {
			t.norm[s] = int16(max(1, (uint64(n)*size+uint64(total)/2)/uint64(total)))
			left -= int(t.norm[s])
		}
	}
	for ; left > 0; left-- {
		t.norm[t.best(counts, 1)]++
	}
	for ; left < 0; left++ {
		t.norm[t.best(counts, -1)]--
	}
}

// best returns the symbol that gains most from one more state, or loses least from one
// fewer; change is 1 or -1.
func (t *fseTable) best(counts []uint32, change int) int {
	best, bestCount, bestStates := -1, uint64(0), uint64(1)
	for s, n := range t.norm[:t.symbols] {
		if n == 0 || n == 1 && change < 0 {
			continue
		}
		// The derivative of the cost, half way between both numbers of states.
		count, states := uint64(counts[s]), uint64(2*int(n)+change)
		if better := count*bestStates > bestCount*states; best < 0 || better == (change > 0) {
			best, bestCount, bestStates = s, count, states
		}
	}
	return best
}

// appendHeader appends norm in the form of a frame (RFC 8878, section 4.1.1).
func (t *fseTable) appendHeader(dst []byte) []byte {
	w := bitWriter{out: dst}
	w.put(uint64(t.log-minTableLog), 4)
	remaining, threshold, width := 1<<t.log+1, 1<<t.log, uint(t.log)+1
	for s := 0; remaining > 1; {
		n := int(t.norm[s])
		s++
		remaining -= max(n, -n)
		low := 2*threshold - 1 - remaining - max(n, -n) // values below low take one bit less
		value := n + 1
		if value >= threshold {
			value += low
		}
		if value < low {
			w.put(uint64(value), width-1)
		} else {
			w.put(uint64(value), width)
		}
		if n == 0 {
			zeros := 0
			for ; t.norm[s] == 0; s++ {
				zeros++
			}
			for ; zeros >= 3; zeros -= 3 {
				w.put(3, 2)
			}
			w.put(uint64(zeros), 2)
		}
		for remaining < threshold {
			width--
			threshold >>= 1
		}
	}
	return w.flush()
}

// cost returns the number of bits that symbols of these frequencies take with the
// table, times 256. ok tells whether the table has all of these symbols.
func (t *fseTable) cost(counts []uint32) (sum uint64, ok bool) {
	for s, n := range counts {
		if n == 0 {
			continue
		}
		if s >= t.symbols || t.norm[s] == 0 {
			return 0, false
		}
		sum += uint64(n) * (uint64(t.log)<<8 - log256[max(1, t.norm[s])])
	}
	return sum, true
}

// log256 is the logarithm to base 2 of numbers of states, times 256, in integers, which
// are the same on every processor.
var log256 = logarithms()

func logarithms() (table [maxTableSize + 1]uint64) {
	for i := 1; i < len(table); i++ {
		whole := bits.Len(uint(i)) - 1
		x := uint64(i) << (31 - whole)
		table[i] = uint64(whole)
		for range 8 {
			x = x * x >> 31
			table[i] = table[i]<<1 | x>>32
			x >>= x >> 32
		}
	}
	return table
}
