package zstd

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// maxCodeBits is the length of the longest code of a literal.
const maxCodeBits = 11

// huffmanTable holds the codes of literals (RFC 8878, section 4.2).
type huffmanTable struct {
	valid   bool
	symbols int         // one more than the last symbol
	longest uint8       // the length of the longest code, in bits
	codes   [256]uint32 // code<<8 | length of the code; zero for a symbol without a code

	perLength [maxCodeBits + 1]uint32 // number of codes of each length
}

// huffmanLeaves is memory to work with, while codes are made.
type huffmanLeaves struct {
	order, sorted, large [256]uint64 // numbers count<<8 | symbol
	tree                 huffmanTree
}

// huffmanTree is a tree over leaves. The rarest leaf comes first, and of the nodes above them the one that was made first.
type huffmanTree struct {
	leaves, nodes  [512]uint32 // how many literals are below each
	leafUp, nodeUp [512]uint8  // the node above each
	depths         [256]uint8  // of the nodes
	lengths        [256]uint8  // of the codes of the leaves
}

// build makes codes for symbols of these frequencies, at least two of which are not
// zero. It returns the number of bits that all symbols take.
func (t *huffmanTable) build(counts *[256]uint32, l *huffmanLeaves) (cost int) {
	n := 0
	t.symbols = 0
	for s, count := range counts {
		if count > 0 {
			l.order[n&0xff] = uint64(count)<<8 | uint64(s)
			n++
			t.symbols = s + 1
		}
	}
	order := l.order[:n]
	l.sort(n)
	all := 0
	for i, o := range order {
		l.tree.leaves[i] = uint32(o >> 8)
		all += int(o >> 8)
	}
	l.tree.setLengths(n)
	lengths := l.tree.lengths[:n]
	limitLengths(lengths, mostCodeBits(all, t.symbols))

	t.valid, t.longest = true, 0
	t.perLength = [maxCodeBits + 1]uint32{}
	for at := 0; at < n; { // nearly always, leaves with codes of one length are neighbours
		from, length := at, lengths[at]
		for at < n && lengths[at] == length {
			at++
		}
		t.perLength[length] += uint32(at - from)
		t.longest = max(t.longest, length)
	}
	var code [maxCodeBits + 1]uint32
	for length, next := t.longest, uint32(0); length > 0; length-- {
		code[length] = next
		next = (next + t.perLength[length]) >> 1
	}
	t.codes = [256]uint32{}
	for i, o := range order {
		length := lengths[i]
		t.codes[uint8(o)] = uint32(length)
		cost += int(o>>8) * int(length)
	}
	for s := range t.codes[:t.symbols] {
		if length := t.codes[s]; length > 0 {
			t.codes[s] |= code[length] << 8
			code[length]++
		}
	}
	return cost
}

// sort sorts the first n numbers of order. At first the symbols ascend.
func (l *huffmanLeaves) sort(n int) {
	order, sorted, large := l.order[:n], &l.sorted, &l.large
	const few = 32
	if n <= few {
		slices.Sort(order)
		return
	}
	// In blocks of some KiB, few counts are above 255. These are sorted by themselves.
	smalls, larges := 0, 0
	for _, o := range order {
		if o>>16 == 0 {
			sorted[smalls&0xff] = o
			smalls++
		} else {
			large[larges&0xff] = o
			larges++
		}
	}
	if larges <= few {
		slices.Sort(large[:larges])
		sortDigit(order, sorted[:smalls], 8)
		copy(order[smalls:], large[:larges])
		return
	}
	sortDigit(sorted[:], order, 8)
	sortDigit(order, sorted[:len(order)], 16)
	if slices.Max(large[:larges]) >= 1<<24 {
		copy(sorted[:], order)
		sortDigit(order, sorted[:len(order)], 24)
	}
}

// sortDigit sorts numbers by the eight bits from a place on. Numbers where these are equal keep their order.
func sortDigit(to, from []uint64, place uint) {
	var places [256]uint16 // by digit: the number of its numbers, then where the next one goes
	for _, o := range from {
		places[uint8(o>>place)]++
	}
	at := uint16(0)
	for digit, n := range places {
		places[digit] = at
		at += n
	}
	for _, o := range from {
		digit := uint8(o >> place)
		to[places[digit]] = o
		places[digit]++
	}
}

// setLengths sets the lengths of the codes of n leaves, at least two.
func (t *huffmanTree) setLengths(n int) {
	const none = math.MaxUint32
	t.leaves[n], t.leaves[n+1] = none, none
	for k := range n + 1 {
		t.nodes[k] = none
	}
	leaf, node := 0, 0
	for made := range n - 1 {
		// The two rarest of two leaves and two nodes go below a new node. Of a leaf and a node that are as frequent, it
		// is the leaf.
		a, nextA := t.leaves[leaf&511], t.leaves[(leaf+1)&511]
		b, nextB := t.nodes[node&511], t.nodes[(node+1)&511]
		sum, leaves := a+b, 1
		if nextA <= b {
			sum, leaves = a+nextA, 2
		}
		if nextB < a {
			sum, leaves = b+nextB, 0
		}
		t.nodes[made] = sum
		// If one of these goes below a later node, that is entered over this one.
		t.leafUp[leaf&511], t.leafUp[(leaf+1)&511] = uint8(made), uint8(made)
		t.nodeUp[node&511], t.nodeUp[(node+1)&511] = uint8(made), uint8(made)
		leaf += leaves
		node += 2 - leaves
	}
	t.depths[n-2] = 0
	for k := n - 3; k >= 0; k-- {
		t.depths[k] = t.depths[t.nodeUp[k]] + 1
	}
	for k := range n {
		t.lengths[k] = t.depths[t.leafUp[k]] + 1
	}
}

// mostCodeBits returns how long codes of n literals of so many symbols may be. Shorter codes of few literals have
// shorter descriptions, which saves more than the codes lose.
func mostCodeBits(n, symbols int) uint8 {
	return uint8(min(max(bits.Len(uint(n-1))-2, bits.Len(uint(symbols-1))+1), maxCodeBits))
}

// limitLengths shortens codes, those of the rarest symbols first, to most bits. It changes other codes
// until all codes use the whole room again.
func limitLengths(lengths []uint8, most uint8) {
	if lengths[0] <= most {
		return
	}
	room := 1 << most // room for codes, in codes of the longest length
	for i, length := range lengths {
		length = min(length, most)
		lengths[i] = length
		room -= 1 << (most - length)
	}
	// Of the codes with the next shorter length, making the rarest one longer costs
	// least.
	for i := 0; room < 0; {
		for lengths[i] == most {
			i++
		}
		lengths[i]++
		room += 1 << (most - lengths[i])
	}
	// The room that is left goes to the most frequent symbols whose codes can be
	// shorter.
	for i := len(lengths) - 1; room > 0; i = (i + len(lengths) - 1) % len(lengths) {
		if length := lengths[i]; length > 1 && 1<<(most-length) <= room {
			room -= 1 << (most - length)
			lengths[i]--
		}
	}
}

// cost returns the number of bits that symbols of these frequencies take. ok tells
// whether all of them have codes.
func (t *huffmanTable) cost(counts *[256]uint32) (sum int, ok bool) {
	for s, n := range counts {
		length := t.codes[s] & 0xff
		if length == 0 && n > 0 {
			return 0, false
		}
		sum += int(n) * int(length)
	}
	return sum, true
}

// appendHeader appends the lengths of the codes (RFC 8878, section 4.2.1). ok is false
// if the format cannot express them.
func (t *huffmanTable) appendHeader(dst []byte, weights *fseTable) (out []byte, ok bool) {
	var (
		list   [256]uint8
		counts [maxCodeBits + 2]uint32
	)
	n := t.symbols - 1 // the last weight follows from the others
	for s := range list[:n] {
		if length := uint8(t.codes[s]); length > 0 {
			list[s] = t.longest + 1 - length
		}
	}
	counts[0] = uint32(n)
	for length := uint8(1); length <= t.longest; length++ {
		with := t.perLength[length]
		if length == uint8(t.codes[n]) {
			with--
		}
		counts[t.longest+1-length] = with
		counts[0] -= with
	}
	start := len(dst)
	if n > 2 && slices.Max(counts[:]) < uint32(n) {
		dst = append(dst, 0)
		weights.normalize(counts[:], 6)
		weights.build()
		dst = weights.appendHeader(dst)
		dst = appendWeights(dst, weights, list[:n])
		if size := len(dst) - start - 1; size < 128 && (size < (n+1)/2 || n > 128) {
			dst[start] = byte(size)
			return dst, true
		}
	}
	if n > 128 {
		return dst[:start], false
	}
	dst = append(dst[:start], byte(127+n))
	for i := 0; i < n; i += 2 {
		dst = append(dst, list[i]<<4|list[i+1])
	}
	return dst, true
}

// mostWeights is the most bytes of weights of 255 symbols, each of which takes at most the six bits of a
// state.
const mostWeights = (255*6+2*6+1)/8 + 1

// appendWeights encodes weights with two states in turn. The table has at most 1<<6 states.
func appendWeights(dst []byte, t *fseTable, weights []uint8) []byte {
	var out [mostWeights + 8]byte
	acc, n, at := uint64(0), uint(0), 0
	last := len(weights) - 1
	state, other := t.first(weights[last]), t.first(weights[last-1])
	for i := last - 2; i >= 0; i-- {
		step := t.steps[weights[i]&63]
		width := (state + step.bits) >> 16 & 31
		acc |= uint64(state&(1<<width-1)) << (n & 63)
		n += uint(width)
		binary.LittleEndian.PutUint64(out[at:], acc)
		at += int(n >> 3)
		acc >>= n & 56
		n &= 7
		state, other = other, uint32(t.next[int32(state>>width)+step.find])
	}
	w := bitWriter{out: append(dst, out[:at]...), bits: acc, n: n}
	// Now it is the turn of the state that encodes at odd places.
	w.put(uint64(state)&(1<<t.log-1), uint(t.log))
	w.put(uint64(other)&(1<<t.log-1), uint(t.log))
	return w.end()
}

// encode writes the codes of src to dst, the last one first, and the one-bit at their
// end. dst must have room for maxCodeBits for each symbol, and for eight bytes. It
// returns the number of bytes.
func (t *huffmanTable) encode(dst, src []byte) int {
	var (
		acc uint64
		n   uint
		at  int
		c   = &t.codes
	)
	i := len(src)
	for ; i&3 != 0; i-- {
		code := c[src[i-1]]
		acc |= uint64(code>>8) << (n & 63)
		n += uint(code & 0xff)
	}
	for ; i > 0; i -= 4 {
		// At most 7 waiting bits stay; four codes have at most 44 bits.
		binary.LittleEndian.PutUint64(dst[at:], acc)
		at += int(n >> 3)
		acc >>= n & 56
		n &= 7
		s := src[i-4 : i : i]
		c3, c2, c1, c0 := c[s[3]], c[s[2]], c[s[1]], c[s[0]]
		// Sums of lengths do not carry into the codes.
		n3 := uint(c3 & 0xff)
		n2 := n3 + uint(c2&0xff)
		n1 := n2 + uint(c1&0xff)
		n0 := n1 + uint(c0&0xff)
		word := uint64(c3>>8) | uint64(c2>>8)<<(n3&63) | uint64(c1>>8)<<(n2&63) | uint64(c0>>8)<<(n1&63)
		acc |= word << (n & 63)
		n += n0
	}
	acc |= 1 << (n & 63)
	n++
	binary.LittleEndian.PutUint64(dst[at:], acc)
	return at + int(n+7)>>3
}

// fewBytes are counted one by one.
const fewBytes = 64

// countPlain sets counts to the number of occurrences of each byte in src.
func countPlain(counts *[256]uint32, src []byte) {
	*counts = [256]uint32{}
	if len(src) < fewBytes {
		for _, b := range src {
			counts[b]++
		}
		return
	}
	// Bytes that are one number apart, which are often equal, are counted apart: a counter that
	// is needed again at once would have to be waited for.
	var more [3][256]uint32
	i := 0
	for ; i+8 <= len(src); i += 8 {
		v := binary.LittleEndian.Uint64(src[i:])
		counts[uint8(v)]++
		more[0][uint8(v>>8)]++
		more[1][uint8(v>>16)]++
		more[2][uint8(v>>24)]++
		more[0][uint8(v>>32)]++
		more[1][uint8(v>>40)]++
		more[2][uint8(v>>48)]++
		counts[v>>56]++
	}
	for _, b := range src[i:] {
		counts[b]++
	}
	for s := range counts {
		counts[s] += more[0][s] + more[1][s] + more[2][s]
	}
}
