package zfp

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// A nibbleChunk is the code of up to 6 planes of a row: the bits of each block in the
// stream, up to 27, and their number. place tells where a block is.
type nibbleChunk struct {
	code, bits [16]uint32
}

// chunkPlanes is the number of planes in a chunk. Two chunks have at most 51 bits in a
// block.
const chunkPlanes = 6

// A nibbleState is the state of codeNibbles for the blocks of a row.
type nibbleState struct {
	bottom [16]int32  // the lowest planes
	seen   [16]uint32 // coefficients that had a one-bit in a plane above
	length [16]uint32 // number of bits of the planes above
}

// nibbleTables have the code of a plane of 4 bits. The index of code is the plane and,
// from bit 4 on, one more than the number of coefficients up to the last one that had a
// one-bit. from gives this number for the coefficients that had a one-bit. The first
// entries are for bytes of words that are not used.
type nibbleTables struct {
	code, bits [128]uint8
	from       [64]uint8
}

var nibbleTable = makeNibbleTables()

func makeNibbleTables() (t nibbleTables) {
	for seen := range 16 {
		n := bits.Len(uint(seen))
		t.from[seen] = uint8(n+1) << 4
		for x := range uint64(16) {
			w := bitWriter{buf: make([]byte, slack)}
			w.putNibble(x, n)
			t.code[(n+1)<<4|int(x)] = w.buf[0]
			t.bits[(n+1)<<4|int(x)] = uint8(w.pos)
		}
	}
	return t
}

// A rowCode is the code of a row: 16 blocks of one dimension that are coded side by
// side. place tells where a block is.
type rowCode struct {
	nibbleState
	code, bits [16]uint32 // bits before the planes, and their number
	chunks     [12]nibbleChunk
}

// encodeRow writes the row that begins with the first element of src.
func (e *encoder[W]) encodeRow(src []W) {
	loadRun(e.level, &e.q, &e.run, src, 16, 1)
	var leads [16]lead
	e.leadRun(&leads, 1)
	lossless := e.params.reversible()
	exact := forwardRun(e.level, &e.planes[0], &e.c, &e.q, &e.run, runMode(e.typ, lossless), 0, 1)
	var all W
	intprec := e.typ.bits()
	lowest := intprec
	for at := range leads {
		l := &leads[at]
		set := e.run.bits[at]
		all |= set
		if l.form == magnitudes && exact>>at&1 != 0 {
			l.form = quantized
		}
		if lossless {
			l.prec = e.planesOf(l.prec, set)
		}
		v, n := e.leadCode(l)
		e.row.code[at], e.row.bits[at] = uint32(v), uint32(n)
		bottom := intprec
		if !l.zeros {
			bottom = max(intprec-l.prec, 0)
		}
		e.row.bottom[at] = int32(bottom)
		lowest = min(lowest, bottom)
	}
	lowest = max(lowest, e.lowestPlane())
	top := max(min(bits.Len64(uint64(all)), intprec), lowest)
	e.putRow(e.codeRow(top, lowest), intprec-top)
}

// codeRow codes planes top-1 down to lowest in chunks, or as many planes as MaxBits
// leaves room for. It returns an even number of chunks.
func (e *encoder[W]) codeRow(top, lowest int) []nibbleChunk {
	r := &e.row
	r.seen, r.length = [16]uint32{}, [16]uint32{}
	limit := min(e.params.MaxBits, NoMaxBits)
	if limit < e.params.headerBits(e.typ) {
		limit = NoMaxBits // see Params.MaxBits
	}
	n := 0
	for base := 32; base >= 0; base -= 32 { // the upper and the lower halves of words
		from, to := max(lowest, base), min(top, base+32)
		switch c := &e.planes[0][base]; {
		case from >= to:
		case e.level >= cpu.AVX512:
			n += codeNibbles(&r.chunks[n], &r.nibbleState, c, &nibbleTable, base+32-to, to, to-from, limit)
		default:
			n += codeNibblesShort(&r.chunks[n], &r.nibbleState, c, &nibbleShuffle, base+32-to, to, to-from, limit)
		}
	}
	if n&1 != 0 {
		r.chunks[n] = nibbleChunk{}
	}
	return r.chunks[:(n+1)&^1]
}

// putRow writes the blocks of a row. Their first planes, empty of them, are empty in
// all blocks and not in the chunks.
func (e *encoder[W]) putRow(chunks []nibbleChunk, empty int) {
	intprec := e.typ.bits()
	buf, pos, acc := e.buf, e.pos, e.acc // in registers, for speed
	for j := range 16 {
		at := place(j, 1) & 15
		if pos>>3+e.room>>3+slack > len(buf) {
			e.pos, e.acc = pos, acc
			e.reserve(e.room)
			buf = e.buf
		}
		start := pos
		v, n := uint64(e.row.code[at]), int(e.row.bits[at])
		end := pos + e.params.MaxBits
		if e.params.MaxBits < n {
			end = math.MaxInt // see Params.MaxBits
		}
		zeros := min(empty, intprec-int(e.row.bottom[at]))
		if n+zeros > 56 { // up to 19 and 64 bits: in two parts
			pos, acc = putBits(buf, pos, acc, v, min(n+8, end-pos))
			v, n = 0, -8
		}
		pos, acc = putBits(buf, pos, acc, v, min(n+zeros, end-pos))
		for c := chunks; len(c) > 1; c = c[2:] {
			low, high := &c[0], &c[1]
			n := min(int(low.bits[at]+high.bits[at]), end-pos)
			v := uint64(low.code[at]) | uint64(high.code[at])<<(low.bits[at]&63)
			pos, acc = putBits(buf, pos, acc, v&(1<<(n&63)-1), n)
		}
		for n := e.params.MinBits - (pos - start); n > 0; n -= 56 {
			pos, acc = putBits(buf, pos, acc, 0, min(n, 56))
		}
	}
	e.pos, e.acc = pos, acc
}

// putBits writes the lowest n bits of v, at most 56, to a buffer from bit pos on. acc
// has the last pos%8 bits before. The other bits of v must be 0.
func putBits(buf []byte, pos int, acc, v uint64, n int) (int, uint64) {
	s := pos & 7
	v = acc | v<<s
	binary.LittleEndian.PutUint64(buf[pos>>3:], v)
	return pos + n, v >> ((s + n) & 56)
}
