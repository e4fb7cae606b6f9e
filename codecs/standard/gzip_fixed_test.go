package standard_test

import (
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// withFixedCodes returns data in the fixed codes of DEFLATE, as zlib-ng writes it at level 1, even
// if that takes more bytes than the data have.
func withFixedCodes(data []byte) []byte {
	var out []byte
	bits := 0
	put := func(code uint, n int) { // the first bit of a code is its highest
		for n--; n >= 0; n-- {
			if bits%8 == 0 {
				out = append(out, 0)
			}
			out[bits/8] |= byte(code>>n&1) << (bits % 8)
			bits++
		}
	}
	put(0b110, 3) // the last block, with fixed codes
	for _, b := range data {
		if b < 144 {
			put(0x30+uint(b), 8)
		} else {
			put(0x190+uint(b)-144, 9)
		}
	}
	put(0, 7)
	return out
}

// TestLargerThanContent decodes streams of other programs that are an eighth larger than their content.
func TestLargerThanContent(t *testing.T) {
	for _, size := range []int{1, 7, 4096, 1 << 20} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(144 + i*i%112)
		}
		coded := withFixedCodes(data)
		gzip := append([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), coded...)
		gzip = binary.LittleEndian.AppendUint32(gzip, crc32.ChecksumIEEE(data))
		gzip = binary.LittleEndian.AppendUint32(gzip, uint32(size))
		zlib := binary.BigEndian.AppendUint32(append([]byte("\x78\x01"), coded...), adler32.Checksum(data))
		for name, stream := range map[string][]byte{`"gzip"`: gzip, `"numcodecs.zlib"`: zlib, `"numcodecs.gzip"`: gzip} {
			chain := boundChain(t, `["bytes",`+name+`]`, codecs.Chunk{Type: dtype.Uint8, Shape: []int{size}, Fill: dtype.Scalar{0}})
			got := ndarray.New(dtype.Uint8, []int{size})
			err := chain.DecodeRegion(t.Context(), &ndarray.Pool{}, got, []int{0}, codecs.InMemory(stream))
			if err != nil || !cmp.Equal(got.Data[:size], data) {
				t.Errorf("%s, %d bytes for %d: %v", name, len(stream), size, err)
			}
			if err := chain.Verify(t.Context(), codecs.InMemory(stream)); err != nil {
				t.Errorf("%s, %d bytes for %d: verified: %v", name, len(stream), size, err)
			}
		}
	}
}
