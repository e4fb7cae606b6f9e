package arrow

import (
	"bytes"
	"testing"

	"github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
)

// TestFrameChecksums flips each bit of LZ4 frames that have a checksum of each block,
// or of the content. Decompression gives an error or the original content.
func TestFrameChecksums(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef, and again: "), 5)
	for name, options := range map[string][]lz4.Option{
		"content": {lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(true), lz4.BlockChecksumOption(false)},
		"blocks":  {lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(false), lz4.BlockChecksumOption(true)},
	} {
		var frame bytes.Buffer
		w := lz4.NewWriter(&frame)
		err := w.Apply(options...)
		if err == nil {
			_, err = w.Write(content)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decompress(ipc.LZ4Frame, make([]byte, len(content)), frame.Bytes()); err != nil || !bytes.Equal(got, content) {
			t.Fatalf("%s: %q, %v", name, got, err)
		}
		for bit := range 8 * frame.Len() {
			damaged := bytes.Clone(frame.Bytes())
			damaged[bit/8] ^= 1 << (bit % 8)
			if got, err := decompress(ipc.LZ4Frame, make([]byte, len(content)), damaged); err == nil && !bytes.Equal(got, content) {
				t.Errorf("%s: bit %d: %q", name, bit, got)
			}
		}
	}
}
