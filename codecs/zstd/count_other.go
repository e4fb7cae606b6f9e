//go:build !amd64 || purego

package zstd

func count(counts *[256]uint32, src []byte) { countPlain(counts, src) }

func weigh(a, b *[256]uint32) int { return weighPlain(a, b) }
