package sinks

import (
	"iter"
	"math/bits"
)

// bitset is a set of numbers from 0 on. The zero value is empty.
type bitset []uint64

func (b bitset) has(n int) bool { return n/64 < len(b) && b[n/64]&(1<<(n%64)) != 0 }

// put adds a number, or removes it.
func (b *bitset) put(n int, in bool) {
	for n/64 >= len(*b) {
		*b = append(*b, 0)
	}
	if in {
		(*b)[n/64] |= 1 << (n % 64)
	} else {
		(*b)[n/64] &^= 1 << (n % 64)
	}
}

// all iterates over the numbers in the set.
func (b bitset) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range b {
			for ; word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
