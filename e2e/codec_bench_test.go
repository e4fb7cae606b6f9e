package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/codectest"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

// TestInteropZstdSpeed measures level 3 of zstd and of the C library on one core, in
// turns in one run. The C library also decodes our frames.
func TestInteropZstdSpeed(t *testing.T) {
	const level, size, turns = 3, 4 << 20, 3
	p := findPeers(t)
	contents := []struct {
		name string
		data []byte
		// least is the least compression ratio, relative to that of the C library. On
		// smooth numbers our library finds fewer repetitions.
		least float64
	}{
		{"noisy float32", codectest.Noisy(size / 4), 0.97},
		{"normal float32", codectest.Normal(size / 4), 0.97},
		{"smooth float32", smooth(size / 4), 0.92},
		{"counts int16", codectest.Counts(size / 2), 0.97},
		{"text", codectest.Words(size), 0.97},
	}
	codec := zstdCodec(t, level, size)
	dir := t.TempDir()
	arguments := []string{"zstd_speed.py", fmt.Sprint(level)}
	frames := make([][]byte, len(contents))
	for i, c := range contents {
		var err error
		if frames[i], err = codec.AppendEncode(nil, c.data); err != nil {
			t.Fatal(err)
		}
		write(t, dir, fmt.Sprintf("%d.zst", i), frames[i])
		arguments = append(arguments, write(t, dir, fmt.Sprint(i), c.data))
	}
	type measured struct {
		Encode, Decode float64
		Size           int
	}
	ours, theirs := make([][]measured, len(contents)), make([][]measured, len(contents))
	back := make([]byte, 0, size)
	for range turns {
		cmd, stderr := p.command(t, arguments...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr)
		}
		var turn []measured
		if err := json.Unmarshal(out, &turn); err != nil {
			t.Fatal(err)
		}
		for i, c := range contents {
			theirs[i] = append(theirs[i], turn[i])
			buffer := frames[i]
			ours[i] = append(ours[i], measured{
				Encode: shortest(t, func() error { buffer, err = codec.AppendEncode(buffer[:0], c.data); return err }),
				Decode: shortest(t, func() error { _, err := codec.AppendDecode(back, frames[i]); return err }),
			})
		}
	}
	for i, c := range contents {
		var encode, decode, encodes, decodes []float64
		for k, us := range ours[i] {
			encode, encodes = append(encode, us.Encode), append(encodes, theirs[i][k].Encode/us.Encode)
			decode, decodes = append(decode, us.Decode), append(decodes, theirs[i][k].Decode/us.Decode)
		}
		speed := func(seconds []float64) float64 { return size / 1e6 / median(seconds) }
		ratio, their := float64(size)/float64(len(frames[i])), float64(size)/float64(theirs[i][0].Size)
		t.Logf("%-14s encode %5.0f MB/s, %.2f × C; decode %5.0f MB/s, %.2f × C; ratio %.3f, C %.3f",
			c.name, speed(encode), median(encodes), speed(decode), median(decodes), ratio, their)
		if ratio < c.least*their {
			t.Errorf("%s: the ratio is %.3f, less than %.2f of the C library's %.3f", c.name, ratio, c.least, their)
		}
		// The bound is far from the usual ratio, so that a busy machine does no harm.
		if median(encodes) < 0.2 {
			t.Errorf("%s takes more than five times as long as the C library", c.name)
		}
	}
}

// zstdCodec binds the codec to chunks of size bytes.
func zstdCodec(t *testing.T, level, size int) codecs.BytesToBytes {
	t.Helper()
	definition, err := standard.Registry(dtype.Standard()).Lookup("zstd")
	if err != nil {
		t.Fatal(err)
	}
	codec, err := definition.Parse(fmt.Appendf(nil, `{"level":%d}`, level))
	if err != nil {
		t.Fatal(err)
	}
	bound, err := codec.(codecs.BytesToBytesCodec).BindBytesToBytes(codecs.Size{Max: size, Fixed: true})
	if err != nil {
		t.Fatal(err)
	}
	return bound
}

// median returns the median of a list.
func median(list []float64) float64 {
	return slices.Sorted(slices.Values(list))[len(list)/2]
}

// BenchmarkShards compares shards of 64 MiB with the same chunks of 1 MiB stored one by
// one, over 512 MiB.
func BenchmarkShards(b *testing.B) {
	const layers = 128
	dir, other := benchSource(b, layers), fast(b)
	program := build(b)
	if err := os.Link(filepath.Join(dir, "data.bin"), filepath.Join(other, "data.bin")); err != nil {
		b.Fatal(err)
	}
	for _, codec := range []string{"bytes", "bytes, {blosc: {cname: lz4, clevel: 5, shuffle: shuffle, typesize: 4, blocksize: 0}}", "bytes, {zstd: {level: 3}}"} {
		b.Run("codecs=["+codec+"]", func(b *testing.B) {
			options := fmt.Sprintf("codecs: [%s], chunks: [4, 256, 256]", codec)
			compare(b, layers, "unsharded",
				benchJob(b, dir, program, layers, options+", shards: [16, 1024, 1024]"),
				benchJob(b, other, program, layers, options))
		})
	}
}
