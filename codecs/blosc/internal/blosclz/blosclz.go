// Package blosclz reads and writes the streams of c-blosc's own compressor, a
// descendant of FastLZ.
//
// A stream is a sequence of instructions that append to the output. The three high bits
// of an instruction's first byte tell its kind:
//
//	000LLLLL           L+1 literal bytes follow
//	NNNDDDDD [X…] E    repeat n bytes from d bytes back
//
// A repetition has n = N+2 bytes. For N = 7, further bytes X follow, up to and
// including the first that is not 255, and all of them are added to n. The distance is
// d = D<<8 + E + 1. For D = 31 and E = 255, two further bytes follow, the high byte
// first, and d = 8192 + their number. A repetition may reach into its own output.
//
// The first instruction always has literals, whatever its high bits (writers set 001).
// The last instruction has literals, too.
package blosclz

import "errors"

// ErrCorrupt means that a stream is damaged or decodes to another length.
var ErrCorrupt = errors.New("blosclz: corrupt data")

const (
	maxLiterals = 32
	nearest     = 3            // fewest bytes of a repetition
	near        = 31<<8 + 255  // distances up to this one take two bytes fewer
	farthest    = near + 1<<16 // distance that can be expressed
	tail        = 12           // bytes at the end in which no repetition begins
	marker      = byte(1 << 5) // in the first byte
	escape      = byte(31)     // D of a far distance
	longest     = byte(7 << 5) // N of a long repetition
)

// Decode decodes a stream into the whole of dst.
func Decode(dst, src []byte) error {
	if len(src) == 0 {
		return ErrCorrupt
	}
	op, ip := 0, 1
	control := int(src[0] & 31)
	for {
		if control < 32 {
			n := control + 1
			switch {
			case maxLiterals <= len(dst)-op && maxLiterals <= len(src)-ip:
				// It copies more than needed, but in a single move.
				*(*[maxLiterals]byte)(dst[op:]) = *(*[maxLiterals]byte)(src[ip:])
			case n > len(dst)-op || n > len(src)-ip:
				return ErrCorrupt
			default:
				copy(dst[op:op+n], src[ip:ip+n])
			}
			op, ip = op+n, ip+n
			if ip == len(src) {
				break
			}
			control = int(src[ip])
			ip++
			continue
		}
		n, d := control>>5+2, (control&31)<<8
		if n == 9 {
			for {
				if ip >= len(src) {
					return ErrCorrupt
				}
				more := src[ip]
				ip++
				n += int(more)
				if more != 255 {
					break
				}
			}
		}
		// One byte of the distance, and one of the next instruction.
		if len(src)-ip < 2 {
			return ErrCorrupt
		}
		d += int(src[ip]) + 1
		ip++
		if d == near+1 {
			if len(src)-ip < 3 {
				return ErrCorrupt
			}
			d += int(src[ip])<<8 + int(src[ip+1])
			ip += 2
		}
		if d > op || n > len(dst)-op {
			return ErrCorrupt
		}
		repeat(dst, op, d, n)
		op += n
		control = int(src[ip])
		ip++
	}
	if op != len(dst) {
		return ErrCorrupt
	}
	return nil
}

// repeat appends n bytes at dst[at:]. Each is a copy of the byte d bytes before it. It
// may write further bytes if dst has room.
func repeat(dst []byte, at, d, n int) {
	const wild = 16
	from := at - d
	if d >= wild && n <= 2*wild && len(dst)-at >= 2*wild {
		*(*[wild]byte)(dst[at:]) = *(*[wild]byte)(dst[from:])
		*(*[wild]byte)(dst[at+wild:]) = *(*[wild]byte)(dst[from+wild:])
		return
	}
	// If the bytes overlap, each step doubles the number of copied bytes.
	for end := at + n; at < end; {
		at += copy(dst[at:end], dst[from:at])
	}
}
