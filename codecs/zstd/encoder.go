package zstd

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"sync"

	"github.com/zmigrate/zmigrate/internal/race"
)

const (
	// MaxLevel is the highest level of compression.
	MaxLevel = 9

	defaultLevel = 3
)

// Options are the settings of an Encoder.
type Options struct {
	// Level is from 1 to MaxLevel, as in the C library. A higher level is slower, and its frames are
	// smaller. 8 and 9 are the same. 0 means 3.
	Level int
	// Checksum adds a checksum of the content to the end of each frame.
	Checksum bool
}

// Encoder makes frames. It is safe for concurrent use. Between calls it keeps only
// memory to work with, some MiB for each concurrent call, which is freed when it has
// not been used for long.
type Encoder struct {
	checksum bool
	idle     sync.Pool // of *frameEncoder
}

// NewEncoder returns an encoder.
func NewEncoder(o Options) (*Encoder, error) {
	if o.Level < 0 || o.Level > MaxLevel {
		return nil, fmt.Errorf("zstd: level %d: want 0 to %d", o.Level, MaxLevel)
	}
	if o.Level == 0 {
		o.Level = defaultLevel
	}
	e := &Encoder{checksum: o.Checksum}
	e.idle.New = func() any {
		return &frameEncoder{blockEncoder: newBlockEncoder(efforts[o.Level].parts), parser: newParser(efforts[o.Level])}
	}
	return e, nil
}

// efforts are the efforts of the levels. Tables of the first levels fit the caches of a processor.
var efforts = [MaxLevel + 1]effort{
	1: {tableLog: 14, numberLog: 16, twoByteLog: 13, anyUpTo: math.MaxInt, haste: 6, mostSkipped: 31, parts: 1, quickUpTo: math.MaxInt},
	2: {tableLog: 15, numberLog: 16, twoByteLog: 14, anyUpTo: math.MaxInt, fourUpTo: tiny, quickUpTo: tiny, haste: 6, mostSkipped: 31, parts: maxParts},
	3: {tableLog: 17, numberLog: 17, twoByteLog: 17, anyUpTo: math.MaxInt, fourUpTo: tiny, haste: 7, mostSkipped: 31, parts: maxParts},
	4: {tableLog: 18, numberLog: 17, twoByteLog: 17, anyUpTo: math.MaxInt, fourUpTo: tiny, entireUpTo: small, haste: 8, mostSkipped: 7, parts: maxParts, thorough: true},
	5: {tableLog: 19, numberLog: 18, twoByteLog: 18, anyUpTo: 2 << 20, fourUpTo: tiny, entireUpTo: math.MaxInt, haste: 8, mostSkipped: 3, parts: maxParts, thorough: true, tries: 4, ahead: 1},
	6: {tableLog: 18, numberLog: 18, twoByteLog: 18, anyUpTo: 64 << 10, fourUpTo: small, entireUpTo: math.MaxInt, haste: 8, mostSkipped: 1, parts: maxParts, thorough: true, tries: 4, ahead: 1, severalAlways: true},
	7: {tableLog: 18, numberLog: 18, twoByteLog: 18, anyUpTo: 64 << 10, fourUpTo: small, entireUpTo: math.MaxInt, haste: 8, mostSkipped: 1, parts: maxParts, thorough: true, tries: 4, ahead: 2, severalAlways: true},
	8: {tableLog: 18, numberLog: 20, twoByteLog: 18, anyUpTo: 64 << 10, fourUpTo: small, entireUpTo: math.MaxInt, haste: 8, mostSkipped: 0, parts: maxParts, thorough: true, tries: 8, ahead: 2, severalAlways: true},
	9: {tableLog: 18, numberLog: 20, twoByteLog: 18, anyUpTo: 64 << 10, fourUpTo: small, entireUpTo: math.MaxInt, haste: 8, mostSkipped: 0, parts: maxParts, thorough: true, tries: 8, ahead: 2, severalAlways: true},
}

// MaxEncodedSize returns the most bytes that a frame of n bytes takes.
func MaxEncodedSize(n int) int { return n + blockHeader*(n/minPart+1) + 18 }

// AppendEncode appends the frame of src to dst.
func (e *Encoder) AppendEncode(dst, src []byte) []byte {
	race.Read(src)
	from := len(dst)
	dst = appendFrameHeader(dst, len(src), e.checksum)
	if len(src) == 0 {
		dst = appendBlockHeader(dst, blockRaw, 0, true)
	} else {
		f := e.idle.Get().(*frameEncoder)
		dst = f.appendBlocks(dst, src)
		e.idle.Put(f)
	}
	if e.checksum {
		dst = binary.LittleEndian.AppendUint32(dst, checksum(src))
	}
	race.Write(dst[from:])
	return dst
}

// window is the largest offset of a copy, in bytes.
const window = 8 << 20

// Bits of the descriptor of a frame (RFC 8878, section 3.1.1.1.1).
const (
	descriptorChecksum = 1 << 2
	descriptorSingle   = 1 << 5 // the window is the content
	descriptorSize     = 6      // logarithm of the number of bytes of the size
)

// appendFrameHeader appends the header of a frame of n bytes (RFC 8878, section
// 3.1.1.1).
func appendFrameHeader(dst []byte, n int, checked bool) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, 0xfd2fb528)
	at := len(dst)
	dst = append(dst, 0)
	descriptor := byte(0)
	if checked {
		descriptor |= descriptorChecksum
	}
	if n <= window {
		descriptor |= descriptorSingle
	} else {
		exponent := bits.Len(window) - 1 - 10
		dst = append(dst, byte(exponent<<3))
	}
	switch {
	case n < 1<<8:
		dst = append(dst, byte(n))
	case n < 1<<16+1<<8:
		descriptor |= 1 << descriptorSize
		dst = binary.LittleEndian.AppendUint16(dst, uint16(n-1<<8))
	case n < 1<<32:
		descriptor |= 2 << descriptorSize
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	default:
		descriptor |= 3 << descriptorSize
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	dst[at] = descriptor
	return dst
}

// frameEncoder makes one frame after the other.
type frameEncoder struct {
	*blockEncoder
	*parser
	other []byte // memory for the second form of a block, see appendSmaller
	tried []byte // memory for a part that is tried, see anyIsBetter
}

// appendBlocks appends the blocks of a frame whose content has at least one byte.
func (f *frameEncoder) appendBlocks(dst, src []byte) []byte {
	f.blockEncoder.reset()
	f.parser.reset(len(src))
	next, left := maxBlock, 0 // where the next trial begins, and how many of its blocks are left
	switch {
	case f.tries > 0 && leastPartTried <= len(src) && len(src) < leastTried:
		f.anyPosition = f.anyIsBetter(src)
		next = len(src)
	case !f.severalAlways || len(src) < leastTried:
		next = len(src)
	}
	other := false // the last block could have been searched in another way
	for from, to := 0, 0; from < len(src); from = to {
		if from >= next {
			next, left = next+trialEvery, trialBlocks
		}
		size, trial := maxBlock, left > 0 && other
		if trial {
			size, left, f.anyPosition = trialBlock, left-1, false
		}
		to = min(from+size, len(src))
		content, last := src[from:to], to == len(src)
		// Some old decoders do not accept a repeated byte as the first block.
		if from > 0 && repeatsByte(content) {
			dst = append(appendBlockHeader(dst, blockRLE, len(content), last), content[0])
			continue
		}
		var l layout
		l, other = f.parse(src[:to], from, f.tables.history)
		if !trial || !other {
			dst = f.blockEncoder.appendBlocks(dst, content, f.literals, f.sequences, last)
			continue
		}
		var first, second int
		dst, first, second = f.appendSmaller(dst, src[:to], from, last, l)
		f.anyPosition = second < first-first/betterShare
		if second > first+first/worseShare {
			left = 0
		}
	}
	return dst
}

// A trial searches some blocks in two ways: as their layout says, and for copies at any position. In large contents, the
// first trial is behind the first block. In smaller ones, a part in the middle is tried before.
const (
	leastTried  = 4*maxBlock + 1 // the size from which on contents are large
	trialEvery  = 16 * maxBlock  // from one trial to the next
	trialBlocks = 4              // in one trial
	trialBlock  = maxBlock / 4   // the size of a block in a trial
	betterShare = 32             // the search at any position goes on if it saves more than one part in so many of the last block
	worseShare  = 8              // a trial ends early if that search costs more than one part in so many

	leastPartTried = 64 << 10 // the size from which on a part of a content is tried
	partTried      = 16 << 10 // the size of that part

	// Numbers with many different bytes repeat as a whole in large contents more often than in a part.
	variedTried  = 32 << 10
	variedBetter = 10
)

// anyIsBetter tells whether a part of a content of numbers is smaller if it is searched for copies at any position.
func (f *frameEncoder) anyIsBetter(src []byte) bool {
	l, ok := findLayout(src[:min(len(src), maxBlock)])
	if !ok {
		return false
	}
	n, share := partTried, betterShare
	if l.varied {
		n, share = variedTried, variedBetter
	}
	part := src[(len(src)-n)/2&^7:][:n]
	l, other := f.parse(part, 0, f.tables.history)
	better := false
	if other && l.size > 0 {
		var first, second int
		f.tried, first, second = f.appendSmaller(f.tried[:0], part, 0, true, l)
		f.blockEncoder.reset()
		better = second < first-first/share
	}
	f.parser.reset(len(src))
	return better
}

// appendSmaller appends the block src[from:] of layout l, which has been searched as its layout says. It
// searches the block for copies at any position, too, and appends what is smaller. first and second are the sizes
// after the two searches.
func (f *frameEncoder) appendSmaller(dst, src []byte, from int, last bool, l layout) (appended []byte, first, second int) {
	at, before := len(dst), *f.tables
	dst = f.blockEncoder.appendBlocks(dst, src[from:], f.literals, f.sequences, last)
	after := *f.tables
	*f.tables = before
	l.related = false
	f.anywhere(src, from, before.history, l)
	f.other = f.blockEncoder.appendBlocks(f.other[:0], src[from:], f.literals, f.sequences, last)
	if first, second = len(dst)-at, len(f.other); second < first {
		return append(dst[:at], f.other...), first, second
	}
	*f.tables = after
	return dst, first, second
}
