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
		return newFrameEncoder(efforts[o.Level])
	}
	return e, nil
}

// efforts are the efforts of the levels. Tables of the first levels fit the caches of a processor.
var efforts = [MaxLevel + 1]effort{
	1: {tableLog: 14, numberLog: 16, twoByteLog: 13, anyUpTo: math.MaxInt, haste: 6, mostSkipped: 31, parts: 1, quickUpTo: math.MaxInt, six: true},
	2: {tableLog: 15, numberLog: 16, twoByteLog: 14, anyUpTo: math.MaxInt, fourUpTo: tiny, quickUpTo: 128 << 10, haste: 6, mostSkipped: 31, parts: maxParts},
	3: {tableLog: 17, numberLog: 17, twoByteLog: 17, anyUpTo: math.MaxInt, fourUpTo: tiny, haste: 7, mostSkipped: 31, sparse: true, parts: maxParts},
	4: {tableLog: 18, numberLog: 17, twoByteLog: 17, anyUpTo: math.MaxInt, fourUpTo: tiny, entireUpTo: small, haste: 8, mostSkipped: 7, sparse: true, parts: maxParts, thorough: true},
	5: {tableLog: 19, numberLog: 18, twoByteLog: 18, anyUpTo: 2 << 20, fourUpTo: tiny, entireUpTo: math.MaxInt, haste: 8, mostSkipped: 3, sparse: true, parts: maxParts, thorough: true, tries: 4, ahead: 1},
	6: {tableLog: 18, numberLog: 18, twoByteLog: 18, anyUpTo: 64 << 10, fourUpTo: small, entireUpTo: math.MaxInt, haste: 8, mostSkipped: 1, sparse: true, parts: maxParts, thorough: true, tries: 4, ahead: 1, severalAlways: true},
	7: {tableLog: 18, numberLog: 18, twoByteLog: 18, anyUpTo: 64 << 10, fourUpTo: small, entireUpTo: math.MaxInt, haste: 8, mostSkipped: 1, sparse: true, parts: maxParts, thorough: true, tries: 4, ahead: 2, severalAlways: true},
	8: {tableLog: 18, numberLog: 20, twoByteLog: 18, anyUpTo: 64 << 10, fourUpTo: small, entireUpTo: math.MaxInt, haste: 8, mostSkipped: 0, sparse: true, parts: maxParts, thorough: true, tries: 8, ahead: 2, severalAlways: true},
	9: {tableLog: 18, numberLog: 20, twoByteLog: 18, anyUpTo: 64 << 10, fourUpTo: small, entireUpTo: math.MaxInt, haste: 8, mostSkipped: 0, sparse: true, parts: maxParts, thorough: true, tries: 8, ahead: 2, severalAlways: true},
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
	sampler *frameEncoder // searches a part of a content in two ways, see tryBoth; nil until it is needed
	sampled []byte        // memory for what sampler makes
}

func newFrameEncoder(e effort) *frameEncoder {
	return &frameEncoder{blockEncoder: newBlockEncoder(e.parts), parser: newParser(e)}
}

// appendBlocks appends the blocks of a frame whose content has at least one byte.
func (f *frameEncoder) appendBlocks(dst, src []byte) []byte {
	f.blockEncoder.reset()
	f.parser.reset(len(src))
	for from, to := 0, 0; from < len(src); from = to {
		if rest := len(src) - from; from%trialEvery == 0 && f.tries > 0 && rest >= leastTried {
			f.anyPosition = f.anyIsBetter(src[from:][:min(rest, trialEvery)])
		}
		to = min(from+maxBlock, len(src))
		content, last := src[from:to], to == len(src)
		// Some old decoders do not accept a repeated byte as the first block.
		if from > 0 && repeatsByte(content) {
			dst = append(appendBlockHeader(dst, blockRLE, len(content), last), content[0])
			continue
		}
		f.parse(src[:to], from, f.tables.history)
		dst = f.blockEncoder.appendBlocks(dst, content, f.literals, f.sequences, last)
	}
	return dst
}

// A trial searches a part of a content in two ways: as its layout says, and for copies at any position. The part is near the
// middle of the bytes to which the result applies.
const (
	leastTried  = 64 << 10      // fewer bytes are not worth a trial
	trialEvery  = 16 * maxBlock // from one trial to the next
	triedShare  = 16            // the part that is tried is one in so many
	variedShare = 4             // the same for numbers with many different bytes
	leastPart   = maxBlock / 8  // the size of a part, at least; it has at most maxBlock

	// The search at any position is better if it saves more than one byte in so many of the part.
	betterNumbers = 32 // in numbers
	betterVaried  = 20 // in numbers with many different bytes, if the part has maxBlock
	betterRelated = 10 // in related bytes, where that search takes longest
)

// anyIsBetter tells whether a content, or a part of one, is better searched for copies at any position than as its layout
// says. It tries a part of one block. Numbers with many different bytes repeat in a whole content more often than in a part.
// So they need a larger part, and the smaller it is, the more that search has to save.
func (f *frameEncoder) anyIsBetter(src []byte) bool {
	blocks := (len(src) + maxBlock - 1) / maxBlock
	for i := range blocks {
		block := src[(i+blocks/2)%blocks*maxBlock:]
		block = block[:min(len(block), maxBlock)]
		l, ok := findLayout(block)
		numbers, related := f.searches(l, ok)
		n, share := max(len(src)/triedShare, leastPart), betterNumbers
		switch {
		case len(block) < leastPart || !numbers && !related:
			continue
		case l.varied:
			n = max(len(src)/variedShare, 2*leastPart)
			share = betterVaried * min(n, maxBlock) / maxBlock
		case related:
			n, share = 2*leastPart, betterRelated
		}
		n = min(n, len(block))
		part := block[(len(block)-n)/2&^7:][:n]
		if inNumbers, inRelated := f.searches(findLayout(part)); inNumbers != numbers || inRelated != related {
			continue // the part is not like its block
		}
		first, second := f.tryBoth(part)
		return second < first-first/share
	}
	return false
}

// tryBoth returns the sizes of a part after both searches. A second encoder makes them, because the tables of f belong to
// the frame.
func (f *frameEncoder) tryBoth(part []byte) (first, second int) {
	if f.sampler == nil {
		e := f.effort
		e.tableLog, e.numberLog, e.twoByteLog = min(e.tableLog, trialLog), min(e.numberLog, trialLog), min(e.twoByteLog, trialLog)
		f.sampler = newFrameEncoder(e)
	}
	t := f.sampler
	sizes := [2]int{}
	for i := range sizes {
		t.blockEncoder.reset()
		t.parser.reset(f.size)
		t.searched, t.anyPosition = len(part), i == 1
		t.parse(part, 0, t.tables.history)
		f.sampled = t.blockEncoder.appendBlocks(f.sampled[:0], part, t.literals, t.sequences, true)
		sizes[i] = len(f.sampled)
	}
	return sizes[0], sizes[1]
}

// trialLog is the logarithm of the most positions of a part that is tried.
const trialLog = 17
