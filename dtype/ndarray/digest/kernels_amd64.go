//go:build !purego

package digest

import (
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// sumWords is sumWordsPlain, with a kernel from the level AVX2 on. keys has overread keys
// of capacity behind its length, and at is not empty.
func sumWords(data []byte, at []int, key []uint64, c int, keys []uint32) uint64 {
	if cpu.Used() < cpu.AVX2 {
		return sumWordsPlain(data, at, key, c, keys)
	}
	return sumWordsKernel(unsafe.Pointer(&data[c]), &at[0], &key[0], len(at), &keys[0], len(keys))
}

// sumWordsKernel does the same as sumWordsPlain for count rows, of which at has the
// distances from data. It does not check its arguments. It reads up to 7 keys behind the
// last one and multiplies them with zeros.
//
//go:noescape
func sumWordsKernel(data unsafe.Pointer, at *int, key *uint64, count int, keys *uint32, words int) uint64

// Kernels names the extensions of the processor that the kernels of this package use. It
// returns "" if functions in Go do all the work.
func Kernels() string {
	if cpu.Used() >= cpu.AVX2 {
		return "AVX2"
	}
	return ""
}
