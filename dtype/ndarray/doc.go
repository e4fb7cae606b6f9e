// Package ndarray holds N-dimensional arrays over plain bytes: shapes, strides,
// regions, typed views, strided copies, and pooled buffers with one owner.
//
// An [Array] is a small value: a view of memory that somebody else owns. Copying the
// value copies no element. Strides are in bytes and may be in any order, so a
// transposed array is only another view. Nothing here locks: concurrent reads are safe,
// and nobody else may use a region while it is written.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	huge_linux.go      large pages
//	huge_other.go      no large pages
//	array.go           Array, Region, and the heap of elements of variable size
//	axes.go            the dimensions of two arrays that are walked together
//	heap.go            what a heap does
//	plane.go           copies of two dimensions at once
//	runs.go            runs of elements that lie together: fill, compare, swap
//	copy.go            Copy
//	from.go            arrays of numbers of Go
//	invariants_off.go  released buffers are kept as they are
//	invariants_on.go   released buffers are overwritten
//	pieces.go          arrays piece by piece
//	pool.go            buffers with one owner
package ndarray
