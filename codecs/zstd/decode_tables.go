package zstd

import (
	"errors"
	"fmt"
	"math/bits"
)

// entry is the entry for a state in a table for decoding:
//
//	bits  0…7   number of all bits to read
//	bits  8…15  number of bits to read for the next state
//	bits 16…23  number of bits that follow the code
//	bits 24…39  next state, to which the bits for the next state are added
//	bits 40…63  length, to which the bits that follow the code are added; zero for offsets
//
// In a sum of three entries, the two lowest fields hold the sums of these fields.
type entry uint64

func (e entry) total() int     { return int(e & 0xff) }
func (e entry) stateBits() int { return int(e >> 8 & 0xff) }
func (e entry) extra() int     { return int(e >> 16 & 0xff) }
func (e entry) next() int      { return int(e >> 24 & 0xffff) }
func (e entry) base() int      { return int(e >> 40) }

// decodeTable has an entry for each state.
type decodeTable [maxTableSize]entry

// maxCodes is more than the number of codes of any kind.
const maxCodes = 64

// decodeKind describes a kind of codes to the decoder.
type decodeKind struct {
	most    uint8           // the largest log of a table
	codes   int             // number of codes
	symbols [maxCodes]entry // entry of each code, without the fields that depend on the state
	// predefined is the table that need not be in a block.
	predefined    decodeTable
	predefinedLog uint8
}

var decodeKinds = newDecodeKinds()

func newDecodeKinds() (kinds [codeKinds]decodeKind) {
	const maxOffsetCode = 30
	offsetWidths := make([]uint8, maxOffsetCode+1)
	for i := range offsetWidths {
		offsetWidths[i] = uint8(i)
	}
	encoding := newCodeKinds()
	for i, widths := range [codeKinds][]uint8{literalWidths, offsetWidths, matchWidths} {
		base := 0
		if i == matchLengths {
			base = minMatch
		}
		k := &kinds[i]
		k.codes = len(widths)
		for code, width := range widths {
			e := entry(width)<<16 | entry(base)<<40
			if i == offsets {
				e = entry(width) << 16
			}
			k.symbols[code] = e
			base += 1 << width
		}
		t := &encoding[i].predefined
		k.most, k.predefinedLog = encoding[i].most, t.log
		k.predefined.build(k, t.norm[:t.symbols], t.log)
	}
	return kinds
}

// single makes a table with a single code.
func (t *decodeTable) single(k *decodeKind, code uint8) error {
	if int(code) >= k.codes {
		return fmt.Errorf("zstd: the code %d, at most %d", code, k.codes-1)
	}
	e := k.symbols[code]
	t[0] = e | entry(e.extra())
	return nil
}

// build makes the table of 1<<log states. norm is the number of states of each code
// (RFC 8878, section 4.1.1).
func (t *decodeTable) build(k *decodeKind, norm []int16, log uint8) {
	var (
		spread [maxTableSize]uint8
		count  [maxCodes]uint16
	)
	for s, n := range norm {
		count[s] = uint16(max(n, -n))
	}
	states := spread[:1<<log]
	spreadSymbols(states, norm)
	for i, s := range states {
		s %= maxCodes
		n := uint(count[s])
		count[s]++
		width := uint(log) + 1 - uint(bits.Len(n))
		e := k.symbols[s]
		t[i] = e | entry(width+uint(e.extra())) | entry(width)<<8 | entry(n<<(width&15)-uint(len(states)))<<24
	}
}

// readTable reads the number of states of each code of a kind (RFC 8878, section
// 4.1.1), and makes the table. It returns the log of the table and the number of bytes
// read.
func (t *decodeTable) readTable(k *decodeKind, b []byte) (log uint8, length int, err error) {
	var norm [maxSymbols]int16
	at := 0 // in bits
	peek := func() int {
		from := min(at>>3, len(b))
		return int(littleEndian(b[from:min(from+8, len(b))])>>(at&7)) & (1<<16 - 1)
	}
	log = uint8(peek()&15) + minTableLog
	if log > k.most {
		return 0, 0, fmt.Errorf("zstd: a table of 2^%d states, at most 2^%d", log, k.most)
	}
	at += 4
	code, different := 0, 0
	for left := 1 << log; left > 0; { // states
		if code >= k.codes {
			return 0, 0, fmt.Errorf("zstd: a table for more than %d codes", k.codes)
		}
		// Values up to left+1 take width bits. The lowest values take one bit less.
		width := bits.Len(uint(left + 1))
		less := 1<<width - 2 - left
		value := peek() & (1<<width - 1)
		at += width
		if low := value & (1<<(width-1) - 1); low < less {
			value = low
			at--
		} else if value >= 1<<(width-1) {
			value -= less
		}
		n := value - 1
		norm[code] = int16(n)
		code++
		left -= max(n, -n)
		if n != 0 {
			different++
			continue
		}
		for more := 3; more == 3 && code <= k.codes; { // further codes without states
			more = peek() & 3
			at += 2
			code += more
		}
	}
	switch {
	case at > 8*len(b):
		return 0, 0, errShort
	case different < 2:
		return 0, 0, errors.New("zstd: a table of one code")
	}
	t.build(k, norm[:code], log)
	return log, (at + 7) >> 3, nil
}
