//go:build !amd64 || purego

package zstd

// encodePair encodes a to dstA and b to dstB, as encode does.
func (t *huffmanTable) encodePair(dstA, dstB, a, b []byte) (sizeA, sizeB int) {
	return t.encode(dstA, a), t.encode(dstB, b)
}
