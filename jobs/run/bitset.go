package run

import (
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// bitset holds a set of unit numbers in one bit each.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) clear(i int)    { b[i/64] &^= 1 << (i % 64) }

// setRange sets the numbers from first on, before end.
func (b bitset) setRange(first, end int) {
	for first < end {
		if first%64 == 0 && end-first >= 64 {
			b[first/64] = math.MaxUint64
			first += 64
			continue
		}
		b.set(first)
		first++
	}
}

// setBox sets the numbers of the cells from first to last, both included, of a grid
// with so many cells along each dimension, counted in C order.
func (b bitset) setBox(counts, first, last []int) {
	index := slices.Clone(first)
	for index != nil {
		number := 0
		for k, n := range counts {
			number = number*n + index[k]
		}
		b.set(number)
		index = ndarray.Next(index, first, last)
	}
}
