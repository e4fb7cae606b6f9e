//go:build !amd64 || purego

package digest

func sumWords(data []byte, at []int, key []uint64, c int, keys []uint32) uint64 {
	return sumWordsPlain(data, at, key, c, keys)
}
