package szip

import (
	"encoding/binary"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs/shuffle"
)

// Decoder decodes streams that have the same parameters. It is immutable, and safe for
// concurrent use.
type Decoder struct {
	block, blocks int    // samples of a block, blocks of a scanline
	scanline      int    // samples of a scanline that count
	bits          uint   // of a sample
	option        uint   // bits of an option
	most          uint32 // the greatest sample
	size          int    // bytes of a sample in the content
	words         int    // bytes of an element whose bytes are regrouped; 0: they are not
	big, predict  bool
}

// NewDecoder checks the parameters.
func NewDecoder(p Parameters) (*Decoder, error) {
	switch {
	case p.Block < 2 || p.Block > MaxBlock || p.Block%2 != 0:
		return nil, fmt.Errorf("szip: %d samples in a block: want an even number from 2 to %d", p.Block, MaxBlock)
	case p.Bits < 1 || p.Bits > 32 && p.Bits != 64:
		return nil, fmt.Errorf("szip: elements of %d bits: want 1 to 32, or 64", p.Bits)
	case p.Scanline < 1 || p.Scanline > 1<<30:
		return nil, fmt.Errorf("szip: %d samples in a scanline", p.Scanline)
	}
	d := &Decoder{
		block: p.Block, blocks: (p.Scanline-1)/p.Block + 1, scanline: p.Scanline, bits: uint(p.Bits),
		big: p.Options&BigEndian != 0, predict: p.Options&Nearest != 0,
	}
	if p.Bits == 32 || p.Bits == 64 {
		d.words, d.bits = p.Bits/8, 8
	}
	switch {
	case d.bits <= 8:
		d.option, d.size = 3, 1
	case d.bits <= 16:
		d.option, d.size = 4, 2
	default:
		d.option, d.size = 5, 4
	}
	d.most = 1<<d.bits - 1
	return d, nil
}

// Scratch returns the number of bytes of memory that Decode needs for content of n
// bytes, besides the content itself.
func (d *Decoder) Scratch(n int) int {
	if d.words > 0 {
		return n
	}
	return 0
}

// Decode fills dst with the content of a stream. scratch has at least Scratch(len(dst))
// bytes. If the stream has more content, Decode drops the rest, as other decoders do.
// Errors wrap [ErrCorrupt]. After an error the bytes of dst are undefined.
func (d *Decoder) Decode(dst, src, scratch []byte) error {
	if d.words == 0 {
		return d.decode(dst, src)
	}
	if len(dst)%d.words != 0 {
		return fmt.Errorf("%w: %d bytes of elements of %d bytes", ErrCorrupt, len(dst), d.words)
	}
	scratch = scratch[:len(dst)]
	if err := d.decode(scratch, src); err != nil {
		return err
	}
	shuffle.DecodeBytes(dst, scratch, d.words)
	return nil
}

func (d *Decoder) decode(dst, src []byte) error {
	if len(dst)%d.size != 0 {
		return fmt.Errorf("%w: %d bytes of samples of %d bytes", ErrCorrupt, len(dst), d.size)
	}
	r := &reader{src: src}
	var values [MaxBlock]uint32
	all := values[:d.block]
	for len(dst) > 0 {
		left := d.scanline
		last := uint32(0)
		for b := 0; b < d.blocks && len(dst) > 0; {
			coded := all
			if b == 0 && d.predict {
				coded = all[1:]
			}
			zeros, err := d.read(r, all, coded, b)
			if err != nil {
				return err
			}
			if b == 0 && d.predict {
				last = all[0]
			}
			n := min(max(zeros, 1)*d.block, left, len(dst)/d.size)
			if zeros > 0 {
				if !d.predict {
					last = 0
				}
				d.repeat(dst[:n*d.size], last)
			} else {
				if d.predict {
					last = d.restore(coded, last)
				}
				d.put(dst[:n*d.size], all)
			}
			dst = dst[n*d.size:]
			left -= n
			b += max(zeros, 1)
		}
	}
	return nil
}

// repeat fills dst with a sample.
func (d *Decoder) repeat(dst []byte, sample uint32) {
	if len(dst) == 0 {
		return
	}
	d.put(dst[:d.size], []uint32{sample})
	for done := d.size; done < len(dst); {
		done += copy(dst[done:], dst[:done])
	}
}

// read reads block number b of a scanline. all is its samples, and coded those of them that
// are not a reference. If the block is one of zeros, read returns how many blocks of zeros
// there are, with this one. Of their samples, it sets the reference alone.
func (d *Decoder) read(r *reader, all, coded []uint32, b int) (zeros int, err error) {
	option := uint(r.take(d.option))
	pairs := option == 0 && r.take(1) == 1
	plain := option == 1<<d.option-1
	if len(coded) < len(all) && !plain {
		all[0] = r.take(d.bits)
	}
	switch {
	case plain:
		r.fixed(all, d.bits)
	case pairs:
		err = d.pairs(r, all, coded)
	case option == 0:
		zeros, err = d.zeros(r.unary(), b)
	default:
		k := option - 1
		most := r.unaries(coded, k)
		if k > d.bits || most > uint64(d.most>>k) {
			return 0, fmt.Errorf("%w: a sample of more than %d bits", ErrCorrupt, d.bits)
		}
		if k > 0 {
			r.add(coded, k)
		}
	}
	if r.short {
		return 0, fmt.Errorf("%w: it ends before its last sample", ErrCorrupt)
	}
	return zeros, err
}

// segment is the number of blocks at whose end blocks of zeros may end, too.
const segment = 64

// zeros returns how many blocks of zeros begin with block number b of a scanline. n is the
// unary number that says so: 4 stands for the rest of the segment or scanline, smaller
// numbers for one more, and greater numbers for themselves.
func (d *Decoder) zeros(n uint64, b int) (int, error) {
	left := d.blocks - b
	switch {
	case n == 4:
		return min(left, segment-b%segment), nil
	case n < 4:
		n++
	}
	if n > uint64(left) {
		return 0, fmt.Errorf("%w: %d blocks of zeros, but %d are left", ErrCorrupt, n, left)
	}
	return int(n), nil
}

// mostPaired is the greatest sum of a pair.
const mostPaired = 12

// pairs reads samples in pairs. If the first sample is a reference, the first pair has
// only its second number.
func (d *Decoder) pairs(r *reader, all, coded []uint32) error {
	for i := 0; i < len(all); i += 2 {
		code := r.unary()
		sum, first := uint64(0), uint64(0) // first is the code of (sum, 0)
		for sum < mostPaired && first+sum+1 <= code {
			first += sum + 1
			sum++
		}
		second := code - first
		if second > sum || max(second, sum-second) > uint64(d.most) {
			return fmt.Errorf("%w: pair %d", ErrCorrupt, code)
		}
		if i > 0 || len(coded) == len(all) {
			all[i] = uint32(sum - second)
		}
		all[i+1] = uint32(second)
	}
	return nil
}

// restore replaces mapped differences by samples. last is the sample before them. It
// returns the last sample.
func (d *Decoder) restore(v []uint32, last uint32) uint32 {
	most, middle := d.most, d.most/2+1
	for i, mapped := range v {
		upper := uint32(0) // all bits of a sample if the last one is in the upper half
		if last&middle != 0 {
			upper = most
		}
		if mapped>>1+mapped&1 <= upper^last { // the room on the smaller side
			last += mapped>>1 ^ -(mapped & 1)
		} else {
			last = upper ^ mapped
		}
		v[i] = last
	}
	return last
}

// put writes samples to dst, as many as it has room for.
func (d *Decoder) put(dst []byte, v []uint32) {
	switch {
	case d.size == 1:
		v = v[:len(dst)]
		for i, s := range v {
			dst[i] = byte(s)
		}
	case d.size == 2 && d.big:
		for _, s := range v[:len(dst)/2] {
			binary.BigEndian.PutUint16(dst, uint16(s))
			dst = dst[2:]
		}
	case d.size == 2:
		for _, s := range v[:len(dst)/2] {
			binary.LittleEndian.PutUint16(dst, uint16(s))
			dst = dst[2:]
		}
	case d.big:
		for _, s := range v[:len(dst)/4] {
			binary.BigEndian.PutUint32(dst, s)
			dst = dst[4:]
		}
	default:
		for _, s := range v[:len(dst)/4] {
			binary.LittleEndian.PutUint32(dst, s)
			dst = dst[4:]
		}
	}
}
