package blosc_test

import (
	"bytes"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/blosc"
)

// FuzzDecode decodes arbitrary bytes, whole and in part.
func FuzzDecode(f *testing.F) {
	for i, g := range goldens(f) {
		if i%37 == 0 && len(g.buffer) < 2000 {
			f.Add(g.buffer, uint16(g.Size), uint16(g.Size/3))
		}
	}
	for _, codec := range allCodecs {
		buffer := encode(f, content("steps", 1000), blosc.Options{Codec: codec, Level: 5, Shuffle: blosc.BitShuffle, TypeSize: 2, BlockSize: 256})
		f.Add(buffer, uint16(1000), uint16(300))
	}
	f.Fuzz(func(t *testing.T, buffer []byte, size, off uint16) {
		var decoder blosc.Decoder
		whole := make([]byte, size)
		err := decoder.DecodeInto(whole, buffer)
		if err != nil {
			if !known(err) {
				t.Errorf("%v is none of the package's errors", err)
			}
			return
		}
		if n, err := blosc.DecodedSize(buffer); err != nil || n != int(size) {
			t.Errorf("decoded %d bytes, announced are %d, error %v", size, n, err)
		}
		from := min(int(off), int(size))
		part := make([]byte, min(100, int(size)-from))
		if err := decoder.DecodeRange(part, buffer, from); err != nil || !bytes.Equal(part, whole[from:][:len(part)]) {
			t.Errorf("%d bytes from %d on are not those of the whole: %v", len(part), from, err)
		}
	})
}

// FuzzRoundTrip encodes arbitrary content with arbitrary options.
func FuzzRoundTrip(f *testing.F) {
	f.Add(content("steps", 3000), uint8(1), uint8(5), uint8(1), uint8(4), uint16(0))
	f.Add(content("noise", 300), uint8(0), uint8(9), uint8(2), uint8(3), uint16(200))
	f.Add(bytes.Repeat([]byte("abc"), 900), uint8(5), uint8(1), uint8(0), uint8(17), uint16(1000))
	f.Fuzz(func(t *testing.T, src []byte, codec, level, shuffle, typeSize uint8, blockSize uint16) {
		encoder, err := blosc.NewEncoder(blosc.Options{
			Codec: blosc.Codec(codec), Level: int(level), Shuffle: blosc.Shuffle(shuffle),
			TypeSize: int(typeSize), BlockSize: int(blockSize),
		})
		if err != nil {
			return
		}
		buffer, err := encoder.AppendEncode(nil, src)
		if err != nil {
			t.Fatal(err)
		}
		if len(buffer) > blosc.MaxEncodedSize(len(src)) {
			t.Errorf("%d bytes encoded to %d", len(src), len(buffer))
		}
		var decoder blosc.Decoder
		back := make([]byte, len(src))
		if err := decoder.DecodeInto(back, buffer); err != nil || !bytes.Equal(back, src) {
			t.Errorf("does not come back: %v", err)
		}
	})
}
