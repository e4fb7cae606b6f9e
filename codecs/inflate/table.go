package inflate

// entry is an entry of a table, which is indexed by the next bits. For a symbol it has:
//
//	bits 0…7    number of bits of the code and of further bits
//	bits 8…11   number of bits of the code
//	bits 16…30  the byte, or the least length or distance
//	bit 31      it is a byte
//
// For a code that is longer than the table's width, second is set. Bits 0…3 are the
// width of the second table, and bits 16…30 its beginning.
type entry uint32

const (
	isByte  entry = 1 << 31
	special entry = 1 << 15 // one of the following entries
	second  entry = 1<<14 | special
	end     entry = 1<<13 | special // the end of the block
	invalid entry = 1<<12 | special // no code begins like this
)

// Widths of the tables, and the most entries of a table with all of its second tables,
// as zlib's enough.c computes them for codes of at most 15 bits.
const (
	literalBits   = 11
	distanceBits  = 8
	codeBits      = 7
	literalTable  = 2342
	distanceTable = 402
)

// literalEntry returns the entry of a literal, of the end of a block or of a length,
// whose code has n bits.
func literalEntry(symbol int, n uint) entry {
	switch {
	case symbol < 256:
		return isByte | entry(symbol)<<16 | entry(n)<<8 | entry(n)
	case symbol == 256:
		return end | entry(n)
	case symbol > 285:
		return invalid
	case symbol == 285:
		return value(258, n, 0)
	case symbol < 265:
		return value(symbol-257+3, n, 0)
	default:
		extra := uint(symbol-261) / 4
		return value((4+(symbol-261)%4)<<extra+3, n, extra)
	}
}

// distanceEntry returns the entry of a distance.
func distanceEntry(symbol int, n uint) entry {
	switch {
	case symbol > 29:
		return invalid
	case symbol < 4:
		return value(symbol+1, n, 0)
	default:
		extra := uint(symbol-2) / 2
		return value((2+symbol%2)<<extra+1, n, extra)
	}
}

// codeEntry returns the entry of a length of a code.
func codeEntry(symbol int, n uint) entry { return value(symbol, n, 0) }

func value(least int, n, extra uint) entry {
	return entry(least)<<16 | entry(n)<<8 | entry(n+extra)
}

// makeTable makes the table of a code from the lengths of all symbols. The table has
// 1<<width entries, and the second tables behind them. makeTable returns false if the
// lengths make no code, because there are too many short codes, or too few codes. Two
// incomplete codes are allowed: a single code of one bit, and no code at all, which
// cannot be used.
func makeTable(table []entry, width uint, lengths []uint8, of func(symbol int, n uint) entry) bool {
	var count, first [17]uint32
	longest := uint(0)
	for _, n := range lengths {
		if n > 0 {
			count[n]++
			longest = max(longest, uint(n))
		}
	}
	code, left := uint32(0), int32(1)
	for n := 1; n <= 15; n++ {
		left = left<<1 - int32(count[n])
		if left < 0 {
			return false
		}
		first[n] = code
		code = (code + count[n]) << 1
	}
	if left > 0 {
		if longest > 1 {
			return false
		}
		for i := range table[:1<<width] {
			table[i] = invalid
		}
	}
	var sorted [288]uint16 // symbols by their lengths, then by their numbers
	var at [17]uint32
	for n := 1; n < 16; n++ {
		at[n+1] = at[n] + count[n]
	}
	total := at[16]
	for symbol, n := range lengths {
		if n > 0 {
			sorted[at[n]] = uint16(symbol)
			at[n]++
		}
	}
	next := uint32(1) << width // beginning of the next second table
	start, prefix, bits := uint32(0), uint32(1)<<31, uint(0)
	for i, symbol := range sorted[:total] {
		n := uint(lengths[symbol])
		reversed := reverse(first[n], n)
		first[n]++
		e := of(int(symbol), n)
		if n <= width {
			for k := reversed; k < 1<<width; k += 1 << n {
				table[k] = e
			}
			continue
		}
		if low := reversed & (1<<width - 1); low != prefix {
			prefix, start = low, next
			bits = secondBits(count[:], n, width, remaining(sorted[i:total], lengths, n))
			table[low] = second | entry(start)<<16 | entry(bits)
			next += 1 << bits
		}
		for k := reversed >> width; k < 1<<bits; k += 1 << (n - width) {
			table[start+k] = e
		}
	}
	return true
}

// remaining returns the number of symbols with codes of n bits at the beginning of a
// list that is sorted by lengths.
func remaining(sorted []uint16, lengths []uint8, n uint) uint32 {
	k := uint32(0)
	for _, symbol := range sorted {
		if uint(lengths[symbol]) != n {
			break
		}
		k++
	}
	return k
}

// secondBits returns the width of the second table that begins with a code of n bits. left
// is the number of codes of n bits that have no place in a table yet. The width is the
// least with which the codes of one prefix fill the second table.
func secondBits(count []uint32, n, width uint, left uint32) uint {
	bits := n - width
	for room := int64(1) << bits; ; bits++ {
		room -= int64(left)
		if room <= 0 || bits+width >= 15 {
			return bits
		}
		room <<= 1
		left = count[bits+width+1]
	}
}
