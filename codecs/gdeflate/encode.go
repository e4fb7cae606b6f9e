package gdeflate

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/flate"
)

// MaxLevel is the highest level of compression.
const MaxLevel = 12

// MaxEncodedSize returns the most bytes of a page with a content of n bytes.
func MaxEncodedSize(n int) int { return n + n>>8 + 512 }

// Encoder makes pages. It compresses with DEFLATE, and deals the blocks out to the
// lanes.
type Encoder struct {
	flate   *flate.Writer
	deflate bytes.Buffer
	w       laneWriter
	r       bitReader

	lengths, litLen, dist huffman
}

// NewEncoder returns an encoder of a level from 0, which stores, to MaxLevel.
func NewEncoder(level int) (*Encoder, error) {
	if level < 0 || level > MaxLevel {
		return nil, fmt.Errorf("gdeflate: level %d: want 0 to %d", level, MaxLevel)
	}
	// On long runs, the library's level 9 is far slower than 8, and its streams are
	// larger.
	w, err := flate.NewWriter(nil, min(level, 8))
	if err != nil {
		return nil, err
	}
	return &Encoder{flate: w}, nil
}

// AppendEncode appends the page of src, which has at most PageSize bytes, to dst.
func (e *Encoder) AppendEncode(dst, src []byte) ([]byte, error) {
	if len(src) > PageSize {
		return nil, fmt.Errorf("gdeflate: %d bytes are more than a page of %d", len(src), PageSize)
	}
	e.deflate.Reset()
	e.flate.Reset(&e.deflate)
	if _, err := e.flate.Write(src); err != nil {
		return nil, err
	}
	if err := e.flate.Close(); err != nil {
		return nil, err
	}
	e.r = bitReader{in: e.deflate.Bytes()}
	e.w = laneWriter{out: dst}
	for range lanes {
		e.w.advance()
	}
	for last := false; !last; {
		header := e.r.take(3)
		last = header&1 == 1
		e.w.lane = 0
		e.w.put(header, 3)
		e.w.refill()
		switch header >> 1 {
		case blockStored:
			e.stored()
		case blockFixed:
			list := fixedLengths()
			e.litLen.init(list[:maxLitLen])
			e.dist.init(list[maxLitLen:])
			e.symbols()
		case blockDynamic:
			e.codes()
			e.symbols()
		}
	}
	e.w.flush()
	return e.w.out, nil
}

// stored moves the bytes of a stored block to the lanes.
func (e *Encoder) stored() {
	e.r.align()
	size := e.r.take(16)
	e.r.take(16) // its complement
	e.w.put(size, 16)
	for range size {
		e.w.put(e.r.take(8), 8)
		e.w.advance()
	}
	for range lanes {
		e.w.advance()
	}
}

// move moves n bits from the stream to the lane and returns them.
func (e *Encoder) move(n uint) int {
	v := e.r.take(n)
	e.w.put(v, n)
	return int(v)
}

// codes moves the codes of a block to the lanes.
func (e *Encoder) codes() {
	litLen, dist, count := e.move(5)+257, e.move(5)+1, e.move(4)+4
	e.w.refill()
	var lengths [maxLitLen + maxDist]uint8
	for _, at := range lengthOrder[:count] {
		lengths[at] = uint8(e.move(3))
		e.w.advance()
	}
	e.w.lane = 0
	e.lengths.init(lengths[:maxLengths])
	clear(lengths[:maxLengths])
	for i := 0; i < litLen+dist; {
		s, n := e.r.symbol(&e.lengths)
		e.w.put(e.r.take(n), n)
		if s < 16 {
			lengths[i] = uint8(s)
			i++
		} else {
			var length uint8
			if s == 16 {
				length = lengths[i-1]
			}
			r := repeats[s-16]
			for range int(r.base) + e.move(uint(r.extra)) {
				lengths[i] = length
				i++
			}
		}
		e.w.advance()
	}
	e.litLen.init(lengths[:litLen])
	e.dist.init(lengths[litLen : litLen+dist])
}

// symbols moves the symbols of a block to the lanes.
func (e *Encoder) symbols() {
	var pending [lanes]struct { // distances that follow in the lanes' next turns
		bits uint64
		n    uint
	}
	settle := func() {
		p := &pending[e.w.lane]
		e.w.put(p.bits, p.n)
		p.bits, p.n = 0, 0
		e.w.advance()
	}
	e.w.lane = 0
	for {
		for pending[e.w.lane].n > 0 {
			settle()
		}
		s, n := e.r.symbol(&e.litLen)
		e.w.put(e.r.take(n), n)
		if s == endOfBlock {
			for range lanes {
				settle()
			}
			return
		}
		if s > endOfBlock {
			if v := lengthValues[s-257]; s == lastLength {
				e.w.put(258-uint64(v.base), uint(v.extra))
			} else {
				e.move(uint(v.extra))
			}
			d, n := e.r.symbol(&e.dist)
			n += uint(distValues[d].extra)
			pending[e.w.lane].bits, pending[e.w.lane].n = e.r.take(n), n
		}
		e.w.advance()
	}
}

// bitReader reads the DEFLATE stream that the encoder made itself.
type bitReader struct {
	in   []byte
	buf  uint64
	left uint
}

// fill makes at least 32 bits available, with zeros behind the end.
func (r *bitReader) fill() {
	for r.left <= 56 && len(r.in) > 0 {
		r.buf |= uint64(r.in[0]) << r.left
		r.in = r.in[1:]
		r.left += 8
	}
}

func (r *bitReader) take(n uint) uint64 {
	r.fill()
	v := r.buf & (1<<n - 1)
	r.buf >>= n
	r.left -= n
	return v
}

func (r *bitReader) align() { r.take(r.left % 8) }

// symbol returns the next symbol and the bits of its code, without taking them.
func (r *bitReader) symbol(h *huffman) (symbol int, n uint) {
	r.fill()
	return h.decode(r.buf)
}

// laneWriter writes bits to lanes. It reserves a word of the output for a lane at the
// moment when a decoder takes this word.
type laneWriter struct {
	out   []byte
	lane  int
	lanes [lanes]laneState
}

type laneState struct {
	buf   uint64
	n     uint   // bits in buf
	left  uint   // bits that a decoder would hold
	words [3]int // positions in out of words that are reserved and not yet written
	count int    // number of these words
}

func (w *laneWriter) put(v uint64, n uint) {
	s := &w.lanes[w.lane]
	s.buf |= v << s.n
	s.n += n
	s.left -= n
	if s.n >= wordBits {
		s.store(w.out)
	}
}

// store writes the first word of the lane.
func (s *laneState) store(out []byte) {
	binary.LittleEndian.PutUint32(out[s.words[0]:], uint32(s.buf))
	copy(s.words[:], s.words[1:])
	s.count--
	s.buf >>= wordBits
	s.n -= min(s.n, wordBits)
}

// refill reserves the lane's next word if a decoder takes it now.
func (w *laneWriter) refill() {
	s := &w.lanes[w.lane]
	if s.left >= wordBits {
		return
	}
	s.words[s.count] = len(w.out)
	s.count++
	s.left += wordBits
	w.out = append(w.out, 0, 0, 0, 0)
}

func (w *laneWriter) advance() {
	w.refill()
	w.lane = (w.lane + 1) % lanes
}

// flush writes the remaining bits of the lanes.
func (w *laneWriter) flush() {
	for i := range w.lanes {
		if s := &w.lanes[i]; s.n > 0 {
			s.store(w.out)
		}
	}
}
