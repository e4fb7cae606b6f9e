package shuffle

// In the kernels a bit has three kinds of index bits: which of eight words (w), which
// byte of the word (b, 0 the lowest) and which bit of the byte (t). exchange swaps the
// roles of one bit of w and one bit of b or t for a pair of words; three such steps
// over eight words transpose a matrix of 8×8 bytes (w ↔ b) or eight matrices of 8×8
// bits (w ↔ t).

const (
	halves   = 0x00000000ffffffff
	quarters = 0x0000ffff0000ffff
	eighths  = 0x00ff00ff00ff00ff
	nibbles  = 0x0f0f0f0f0f0f0f0f
	pairs    = 0x3333333333333333
	singles  = 0x5555555555555555
)

// exchange swaps the bits of a that mask<<shift selects with those of b that
// mask selects.
func exchange(a, b uint64, shift uint, mask uint64) (uint64, uint64) {
	t := (a>>shift ^ b) & mask
	return a ^ t<<shift, b ^ t
}

// transposeBytes moves byte b of word w to byte w of word b. It is its own
// inverse.
func transposeBytes(a0, a1, a2, a3, a4, a5, a6, a7 uint64) (_, _, _, _, _, _, _, _ uint64) {
	a0, a4 = exchange(a0, a4, 32, halves)
	a1, a5 = exchange(a1, a5, 32, halves)
	a2, a6 = exchange(a2, a6, 32, halves)
	a3, a7 = exchange(a3, a7, 32, halves)
	a0, a2 = exchange(a0, a2, 16, quarters)
	a1, a3 = exchange(a1, a3, 16, quarters)
	a4, a6 = exchange(a4, a6, 16, quarters)
	a5, a7 = exchange(a5, a7, 16, quarters)
	a0, a1 = exchange(a0, a1, 8, eighths)
	a2, a3 = exchange(a2, a3, 8, eighths)
	a4, a5 = exchange(a4, a5, 8, eighths)
	a6, a7 = exchange(a6, a7, 8, eighths)
	return a0, a1, a2, a3, a4, a5, a6, a7
}

// transposeBits moves bit t of each byte of word w to bit w of the same byte
// of word t. It is its own inverse.
func transposeBits(a0, a1, a2, a3, a4, a5, a6, a7 uint64) (_, _, _, _, _, _, _, _ uint64) {
	a0, a4 = exchange(a0, a4, 4, nibbles)
	a1, a5 = exchange(a1, a5, 4, nibbles)
	a2, a6 = exchange(a2, a6, 4, nibbles)
	a3, a7 = exchange(a3, a7, 4, nibbles)
	a0, a2 = exchange(a0, a2, 2, pairs)
	a1, a3 = exchange(a1, a3, 2, pairs)
	a4, a6 = exchange(a4, a6, 2, pairs)
	a5, a7 = exchange(a5, a7, 2, pairs)
	a0, a1 = exchange(a0, a1, 1, singles)
	a2, a3 = exchange(a2, a3, 1, singles)
	a4, a5 = exchange(a4, a5, 1, singles)
	a6, a7 = exchange(a6, a7, 1, singles)
	return a0, a1, a2, a3, a4, a5, a6, a7
}
