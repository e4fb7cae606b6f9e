package sinks

import (
	"iter"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// size returns the bytes of memory that the cell takes.
func (c cell) size(chain *codecs.Chain) int {
	if c.values == nil {
		return len(c.data)
	}
	if c.values.Heap != nil {
		return len(c.values.Data) + chain.SizeOf(*c.values)
	}
	return len(c.values.Data)
}

// put replaces a cell.
func (o *object) put(number int, c cell) {
	if o.cells == nil {
		o.cells = map[int]cell{}
	}
	c.bytes = c.size(o.array.cell)
	o.count(c.bytes - o.cells[number].bytes)
	o.cells[number] = c
}

// count changes the memory that the cells take.
func (o *object) count(n int) {
	o.bytes += n
	o.array.writer.waiting.Add(int64(n))
}

// cells iterates over the cells of an object that meet a part of it, in C order. inside
// is the shape of the elements of the object that lie within the array. Each cell comes
// with its number in the object and with the box of its elements within the array.
func (a *Array) cells(inside []int, part ndarray.Region) iter.Seq2[int, ndarray.Region] {
	whole := ndarray.Region{Start: make([]int, len(inside)), Shape: inside}
	return func(yield func(int, ndarray.Region) bool) {
		if a.shards == nil {
			yield(0, whole)
			return
		}
		shape, counts := a.cell.Chunk().Shape, a.shards.Count()
		first, last := make([]int, len(shape)), make([]int, len(shape))
		for i, n := range shape {
			first[i], last[i] = part.Start[i]/n, (part.Start[i]+part.Shape[i]-1)/n
		}
		for index := slices.Clone(first); index != nil; index = ndarray.Next(index, first, last) {
			number := 0
			for i, at := range index {
				number = number*counts[i] + at
			}
			if !yield(number, overlap(a.shards.Region(number), whole)) {
				return
			}
		}
	}
}

// overlap returns the box that two boxes have in common.
func overlap(a, b ndarray.Region) ndarray.Region {
	both := ndarray.Region{Start: make([]int, len(a.Start)), Shape: make([]int, len(a.Start))}
	for i := range both.Start {
		both.Start[i] = max(a.Start[i], b.Start[i])
		both.Shape[i] = min(a.Start[i]+a.Shape[i], b.Start[i]+b.Shape[i]) - both.Start[i]
	}
	return both
}

// elements returns the number of elements of a shape.
func elements(shape []int) int {
	n, _ := ndarray.Elements(shape)
	return n
}
