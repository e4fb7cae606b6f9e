package zfp

// The kernels for AVX2 have the coefficients of a block in the block's own order until
// they make planes: x before y before z. Of four blocks of two dimensions they have the
// rows, x before blocks before y, which are the same places.

// A sorting has indexes of bytes for each of four lanes of 16 bytes. The results for all
// lanes are put together; an index with the highest bit set gives 0.
type sorting [4][64]uint8

// A sortingPair sorts a byte of each coefficient: from the lanes in which a kernel
// collects them to the order of the stream, and back. OCTET in avx2_amd64.h says in which
// order it needs them.
type sortingPair struct{ collect, spread sorting }

var (
	sortBlock32, sortBlock64 = makeSortings(func(i int) int { return int(order3[i]) })
	sortRun32, sortRun64     = makeSortings(func(i int) int {
		at := int(order2[i&15])
		return at>>2<<4 | i>>4<<2 | at&3
	})
	// Coefficients that are in the order of the stream already.
	sortNone32, sortNone64 = makeSortings(func(i int) int { return i })
)

// makeSortings returns the sortings for words of 32 and of 64 bits, where place returns
// the place of coefficient i.
func makeSortings(place func(i int) int) (pair32, pair64 sortingPair) {
	for i := range 64 {
		at := place(i)
		x, y, z := at&3, at>>2&3, at>>4
		pair32.add(i, y, 4*z+x)
		pair64.add(i, z&2|x>>1, z&1<<3|y<<1|x&1)
	}
	return pair32, pair64
}

// add sets the indexes for coefficient i, whose byte is in a lane.
func (p *sortingPair) add(i, lane, at int) {
	to := i
	if to>>4 == 1 || to>>4 == 2 { // OCTET needs the second and the third 16 exchanged
		to ^= 48
	}
	for l := range 4 {
		p.collect[l][to], p.spread[l][16*lane+at] = 0x80, 0x80
	}
	p.collect[lane][to] = uint8(at)
	p.spread[i>>4][16*lane+at] = uint8(i & 15)
}
