package blosclz

import (
	"encoding/binary"
	"math/bits"
)

// Encoder makes streams. It is for one goroutine.
type Encoder struct {
	table [1 << maxHashBits]uint32 // latest position of four bytes with a hash
	bits  int                      // of a hash
	skip  int                      // after 1<<skip failures in a row the search takes longer steps
	worth int                      // how much shorter than the content a stream has to be, in percent
}

const maxHashBits = 14

// NewEncoder returns an encoder for a level from 1, the fastest, to 9.
func NewEncoder(level int) *Encoder {
	return &Encoder{
		bits:  min(maxHashBits-3+level, maxHashBits),
		skip:  4 + level/3,
		worth: [...]int{200, 150, 120, 120, 120, 120, 115, 110, 100}[level-1],
	}
}

// Encode writes the stream of src to the start of dst and returns its length. It
// returns 0 if the stream does not fit, if src is too short, or if the stream is not
// enough shorter for the level: a stream of many short repetitions takes long to
// decode. Bytes of dst behind the stream are undefined.
func (e *Encoder) Encode(dst, src []byte) int {
	limit := len(src) - tail
	if limit <= 1 {
		return 0
	}
	table := e.table[:1<<e.bits]
	clear(table)
	shift := 32 - e.bits
	op, anchor, ip := 0, 0, 1
	for {
		// Find the next repetition that is long enough.
		ref, n := 0, 0
		for steps := 1 << e.skip; ; steps++ {
			if ip >= limit {
				if op = literals(dst, op, src[anchor:]); op > 0 {
					dst[0] |= marker
				}
				return op
			}
			v := binary.LittleEndian.Uint32(src[ip:])
			slot := &table[v*2654435761>>shift]
			ref = int(*slot)
			*slot = uint32(ip)
			if d := ip - ref; d <= farthest && binary.LittleEndian.Uint32(src[ref:]) == v {
				n = 4 + equal(src[ref+4:], src[ip+4:len(src)-4])
				if d <= near || n > 8 {
					break
				}
			}
			ip += steps >> e.skip
		}
		// The stream begins with a literal.
		for ip > max(anchor, 1) && ref > 0 && src[ip-1] == src[ref-1] {
			ip, ref, n = ip-1, ref-1, n+1
		}
		if ip > anchor {
			if op = literals(dst, op, src[anchor:ip]); op == 0 {
				return 0
			}
		}
		if op = repetition(dst, op, ip-ref, n); op == 0 {
			return 0
		}
		ip += n
		if ip > len(src)/4 && ip*100 < op*e.worth {
			return 0
		}
		anchor = ip
		table[binary.LittleEndian.Uint32(src[ip-2:])*2654435761>>shift] = uint32(ip - 2)
	}
}

// equal returns how many bytes at the start of a and b agree. a is at least as long as
// b.
func equal(a, b []byte) int {
	n := 0
	for ; n+8 <= len(b); n += 8 {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
	}
	for n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// literals writes instructions for some literals at op. It returns the end of the
// instructions, or 0 if they do not fit.
func literals(dst []byte, op int, src []byte) int {
	if len(src)+(len(src)+maxLiterals-1)/maxLiterals > len(dst)-op {
		return 0
	}
	for len(src) > 0 {
		n := min(len(src), maxLiterals)
		dst[op] = byte(n - 1)
		op += 1 + copy(dst[op+1:], src[:n])
		src = src[n:]
	}
	return op
}

// repetition writes the instruction to repeat n bytes from d bytes back.
func repetition(dst []byte, op, d, n int) int {
	if n/255+6 > len(dst)-op {
		return 0
	}
	high, low, far := byte((d-1)>>8), byte(d-1), d > near
	if far {
		high, low = escape, 255
	}
	if n -= 2; n < 7 {
		dst[op] = byte(n)<<5 | high
		op++
	} else {
		dst[op] = longest | high
		op++
		for n -= 7; n >= 255; n -= 255 {
			dst[op] = 255
			op++
		}
		dst[op] = byte(n)
		op++
	}
	dst[op] = low
	op++
	if far {
		d -= near + 1
		dst[op], dst[op+1] = byte(d>>8), byte(d)
		op += 2
	}
	return op
}
