package zstd

import (
	"bytes"
	"encoding/binary"
	"slices"
)

const (
	maxBlock     = 128 << 10 // bytes of content in a block
	maxSequences = maxBlock / minMatch

	// streamRoom is the most bytes of a compressed block while it is made, before the
	// encoder sees that it is larger than its content.
	streamRoom = maxBlock + 8*maxSequences

	blockHeader = 3 // bytes
)

// Types of blocks (RFC 8878, section 3.1.1.2.2).
const (
	blockRaw = iota
	blockRLE
	blockCompressed
)

// Types of literals (RFC 8878, section 3.1.1.3.1.1).
const (
	literalsRaw = iota
	literalsRLE
	literalsCompressed
	literalsTreeless
)

// tables are the tables that a block can take over from the block before.
type tables struct {
	history history
	huffman huffmanTable
	codes   [codeKinds]fseTable
	repeat  [codeKinds]bool // codes can be used again
}

// blockEncoder writes blocks. Besides tables, its fields are only memory to work with.
type blockEncoder struct {
	tables *tables
	trial  *tables // tables of the block that is being made

	kinds   [codeKinds]codeKind
	leaves  huffmanLeaves
	scratch fseTable
	coded   []coded
	out     []byte

	// What divide works with: the pieces of literals, all of them together, and the parts that it returns.
	parts []part
	whole part
	order []*part
}

// newBlockEncoder returns an encoder that makes so many blocks, at most, of a content of maxBlock bytes.
func newBlockEncoder(parts int) *blockEncoder {
	return &blockEncoder{
		tables: &tables{},
		trial:  &tables{},
		kinds:  newCodeKinds(),
		coded:  make([]coded, maxSequences),
		out:    make([]byte, 0, streamRoom),
		parts:  make([]part, parts),
		order:  make([]*part, parts),
	}
}

// reset forgets the tables of earlier blocks.
func (e *blockEncoder) reset() {
	e.tables.history = history{1, 4, 8}
	e.tables.huffman.valid = false
	e.tables.repeat = [codeKinds]bool{}
}

// appendBlocks appends the blocks of a content to dst: one, or several if its literals change so much
// that tables of their own make them smaller. The content is given as literals and sequences, too.
// appendBlocks changes the sequences.
func (e *blockEncoder) appendBlocks(dst, content, literals []byte, sequences []sequence, last bool) []byte {
	if incompressible(literals) {
		return e.appendBlock(dst, content, literals, nil, sequences, last)
	}
	parts := e.divide(literals)
	for _, p := range parts[:len(parts)-1] {
		k, size := front(sequences, p.size)
		dst = e.appendBlock(dst, content[:size], literals[:p.size], &p.counts, sequences[:k], false)
		content, literals, sequences = content[size:], literals[p.size:], sequences[k:]
	}
	return e.appendBlock(dst, content, literals, &parts[len(parts)-1].counts, sequences, last)
}

// front returns the number of sequences that take the first literals, so many of them, and the number of
// bytes of their content. If a sequence takes literals from both sides of the cut, it keeps those behind.
func front(sequences []sequence, literals int) (n, size int) {
	rest := literals
	for ; n < len(sequences) && int(sequences[n].literals) <= rest; n++ {
		rest -= int(sequences[n].literals)
		size += int(sequences[n].literals + sequences[n].length)
	}
	if n < len(sequences) {
		sequences[n].literals -= uint32(rest)
	}
	return n, size + rest
}

// appendBlock appends a block to dst. Its content is given as literals and sequences, too. counts has
// the frequencies of the literals. It is nil for literals that are not worth a code.
func (e *blockEncoder) appendBlock(dst, content, literals []byte, counts *[256]uint32, sequences []sequence, last bool) []byte {
	*e.trial = *e.tables
	out := e.appendLiterals(e.out[:0], literals, counts)
	if len(out) < len(content) {
		out = e.appendSequences(out, sequences)
	}
	if len(out) >= len(content) {
		return append(appendBlockHeader(dst, blockRaw, len(content), last), content...)
	}
	e.tables, e.trial = e.trial, e.tables
	return append(appendBlockHeader(dst, blockCompressed, len(out), last), out...)
}

func appendBlockHeader(dst []byte, kind, size int, last bool) []byte {
	header := size<<3 | kind<<1
	if last {
		header |= 1
	}
	return append(dst, byte(header), byte(header>>8), byte(header>>16))
}

// Fewer literals are not worth a code, or four streams.
const (
	minCoded = 48
	minFour  = 256
)

// appendLiterals appends the literals of a block in the form that takes the fewest
// bytes.
func (e *blockEncoder) appendLiterals(dst, src []byte, counts *[256]uint32) []byte {
	n := len(src)
	if counts == nil {
		return append(appendLiteralsHeader(dst, literalsRaw, n), src...)
	}
	if n > 1 && int(counts[src[0]]) == n {
		return append(appendLiteralsHeader(dst, literalsRLE, n), src[0])
	}
	if n >= minCoded && uneven(counts, n) {
		if out := e.appendCoded(dst, src, counts); out != nil {
			return out
		}
	}
	return append(appendLiteralsHeader(dst, literalsRaw, n), src...)
}

// uneven tells whether a code may gain something for n bytes of these frequencies: whether one of the bytes is
// twice as frequent as all would be on the average.
func uneven(counts *[256]uint32, n int) bool {
	even := uint32(n>>7 + 4)
	for _, count := range counts {
		if count > even {
			return true
		}
	}
	return false
}

// The samples by which literals are judged. They are at most a quarter of the literals, so shorter
// literals have half as many.
const (
	literalSamples = 8
	literalSample  = 1 << 10 // bytes
	frequent       = 32      // a byte is very frequent if it is at least one of so many
)

// incompressible tells whether a code for literals would gain nothing, as far as samples tell. It
// looks only at literals that are much longer than its samples. Often the first sample is enough: in numbers, it has a byte
// that is very frequent.
func incompressible(src []byte) bool {
	parts := literalSamples
	if len(src) < 4*literalSamples*literalSample {
		parts /= 2
	}
	if len(src) < 4*parts*literalSample {
		return false
	}
	var counts [256]uint32
	count(&counts, src[:literalSample])
	if slices.Max(counts[:]) > literalSample/frequent {
		return false
	}
	var samples [literalSamples * literalSample]byte
	for i := range parts {
		at := (len(src) - literalSample) / (parts - 1) * i
		copy(samples[i*literalSample:], src[at:at+literalSample])
	}
	n := parts * literalSample
	count(&counts, samples[:n])
	return !uneven(&counts, n)
}

// appendLiteralsHeader appends the header of literals that are not coded.
func appendLiteralsHeader(dst []byte, kind, n int) []byte {
	switch {
	case n < 1<<5:
		return append(dst, byte(n<<3|kind))
	case n < 1<<12:
		header := n<<4 | 1<<2 | kind
		return append(dst, byte(header), byte(header>>8))
	}
	header := n<<4 | 3<<2 | kind
	return append(dst, byte(header), byte(header>>8), byte(header>>16))
}

// appendCoded appends literals with codes. It uses the codes of the block before if
// they are as good. It returns nil if codes do not make the literals smaller.
func (e *blockEncoder) appendCoded(dst, src []byte, counts *[256]uint32) []byte {
	start, n := len(dst), len(src)
	headerSize, format, width := 5, 3, 18
	switch {
	case n < minFour:
		headerSize, format, width = 3, 0, 10
	case n < 1<<10:
		headerSize, format, width = 3, 1, 10
	case n < 1<<14:
		headerSize, format, width = 4, 2, 14
	}
	dst = dst[:start+headerSize]

	t := &e.trial.huffman
	cost := t.build(counts, &e.leaves)
	kind := literalsCompressed
	described, ok := t.appendHeader(dst, &e.scratch)
	before, usable := 0, e.tables.huffman.valid
	if usable {
		before, usable = e.tables.huffman.cost(counts)
	}
	if usable && (!ok || before <= cost+8*(len(described)-len(dst))) {
		kind, cost = literalsTreeless, before
		*t = e.tables.huffman
	} else if ok {
		dst = described
	}
	if gain := n>>6 + 2; !ok && kind == literalsCompressed || len(dst)-start+cost/8+gain > n {
		*t = e.tables.huffman
		return nil
	}

	room := dst[:cap(dst)]
	end := len(dst)
	if n < minFour {
		end += t.encode(room[end:], src)
	} else {
		jump, quarter := end, (n+3)/4
		end += 6
		most := quarter*maxCodeBits/8 + 16 // bytes of a stream, and what may be written behind it
		var sizes [4]int
		for i := 0; i < 4; i += 2 {
			a, b := src[i*quarter:(i+1)*quarter], src[(i+1)*quarter:min(n, (i+2)*quarter)]
			later := room[end+most:] // moved to its place when that is known
			sizes[i], sizes[i+1] = t.encodePair(room[end:], later, a, b)
			end += sizes[i]
			end += copy(room[end:], later[:sizes[i+1]])
		}
		for i, size := range sizes[:3] {
			binary.LittleEndian.PutUint16(room[jump+2*i:], uint16(size))
		}
	}
	size := end - start - headerSize
	header := uint64(kind | format<<2 | n<<4 | size<<(4+width))
	for i := range headerSize {
		room[start+i] = byte(header >> (8 * i))
	}
	return room[:end]
}

// appendSequences appends the sequences of a block: their number, the tables of their
// codes, and the codes.
func (e *blockEncoder) appendSequences(dst []byte, sequences []sequence) []byte {
	n := len(sequences)
	switch {
	case n < 128:
		dst = append(dst, byte(n))
	case n < 0x7f00:
		dst = append(dst, byte(n>>8+128), byte(n))
	default:
		dst = append(dst, 255, byte(n-0x7f00), byte((n-0x7f00)>>8))
	}
	if n == 0 {
		return dst
	}
	var counts [codeKinds]codeCounts
	e.trial.history.code(e.coded, sequences, &counts)
	modes := len(dst)
	dst = append(dst, 0)
	for i := range e.kinds {
		t := &e.trial.codes[i]
		var mode int
		dst, mode = e.kinds[i].choose(dst, t, e.tables.repeat[i], counts[i][:e.kinds[i].symbols], &e.scratch)
		e.trial.repeat[i] = mode >= modeFSE
		dst[modes] |= byte(mode << (6 - 2*i))
	}
	return appendSequences(dst, e.coded[:n], &e.trial.codes)
}

// repeatsByte tells whether all bytes of src, which is not empty, are equal.
func repeatsByte(src []byte) bool {
	return bytes.Equal(src[:len(src)-1], src[1:])
}
