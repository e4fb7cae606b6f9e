package zstd

import (
	"encoding/binary"
	"math/bits"
)

// takeDensePlain makes sequences from a run of positions, one after the other. It
// copies from the last position with the same hash or, failing that, from one number
// before. Of the positions that it copies, it enters only the last one into the table.
// It returns the number of copies, found by hash, of more than seven bytes.
//
// After a shorter copy the search need not wait for the copy's length: with steps of four bytes, it
// continues eight bytes later, which is where such a copy ends. With steps of two bytes, it continues six or
// eight bytes later; a processor foresees that mostly, because few copies have seven bytes.
func (p *parser) takeDensePlain(table []uint32, src []byte, r *run) (long int) {
	sequences, k := p.sequences[:cap(p.sequences)], len(p.sequences)
	literals, m := p.literals[:cap(p.literals)], len(p.literals)
	anchor, most, stop := p.anchor, r.most, r.at+r.count*r.step
	for at := r.at; at < stop; {
		v := peek64(src, at)
		d := r.replace(table, at, v)
		offset := int(d >> 8)
		var n, next int
		if uint8(d) == 0 && uint32(offset-1) < uint32(most) {
			differ := peek64(src, at-offset) ^ v
			if differ&r.mask != 0 {
				at += r.step
				continue
			}
			n, next = bits.TrailingZeros64(differ)/8, at+8
			if r.step == 2 && n < 7 {
				next = at + 6
			}
			if n == 8 {
				long++
				n = matchLength(src, at, offset, n)
				next = r.align(at + n)
			}
		} else {
			offset = r.size
			differ := peek64(src, at-offset) ^ v
			if differ&0xffffff != 0 {
				at += r.step
				continue
			}
			if n = bits.TrailingZeros64(differ) / 8; n == 8 {
				n = matchLength(src, at, offset, n)
			}
			next = r.align(at + n)
		}
		same := bits.LeadingZeros64((peek64(src, at-8)^peek64(src, at-8-offset))|1) / 8
		same = min(same, at-anchor)
		count := at - same - anchor
		for i := 0; i == 0 || i < count; i += wild {
			binary.LittleEndian.PutUint64(literals[m+i:], peek64(src, anchor+i))
		}
		m += count
		s := &sequences[k]
		s.literals, s.length, s.offset = uint32(count), uint32(n+same), uint32(offset)
		k++
		anchor, at = at+n, next
		if at < stop {
			r.replace(table, at-r.step, peek64(src, at-r.step))
		}
	}
	p.sequences, p.literals, p.anchor = sequences[:k], literals[:m], anchor
	return long
}

// replace enters a position with the bytes v into a table. It returns the entry minus
// the entry that it replaces.
func (r *run) replace(table []uint32, at int, v uint64) uint32 {
	h := v & r.mask * hash8
	entry := r.entry(at, h)
	e := table[h>>(r.down&63)]
	table[h>>(r.down&63)] = entry
	return entry - e
}
