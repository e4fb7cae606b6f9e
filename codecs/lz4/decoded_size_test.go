package lz4_test

import (
	"bufio"
	"bytes"
	"testing"

	peer "github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/codecs/lz4"
)

func size(block []byte, most int) (int64, error) {
	return lz4.DecodedSize(bufio.NewReader(bytes.NewReader(block)), int64(most))
}

// TestDecodedSize returns the size of blocks, refuses larger ones, and reports blocks
// that are cut short.
func TestDecodedSize(t *testing.T) {
	var e lz4.Encoder
	for i, src := range contents() {
		block := make([]byte, lz4.MaxEncodedSize(len(src)))
		block = block[:e.Encode(block, src, 1)]
		if n, err := size(block, len(src)); err != nil || n != int64(len(src)) {
			t.Errorf("content %d: %d bytes, want %d, %v", i, n, len(src), err)
		}
		if len(src) == 0 {
			continue
		}
		if n, err := size(block, len(src)-1); err == nil {
			t.Errorf("content %d: %d bytes, where fewer than %d are wanted", i, n, len(src))
		}
		for _, n := range []int{0, len(block) / 2, len(block) - 1} {
			if got, err := size(block[:n], len(src)); err == nil && got == int64(len(src)) {
				t.Errorf("content %d: all is in the first %d of %d bytes", i, n, len(block))
			}
		}
	}
}

// FuzzDecodedSize refuses no block that can be decoded.
func FuzzDecodedSize(f *testing.F) {
	var e lz4.Encoder
	for _, src := range contents() {
		src = src[:min(len(src), 3000)]
		block := make([]byte, lz4.MaxEncodedSize(len(src)))
		f.Add(block[:e.Encode(block, src, 1)])
	}
	f.Fuzz(func(t *testing.T, block []byte) {
		const most = 1 << 16
		n, err := size(block, most)
		if err == nil && n > most {
			t.Errorf("%d bytes, at most %d are wanted", n, most)
		}
		back := make([]byte, most)
		decoded, fault := peer.UncompressBlock(block, back)
		if fault == nil && decoded > 0 && (err != nil || n != int64(decoded)) {
			t.Errorf("%d bytes, %v, decoded to %d", n, err, decoded)
		}
	})
}
