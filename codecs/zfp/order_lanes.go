//go:build !arm64 || purego

package zfp

// A sorting has indexes of bytes for each of four lanes of 16 bytes. The results for all
// lanes are put together; an index with the highest bit set gives 0.
type sorting [4][64]uint8

// collected32 and collected64 return where a kernel collects the byte of the value at a
// place of the block.
func collected32(at int) int {
	x, y, z := at&3, at>>2&3, at>>4
	return y<<4 | z<<2 | x
}

func collected64(at int) int {
	x, y, z := at&3, at>>2&3, at>>4
	return z>>1<<5 | x>>1<<4 | z&1<<3 | y<<1 | x&1
}

// add sets the indexes for coefficient i, whose byte is collected at a place.
func (p *sortingPair) add(i, at int) {
	to := i
	if to>>4 == 1 || to>>4 == 2 { // OCTET in avx2_amd64.h needs the second and the third 16 exchanged
		to ^= 48
	}
	for l := range 4 {
		p.collect[l][to], p.spread[l][at] = 0x80, 0x80
	}
	p.collect[at>>4][to] = uint8(at & 15)
	p.spread[i>>4][at] = uint8(i & 15)
}
