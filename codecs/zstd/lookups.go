package zstd

import "math/bits"

// hit is a position, counted from the first position of its run, and the offset to an
// earlier place with the same bytes. A third part is the offset to another place before
// verify, and the number of equal bytes after it.
type hit uint64

// Places of the parts of a hit.
const (
	hitOffset, hitLength = 16, 40
	offsetMask           = 1<<(hitLength-hitOffset) - 1
)

// run is a number of positions that are looked up in one pass. All bytes that a lookup
// reads, eight from each position on and the number before it, are content.
type run struct {
	layout
	at, count int
	most      int    // the largest offset
	down      uint   // how far a hash is shifted to give a slot of a table
	mask      uint64 // selects the bytes at a position that must be equal
	denseEach int    // the run is for dense if one of so many positions has a copy
}

// An entry of a table is the low 24 bits of a position and 8 bits of the hash, which
// distinguish most other positions of the same slot.
func (r *run) entry(at int, hash uint64) uint32 { return uint32(at)<<8 | uint32(hash>>24&0xff) }

// lookUpPlain enters the positions of a run into a table. It lists a position in hits
// if the same bytes may have occurred before, or if its first three bytes equal those
// one number before.
func lookUpPlain(hits *[runMost]hit, table []uint32, src []byte, r *run) int {
	k := 0
	for i := range r.count {
		at := r.at + i*r.step
		u := peek64(src, at)
		before := (u ^ peek64(src, at-r.size)) & 0xffffff
		h := u & r.mask * hash8
		entry := r.entry(at, h)
		e := table[h>>(r.down&63)]
		table[h>>(r.down&63)] = entry
		offset := (entry - e) >> 8
		miss := uint8(entry - e)
		if miss != 0 || offset-1 >= uint32(r.most) {
			offset = uint32(r.size)
		}
		hits[k] = hit(at-r.at) | hit(offset)<<hitOffset | hit(offset)<<hitLength
		if miss == 0 || before == 0 {
			k++
		}
	}
	return k
}

// lookUpLongPlain enters the positions of hits into a table of eight bytes each, and
// adds the places where these bytes may have occurred before.
func lookUpLongPlain(hits []hit, table []uint32, src []byte, r *run) {
	for i, x := range hits {
		at := r.at + int(x&(1<<hitOffset-1))
		h := peek64(src, at) * hash8
		entry := r.entry(at, h)
		e := table[h>>(r.down&63)]
		table[h>>(r.down&63)] = entry

		offset := (entry - e) >> 8
		if uint8(entry-e) != 0 || offset-1 >= uint32(r.most) {
			offset = uint32(x >> hitLength)
		}
		hits[i] = x&(1<<hitLength-1) | hit(offset)<<hitLength
	}
}

// verifyPlain keeps the hits whose bytes are really equal, and returns their number.
func verifyPlain(hits []hit, src []byte, r *run) int {
	k := 0
	for _, x := range hits {
		at := r.at + int(x&(1<<hitOffset-1))
		offset, long := int(x>>hitOffset&offsetMask), int(x>>hitLength)
		v := peek64(src, at)
		differ := peek64(src, at-offset) ^ v
		if peek64(src, at-long) == v {
			offset, differ = long, 0
		}
		n := bits.TrailingZeros64(differ) / 8
		need := r.width
		if offset == r.size {
			need = minMatch // because the next sequence often has the same offset
		}
		hits[k] = x&(1<<hitOffset-1) | hit(offset)<<hitOffset | hit(n)<<hitLength
		if n >= need {
			k++
		}
	}
	return k
}
