package zstd

import (
	"errors"
	"fmt"
	"math/bits"
)

const (
	// wildCopy is the most bytes that the fast decoder may read behind the literals of
	// a sequence, and write behind its copy.
	wildCopy = 32

	// containerBits is the number of bits of a stream that eight bytes certainly hold.
	containerBits = 56
)

// sequenceDecoder decodes the sequences of one block after the other, and carries them
// out.
type sequenceDecoder struct {
	tables  [codeKinds]decodeTable
	logs    [codeKinds]uint8
	defined [codeKinds]bool // a block of the frame has had a table of the kind

	// states are the states for the next sequence. left is the number of sequences that
	// are not decoded yet.
	states [codeKinds]int
	left   int

	// src is the input. The sequences of the block are the bits from firstBit up to
	// bit. The highest bits are read first.
	src      []byte
	bit      int
	firstBit int

	// dst is filled up to out. The frame fills it from frameStart on, and up to end at
	// most. The block fills it from blockStart on, with no more than most bytes.
	dst        []byte
	out        int
	frameStart int
	end        int
	blockStart int
	most       int
	// until is how far dst has to be filled. The decoder may stop anywhere behind that.
	until int
	// history holds the last three offsets (RFC 8878, section 3.1.1.5).
	history [3]uint64
	window  int // the largest offset, in bytes

	// literals are the literals of the block; the first taken of them are used. Behind
	// them, spare further bytes can be read.
	literals []byte
	taken    int
	spare    int

	// The fast decoder decodes sequences that end at fastOut or before, and use
	// literals up to fastTaken at most.
	fastOut   int
	fastTaken int

	plain bool // kernels are not used
}

// errBlock reports a block with more content than allowed.
var errBlock = errors.New("zstd: a block holds more than a block of the frame may")

// sequencesSection decodes the sequences in src[at:end], and makes the content of the
// block from them and the literals.
func (d *sequenceDecoder) sequencesSection(at, end int) error {
	d.taken, d.blockStart = 0, d.out
	n, length := sequenceCount(d.src[at:end])
	at += length
	switch {
	case length == 0:
		return errShort
	case n == 0 && at < end:
		return errors.New("zstd: a block without sequences goes on")
	case n > 0:
		at, err := d.readTables(at, end)
		if err == nil {
			err = d.start(n, at, end)
		}
		if err == nil {
			err = d.decode()
		}
		if err != nil {
			return err
		}
	}
	if d.out >= d.until {
		return nil
	}
	rest := d.literals[d.taken:]
	if err := d.fits(len(rest)); err != nil {
		return err
	}
	d.out += copy(d.dst[d.out:], rest)
	return nil
}

// sequenceCount reads the number of sequences (RFC 8878, section 3.1.1.3.2.1). It
// returns the length of the number in bytes, or zero if the number is cut off.
func sequenceCount(b []byte) (n, length int) {
	switch {
	case len(b) > 0 && b[0] < 128:
		return int(b[0]), 1
	case len(b) > 1 && b[0] < 255:
		return int(b[0]-128)<<8 | int(b[1]), 2
	case len(b) > 2 && b[0] == 255:
		return 0x7f00 + int(b[1]) + int(b[2])<<8, 3
	}
	return 0, 0
}

// readTables reads the tables of the block, and returns their end.
func (d *sequenceDecoder) readTables(at, end int) (next int, err error) {
	if at == end {
		return 0, errShort
	}
	modes := d.src[at]
	at++
	if modes&3 != 0 {
		return 0, errors.New("zstd: reserved bits of the modes of tables are set")
	}
	for i := range d.tables {
		k, t := &decodeKinds[i], &d.tables[i]
		switch modes >> (6 - 2*i) & 3 {
		case modePredefined:
			copy(t[:1<<k.predefinedLog], k.predefined[:])
			d.logs[i] = k.predefinedLog
		case modeRLE:
			if at == end {
				return 0, errShort
			}
			if err := t.single(k, d.src[at]); err != nil {
				return 0, err
			}
			d.logs[i] = 0
			at++
		case modeFSE:
			log, length, err := t.readTable(k, d.src[at:end])
			if err != nil {
				return 0, err
			}
			d.logs[i] = log
			at += length
		default:
			if !d.defined[i] {
				return 0, errors.New("zstd: the table of the block before, which has none")
			}
		}
		d.defined[i] = true
	}
	return at, nil
}

// start prepares reading the bit stream src[at:end] of n sequences.
func (d *sequenceDecoder) start(n, at, end int) error {
	if at == end || d.src[end-1] == 0 {
		return errors.New("zstd: the stream of sequences has no end")
	}
	d.left = n
	d.firstBit, d.bit = 8*at, 8*(end-1)+bits.Len8(d.src[end-1])-1
	for _, i := range [codeKinds]int{literalLengths, offsets, matchLengths} {
		d.states[i] = d.take(int(d.logs[i]))
	}
	if d.bit < d.firstBit {
		return errBits
	}
	d.fastOut = max(0, min(d.blockStart+d.most, d.end, d.until, len(d.dst)-wildCopy))
	d.fastTaken = min(len(d.literals), len(d.literals)+d.spare-wildCopy)
	return nil
}

// take reads n bits, at most 31. If the stream has fewer bits left, bit is below
// firstBit afterwards.
func (d *sequenceDecoder) take(n int) int {
	d.bit -= n
	if d.bit < d.firstBit {
		return 0
	}
	// A frame's header comes before the stream, and has more than eight bytes.
	word := load64(d.src, (d.bit+n+7)>>3-8)
	return int(word << (-(d.bit + n) & 7) >> (64 - n))
}

// decode decodes the sequences of the block, all of them unless dst is filled far enough before.
func (d *sequenceDecoder) decode() error {
	for d.left > 0 && d.out < d.until {
		d.decodeFast()
		if err := d.decodeOne(); err != nil {
			return err
		}
	}
	if d.left == 0 && d.bit != d.firstBit {
		return fmt.Errorf("zstd: %d bits of sequences are left", d.bit-d.firstBit)
	}
	return nil
}

// decodeOne decodes one sequence, anywhere.
func (d *sequenceDecoder) decodeOne() error {
	var entries [codeKinds]entry
	for i := range entries {
		entries[i] = d.tables[i][d.states[i]]
	}
	value := 1<<entries[offsets].extra() + d.take(entries[offsets].extra())
	length := entries[matchLengths].base() + d.take(entries[matchLengths].extra())
	literals := entries[literalLengths].base() + d.take(entries[literalLengths].extra())
	d.left--
	if d.left > 0 {
		for _, i := range [codeKinds]int{literalLengths, matchLengths, offsets} {
			d.states[i] = entries[i].next() + d.take(entries[i].stateBits())
		}
	}
	if d.bit < d.firstBit {
		return errBits
	}
	offset := d.offset(value, literals)
	if literals > len(d.literals)-d.taken {
		return fmt.Errorf("zstd: a sequence takes %d literals of %d", literals, len(d.literals)-d.taken)
	}
	if err := d.fits(literals + length); err != nil {
		return err
	}
	d.out += copy(d.dst[d.out:], d.literals[d.taken:d.taken+literals])
	d.taken += literals
	switch {
	case offset == 0:
		return errOffset
	case offset > d.out-d.frameStart:
		return fmt.Errorf("zstd: a copy from %d bytes back, after %d", offset, d.out-d.frameStart)
	case offset > d.window:
		return fmt.Errorf("zstd: a copy from %d bytes back in a window of %d", offset, d.window)
	}
	// The source of the copy may overlap its destination.
	from := d.out - offset
	for to := d.dst[d.out : d.out+length]; len(to) > 0; {
		n := copy(to, d.dst[from:d.out])
		to = to[n:]
		d.out += n
	}
	return nil
}

// errBits reports a stream that has fewer bits than its sequences need.
var errBits = errors.New("zstd: the stream of sequences is too short")

// errOffset reports that an offset of the history, minus one, is zero.
var errOffset = errors.New("zstd: a copy from no bytes back")

// fits returns an error if the block may not have n further bytes, or if there is no
// room for them.
func (d *sequenceDecoder) fits(n int) error {
	if n > d.blockStart+d.most-d.out {
		return errBlock
	}
	if n > d.end-d.out {
		return ErrTooLarge
	}
	return nil
}

// offset returns the offset for which a value stands in a sequence with the given
// number of literals. It puts the offset into the history (RFC 8878, section 3.1.1.5).
func (d *sequenceDecoder) offset(value, literals int) int {
	h := &d.history
	if value > 3 {
		*h = [3]uint64{uint64(value - 3), h[0], h[1]}
		return value - 3
	}
	if literals == 0 {
		value++
	}
	switch value {
	case 2:
		*h = [3]uint64{h[1], h[0], h[2]}
	case 3:
		*h = [3]uint64{h[2], h[0], h[1]}
	case 4:
		*h = [3]uint64{h[0] - 1, h[0], h[1]}
	}
	return int(h[0])
}
