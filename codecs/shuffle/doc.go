// Package shuffle regroups the bytes or the bits of the elements of an array, so that
// similar ones lie side by side for a compressor. It implements the shuffle filter of
// HDF5 and numcodecs, and both filters of Blosc.
//
// For n elements of size bytes each, byte j of element i moves from i*size+j to j*n+i,
// and bit t (0 is the lowest) of that byte to bit i%8 of the byte at (8*j+t)*n/8 + i/8.
// With two elements of three bytes:
//
//	elements          a0 a1 a2  b0 b1 b2
//	bytes shuffled    a0 b0  a1 b1  a2 b2
//
// All functions work in the same way on every host, because they move bytes without
// regard to byte order. They keep no state and may be called concurrently.
//
// On amd64 and arm64, kernels in SSE2 and NEON do most of the work for elements of 2, 4, 8
// and more bytes; the build tag purego leaves them out, and $ZMIGRATE_CPU turns them off. On
// other processors, for other sizes and for the last elements, kernels in Go handle 64 bits
// at a time. The assembly comes from descriptions (*.kernels), whose notation internal/kernels
// explains.
package shuffle

//go:generate go run ../../internal/kernels
