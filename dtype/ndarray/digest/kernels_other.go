//go:build !amd64 || purego

package digest

func sumWords(data []byte, at []int, key []uint64, c int, keys []uint32) uint64 {
	return sumWordsPlain(data, at, key, c, keys)
}

// Kernels names the extensions of the processor that the kernels of this package use. It
// returns "" if functions in Go do all the work.
func Kernels() string { return "" }
