package zfp

// The kernels for AVX2 and NEON have the coefficients of a block in the block's own order
// until they make planes: x before y before z. Of four blocks of two dimensions they have
// the rows, x before blocks before y, which are the same places.

// A sortingPair sorts a byte of each coefficient: from the places where a kernel collects
// them to the order of the stream, and back.
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
// the place of coefficient i in the block.
func makeSortings(place func(i int) int) (pair32, pair64 sortingPair) {
	for i := range 64 {
		pair32.add(i, collected32(place(i)))
		pair64.add(i, collected64(place(i)))
	}
	return pair32, pair64
}
