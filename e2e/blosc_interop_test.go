package e2e

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/codecs/blosc"
)

// bloscScript decodes with c-blosc; it lies with the format.
const bloscScript = "../../codecs/blosc/testdata/check.py"

// TestInteropBlosc lets c-blosc decode buffers of all its codecs, levels and shuffles,
// with various sizes of elements, blocks and contents.
func TestInteropBlosc(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	type entry struct {
		Label   string `json:"label"`
		Size    int    `json:"size"`
		Encoded int    `json:"encoded"`
	}
	var index []entry
	var buffers, contents []byte
	add := func(o blosc.Options, size int) {
		src := bloscContent(random, size)
		encoder, err := blosc.NewEncoder(o)
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		from := len(buffers)
		if buffers, err = encoder.AppendEncode(buffers, src); err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		contents = append(contents, src...)
		index = append(index, entry{fmt.Sprintf("%+v, %d bytes", o, size), size, len(buffers) - from})
	}
	for _, codec := range []blosc.Codec{blosc.BloscLZ, blosc.LZ4, blosc.LZ4HC, blosc.Zlib, blosc.Zstd} {
		for shuffle := blosc.NoShuffle; shuffle <= blosc.BitShuffle; shuffle++ {
			for _, typeSize := range []int{1, 2, 3, 4, 7, 8, 16, 17, 255} {
				for level := range 10 {
					add(blosc.Options{Codec: codec, Level: level, Shuffle: shuffle, TypeSize: typeSize}, 4096+random.IntN(200))
				}
				for _, size := range []int{1, 15, 127, 128, 129, 1000} {
					add(blosc.Options{Codec: codec, Level: 5, Shuffle: shuffle, TypeSize: typeSize}, size)
				}
				for _, blockSize := range []int{1, 500, 2048} {
					add(blosc.Options{Codec: codec, Level: 5, Shuffle: shuffle, TypeSize: typeSize, BlockSize: blockSize}, 20_000+random.IntN(200))
				}
				add(blosc.Options{Codec: codec, Level: 1 + random.IntN(9), Shuffle: shuffle, TypeSize: typeSize}, 300_000+random.IntN(2000))
			}
		}
	}
	text, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "index.json", text)
	write(t, dir, "buffers.bin", buffers)
	write(t, dir, "contents.bin", contents)
	p.check(t, bloscScript, dir)

	t.Run("a flipped bit is found", func(t *testing.T) {
		contents[index[0].Size+5] ^= 1
		write(t, dir, "contents.bin", contents)
		if found := p.differences(t, bloscScript, dir); len(found) != 1 {
			t.Errorf("want one difference, got %q", found)
		}
	})
}

// TestInteropBloscSpeed measures encoding and decoding of noisy float32 on one core,
// and c-blosc in the same run.
func TestInteropBloscSpeed(t *testing.T) {
	p := findPeers(t)
	random := rand.New(rand.NewPCG(1, 2))
	src := make([]byte, 0, 4<<20)
	for range cap(src) / 4 {
		src = binary.LittleEndian.AppendUint32(src, math.Float32bits(float32(random.NormFloat64())))
	}
	ways := []blosc.Options{
		{Codec: blosc.LZ4, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4},
		{Codec: blosc.LZ4, Level: 5, Shuffle: blosc.BitShuffle, TypeSize: 4},
		{Codec: blosc.LZ4, Level: 9, Shuffle: blosc.ByteShuffle, TypeSize: 4},
		{Codec: blosc.LZ4HC, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4},
		{Codec: blosc.BloscLZ, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4},
		{Codec: blosc.Zlib, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4},
		{Codec: blosc.Zstd, Level: 1, Shuffle: blosc.ByteShuffle, TypeSize: 4},
		{Codec: blosc.Zstd, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4},
	}
	arguments := []string{"../../codecs/blosc/testdata/speed.py", write(t, t.TempDir(), "content.bin", src), "4"}
	for _, o := range ways {
		arguments = append(arguments, fmt.Sprintf("%v,%d,%d", o.Codec, o.Level, o.Shuffle))
	}
	cmd, stderr := p.command(t, arguments...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	var theirs []struct {
		Encode, Decode float64
		Size           int
	}
	if err := json.Unmarshal(out, &theirs); err != nil {
		t.Fatal(err)
	}
	for i, o := range ways {
		encoder, err := blosc.NewEncoder(o)
		if err != nil {
			t.Fatal(err)
		}
		var decoder blosc.Decoder
		var buffer []byte
		encode := shortest(t, func() error {
			buffer, err = encoder.AppendEncode(buffer[:0], src)
			return err
		})
		back := make([]byte, len(src))
		decode := shortest(t, func() error { return decoder.DecodeInto(back, buffer) })
		speed := func(seconds float64) float64 { return float64(len(src)) / 1e6 / seconds }
		t.Logf("%-7v level %d shuffle %d: encode %5.0f MB/s, %.2f × C; decode %5.0f MB/s, %.2f × C; ratio %.3f, C %.3f",
			o.Codec, o.Level, o.Shuffle, speed(encode), theirs[i].Encode/encode, speed(decode), theirs[i].Decode/decode,
			float64(len(src))/float64(len(buffer)), float64(len(src))/float64(theirs[i].Size))
		// The bounds are far from the usual ratios, so that a busy machine does no
		// harm.
		if o.Codec == blosc.LZ4 && (encode > 3*theirs[i].Encode || decode > 3*theirs[i].Decode) {
			t.Errorf("%v takes more than three times as long as c-blosc", o.Codec)
		}
	}
}

// shortest returns the shortest time of several calls of run, in seconds.
func shortest(t *testing.T, run func() error) float64 {
	t.Helper()
	best, end := math.Inf(1), time.Now().Add(300*time.Millisecond)
	for began := time.Now(); began.Before(end); began = time.Now() {
		if err := run(); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(began).Seconds())
	}
	return best
}

// bloscContent returns 32-bit numbers that grow now and then, with or without noise in
// their low bits.
func bloscContent(random *rand.Rand, size int) []byte {
	out := make([]byte, 0, size+4)
	noise, value := random.Uint32N(3)*100, uint32(0)
	for len(out) < size {
		if random.IntN(1+random.IntN(200)) == 0 {
			value += random.Uint32N(5000)
		}
		out = binary.LittleEndian.AppendUint32(out, value+random.Uint32N(1+noise))
	}
	return out[:size]
}
