package blosc_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs/blosc"
)

var allCodecs = []blosc.Codec{blosc.BloscLZ, blosc.LZ4, blosc.LZ4HC, blosc.Snappy, blosc.Zlib, blosc.Zstd}

func encode(t testing.TB, src []byte, o blosc.Options) []byte {
	t.Helper()
	encoder, err := blosc.NewEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	buffer, err := encoder.AppendEncode(nil, src)
	if err != nil {
		t.Fatal(err)
	}
	if len(buffer) > blosc.MaxEncodedSize(len(src)) {
		t.Errorf("%d bytes encoded to %d, at most %d are promised", len(src), len(buffer), blosc.MaxEncodedSize(len(src)))
	}
	return buffer
}

func TestRoundTrip(t *testing.T) {
	var decoder blosc.Decoder
	known := contents{}
	for _, codec := range allCodecs {
		for level := range 10 {
			for _, typeSize := range []int{0, 1, 4, 7, 16, 255} {
				o := blosc.Options{Codec: codec, Level: level, Shuffle: blosc.Shuffle(level % 3), TypeSize: typeSize}
				encoder, err := blosc.NewEncoder(o)
				if err != nil {
					t.Fatal(err)
				}
				for _, size := range []int{0, 1, 127, 128, 129, 4096, 70_001} {
					for _, pattern := range []string{"steps", "noise"} {
						src := known.get(pattern, size)
						buffer, err := encoder.AppendEncode(nil, src)
						if err != nil || len(buffer) > blosc.MaxEncodedSize(size) {
							t.Errorf("%+v, %d bytes of %s: encoded to %d, error %v", o, size, pattern, len(buffer), err)
						}
						back := make([]byte, size)
						if err := decoder.DecodeInto(back, buffer); err != nil || !bytes.Equal(back, src) {
							t.Errorf("%+v, %d bytes of %s do not come back: %v", o, size, pattern, err)
						}
					}
				}
			}
		}
	}
}

// TestTightStreams has streams that are about as large as their blocks.
func TestTightStreams(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	src := make([]byte, 100_000)
	value := uint32(0)
	for i := 0; i < len(src); i += 4 {
		if random.IntN(1+random.IntN(200)) == 0 {
			value += random.Uint32N(5000)
		}
		binary.LittleEndian.PutUint32(src[i:], value+random.Uint32N(200))
	}
	var decoder blosc.Decoder
	for _, codec := range allCodecs {
		for _, typeSize := range []int{1, 4, 17} {
			o := blosc.Options{Codec: codec, Level: 5, TypeSize: typeSize, BlockSize: 1}
			back := make([]byte, len(src))
			if err := decoder.DecodeInto(back, encode(t, src, o)); err != nil || !bytes.Equal(back, src) {
				t.Errorf("%+v: does not come back: %v", o, err)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []blosc.Options{
		{Codec: blosc.Zstd + 1}, {Level: -1}, {Level: 10}, {Shuffle: blosc.BitShuffle + 1},
		{TypeSize: -1}, {TypeSize: 256}, {BlockSize: -1}, {BlockSize: blosc.MaxSize + 1},
	} {
		if _, err := blosc.NewEncoder(o); !errors.Is(err, blosc.ErrUnsupported) {
			t.Errorf("%+v: error %v, want ErrUnsupported", o, err)
		}
	}
	for _, codec := range allCodecs {
		if got, err := blosc.ParseCodec(codec.String()); err != nil || got != codec {
			t.Errorf("%v is parsed as %v, error %v", codec, got, err)
		}
	}
	if _, err := blosc.ParseCodec("lzma"); !errors.Is(err, blosc.ErrUnsupported) {
		t.Errorf("lzma: error %v, want ErrUnsupported", err)
	}
}

func TestHeader(t *testing.T) {
	src := content("steps", 10_001)
	buffer := encode(t, src, blosc.Options{Codec: blosc.LZ4HC, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4, BlockSize: 4096})
	h, err := blosc.ParseHeader(buffer[:blosc.HeaderSize])
	if err != nil {
		t.Fatal(err)
	}
	want := blosc.Header{
		Codec: blosc.LZ4, Shuffle: blosc.ByteShuffle, TypeSize: 4, Size: 10_001,
		BlockSize:   10_000, // one stream of a split block has 4096 bytes
		EncodedSize: len(buffer), Split: true,
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("header (-want, +got)\n%s", diff)
	}
	if h.Blocks() != 2 || h.BlockLen(0) != 10_000 || h.BlockLen(1) != 1 {
		t.Errorf("%d blocks of %d and %d bytes", h.Blocks(), h.BlockLen(0), h.BlockLen(1))
	}
}

// TestRefusals changes one field after the other.
func TestRefusals(t *testing.T) {
	src := content("steps", 5000)
	whole := encode(t, src, blosc.Options{Codec: blosc.LZ4, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4})
	stored := encode(t, src, blosc.Options{TypeSize: 4})
	put := func(at int, v uint32) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint32(b[at:], v) }
	}
	or := func(at int, bits byte) func([]byte) { return func(b []byte) { b[at] |= bits } }
	set := func(at int, v byte) func([]byte) { return func(b []byte) { b[at] = v } }
	for _, test := range []struct {
		name   string
		buffer []byte
		change func([]byte)
		want   error
	}{
		{"version", whole, set(0, 3), blosc.ErrUnsupported},
		{"version of the streams", whole, set(1, 2), blosc.ErrUnsupported},
		{"reserved flag", whole, or(2, 0x08), blosc.ErrUnsupported},
		{"codec", whole, or(2, 0xe0), blosc.ErrUnsupported},
		{"typesize 0", whole, set(3, 0), blosc.ErrCorrupt},
		{"larger content", whole, put(4, 5001), blosc.ErrTooLarge},
		{"smaller content", whole, put(4, 4999), blosc.ErrCorrupt},
		{"empty content", whole, put(4, 0), blosc.ErrCorrupt},
		{"huge content", whole, put(4, 1<<31), blosc.ErrCorrupt},
		{"blocksize 0", whole, put(8, 0), blosc.ErrCorrupt},
		{"blocksize 1: no room for an index", whole, put(8, 1), blosc.ErrCorrupt},
		{"blocksize beyond the content", whole, put(8, 5001), blosc.ErrCorrupt},
		{"smaller buffer", whole, put(12, 15), blosc.ErrCorrupt},
		{"larger buffer", whole, put(12, 1<<31), blosc.ErrCorrupt},
		{"block in the index", whole, put(16, 16), blosc.ErrCorrupt},
		{"block beyond the end", whole, put(16, 5000), blosc.ErrCorrupt},
		{"stream beyond the end", whole, put(20, 5000), blosc.ErrCorrupt},
		{"stream of 2³² − 1 bytes", whole, put(20, 1<<32-1), blosc.ErrCorrupt},
		{"empty stream", whole, put(20, 0), blosc.ErrCorrupt},
		{"stored: smaller buffer", stored, put(12, 5015), blosc.ErrCorrupt},
		{"stored: larger content", stored, put(4, 5001), blosc.ErrCorrupt},
	} {
		var decoder blosc.Decoder
		buffer := bytes.Clone(test.buffer)
		test.change(buffer)
		if err := decoder.DecodeInto(make([]byte, 5000), buffer); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.want)
		}
	}
	var decoder blosc.Decoder
	if err := decoder.DecodeInto(make([]byte, 4999), whole); !errors.Is(err, blosc.ErrTooLarge) {
		t.Errorf("into less: error %v, want ErrTooLarge", err)
	}
	if err := decoder.DecodeInto(make([]byte, 5001), whole); !errors.Is(err, blosc.ErrCorrupt) {
		t.Errorf("into more: error %v, want ErrCorrupt", err)
	}
	if err := decoder.DecodeInto(make([]byte, 5000), append(whole, 0)); !errors.Is(err, blosc.ErrCorrupt) {
		t.Errorf("with a byte more: error %v, want ErrCorrupt", err)
	}
}

// TestDamage cuts buffers at every byte and flips every bit.
func TestDamage(t *testing.T) {
	src := content("steps", 2500)
	for _, codec := range allCodecs {
		for _, s := range []blosc.Shuffle{blosc.ByteShuffle, blosc.BitShuffle} {
			var decoder blosc.Decoder
			buffer := encode(t, src, blosc.Options{Codec: codec, Level: 5, Shuffle: s, TypeSize: 4, BlockSize: 256})
			dst := make([]byte, len(src))
			for n := range buffer {
				cut := bytes.Clone(buffer[:n])
				if err := decoder.DecodeInto(dst, cut); !errors.Is(err, blosc.ErrCorrupt) {
					t.Errorf("%v cut to %d bytes: error %v, want ErrCorrupt", codec, n, err)
				}
				if n < blosc.HeaderSize {
					continue
				}
				// The header may agree that the buffer ends here.
				binary.LittleEndian.PutUint32(cut[12:], uint32(n))
				if err := decoder.DecodeInto(dst, cut); !errors.Is(err, blosc.ErrCorrupt) {
					t.Errorf("%v cut to %d bytes, also by its header: error %v, want ErrCorrupt", codec, n, err)
				}
			}
			for bit := range 8 * len(buffer) {
				buffer[bit/8] ^= 1 << (bit % 8)
				// Any content is acceptable, but no panic.
				if err := decoder.DecodeInto(dst, buffer); err != nil && !known(err) {
					t.Errorf("%v, bit %d flipped: %v is none of the package's errors", codec, bit, err)
				}
				buffer[bit/8] ^= 1 << (bit % 8)
			}
			if err := decoder.DecodeInto(dst, buffer); err != nil || !bytes.Equal(dst, src) {
				t.Errorf("%v: the decoder has suffered: %v", codec, err)
			}
		}
	}
}

func known(err error) bool {
	return errors.Is(err, blosc.ErrCorrupt) || errors.Is(err, blosc.ErrTooLarge) || errors.Is(err, blosc.ErrUnsupported)
}

// TestBomb decodes streams that would be larger than their blocks, and headers
// that promise much.
func TestBomb(t *testing.T) {
	const size = 16 << 20
	zeros := make([]byte, size)
	for _, codec := range allCodecs {
		large := encode(t, zeros, blosc.Options{Codec: codec, Level: 9, TypeSize: 255, BlockSize: size})
		// The same streams, for a content of 1000 bytes.
		small := bytes.Clone(large)
		binary.LittleEndian.PutUint32(small[4:], 1000)
		binary.LittleEndian.PutUint32(small[8:], 1000)
		dst := make([]byte, 1000)
		for name, buffer := range map[string][]byte{"stream": small, "header": large} {
			var before, after runtime.MemStats
			var decoder blosc.Decoder
			runtime.ReadMemStats(&before)
			err := decoder.DecodeInto(dst, buffer)
			runtime.ReadMemStats(&after)
			if want := map[string]error{"stream": blosc.ErrCorrupt, "header": blosc.ErrTooLarge}[name]; !errors.Is(err, want) {
				t.Errorf("%v, %s: error %v, want %v", codec, name, err, want)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 2<<20 {
				t.Errorf("%v, %s: %d bytes allocated", codec, name, n)
			}
		}
	}
}

// TestRange decodes parts, and blocks on their own from their ranges.
func TestRange(t *testing.T) {
	src := content("steps", 10_007)
	for _, level := range []int{0, 5} {
		buffer := encode(t, src, blosc.Options{Codec: blosc.Zstd, Level: level, Shuffle: blosc.BitShuffle, TypeSize: 8, BlockSize: 1024})
		var decoder blosc.Decoder
		for off := 0; off <= len(src); off += 211 {
			for _, n := range []int{0, 1, 1023, 1024, 1025, 3000, len(src) - off} {
				if off+n > len(src) {
					continue
				}
				dst := make([]byte, n)
				if err := decoder.DecodeRange(dst, buffer, off); err != nil || !bytes.Equal(dst, src[off:off+n]) {
					t.Errorf("level %d: %d bytes from %d on: wrong, error %v", level, n, off, err)
				}
			}
		}
		for _, r := range [][2]int{{-1, 1}, {0, len(src) + 1}, {len(src), 1}, {len(src) + 1, 0}, {1 << 62, 5}} {
			if err := decoder.DecodeRange(make([]byte, r[1]), buffer, r[0]); !errors.Is(err, blosc.ErrCorrupt) {
				t.Errorf("level %d: %d bytes from %d on: error %v, want ErrCorrupt", level, r[1], r[0], err)
			}
		}

		h, err := blosc.ParseHeader(buffer)
		if err != nil {
			t.Fatal(err)
		}
		ranges, err := h.BlockRanges(buffer[:h.IndexSize()])
		if err != nil || len(ranges) != 10 {
			t.Fatalf("level %d: %d ranges, error %v", level, len(ranges), err)
		}
		for i, r := range ranges {
			dst := make([]byte, h.BlockLen(i))
			err := decoder.DecodeBlock(dst, buffer[r.Start:r.End], h, i)
			if err != nil || !bytes.Equal(dst, src[i*h.BlockSize:][:len(dst)]) {
				t.Errorf("level %d: block %d in bytes %d to %d: wrong, error %v", level, i, r.Start, r.End, err)
			}
		}
		if _, err := h.BlockRanges(buffer[:h.IndexSize()-1]); !errors.Is(err, blosc.ErrCorrupt) {
			t.Errorf("level %d: ranges without index: error %v", level, err)
		}
		if err := decoder.DecodeBlock(make([]byte, 5), buffer, h, 0); err == nil {
			t.Errorf("level %d: a block of 5 bytes was decoded", level)
		}
	}
}

// TestConcurrency uses one encoder and one decoder from several goroutines.
func TestConcurrency(t *testing.T) {
	for _, codec := range allCodecs {
		encoder, err := blosc.NewEncoder(blosc.Options{Codec: codec, Level: 3, Shuffle: blosc.ByteShuffle, TypeSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		var decoder blosc.Decoder
		var group sync.WaitGroup
		for worker := range 4 {
			group.Go(func() {
				src := content("steps", 50_000+1000*worker)
				for range 5 {
					buffer, err := encoder.AppendEncode(nil, src)
					if err != nil {
						t.Error(err)
						return
					}
					back := make([]byte, len(src))
					if err := decoder.DecodeInto(back, buffer); err != nil || !bytes.Equal(back, src) {
						t.Errorf("%v: does not come back: %v", codec, err)
					}
				}
			})
		}
		group.Wait()
	}
}

// TestSameBytes compares an encoder that has encoded something else before with a new
// one.
func TestSameBytes(t *testing.T) {
	for _, codec := range allCodecs {
		t.Run(fmt.Sprint(codec), func(t *testing.T) {
			encoder, err := blosc.NewEncoder(blosc.Options{Codec: codec, Level: 5, Shuffle: blosc.BitShuffle, TypeSize: 8})
			if err != nil {
				t.Fatal(err)
			}
			var first []byte
			for i, src := range [][]byte{content("steps", 100_000), content("noise", 200_000), content("steps", 100_000)} {
				buffer, err := encoder.AppendEncode(nil, src)
				if err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					first = buffer
				}
				if i == 2 && !bytes.Equal(first, buffer) {
					t.Error("the same content gives other bytes")
				}
			}
		})
	}
}
