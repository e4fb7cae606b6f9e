package blosc_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs/blosc"
)

// golden is a buffer that c-blosc wrote; see testdata/make.py.
type golden struct {
	Codec     string
	Level     int
	Shuffle   blosc.Shuffle
	TypeSize  int
	BlockSize int
	Pattern   string
	Size      int
	Encoded   int

	buffer []byte
}

func (g golden) String() string {
	return fmt.Sprintf("%s level %d shuffle %d typesize %d blocksize %d, %d bytes of %s",
		g.Codec, g.Level, g.Shuffle, g.TypeSize, g.BlockSize, g.Size, g.Pattern)
}

func (g golden) options(t testing.TB) blosc.Options {
	codec, err := blosc.ParseCodec(g.Codec)
	if err != nil {
		t.Fatal(err)
	}
	return blosc.Options{Codec: codec, Level: g.Level, Shuffle: g.Shuffle, TypeSize: g.TypeSize, BlockSize: g.BlockSize}
}

func goldens(t testing.TB) []golden {
	t.Helper()
	data, err := os.ReadFile("testdata/blosc.zip")
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		data, err := fs.ReadFile(archive, name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var all []golden
	if err := json.Unmarshal(read("index.json"), &all); err != nil {
		t.Fatal(err)
	}
	buffers := read("buffers.bin")
	for i := range all {
		n := all[i].Encoded
		all[i].buffer, buffers = buffers[:n:n], buffers[n:]
	}
	return all
}

// contents has the contents that the functions of the same names in testdata/make.py
// make.
type contents map[string][]byte

func (c contents) get(pattern string, size int) []byte {
	key := fmt.Sprint(pattern, size)
	if c[key] == nil {
		c[key] = content(pattern, size)
	}
	return c[key]
}

func content(pattern string, size int) []byte {
	state, value := uint32(1), uint32(0)
	out := make([]byte, 0, size+4)
	for len(out) < size {
		state = state*1664525 + 1013904223
		if pattern == "noise" {
			out = append(out, byte(state>>24))
			continue
		}
		if state>>23 == 0 {
			value += state >> 12 & 0xfff
		}
		out = binary.LittleEndian.AppendUint32(out, value)
	}
	return out[:size]
}

// TestGolden decodes what c-blosc wrote.
func TestGolden(t *testing.T) {
	var decoder blosc.Decoder
	known := contents{}
	for _, g := range goldens(t) {
		want := known.get(g.Pattern, g.Size)
		size, err := blosc.DecodedSize(g.buffer)
		if err != nil || size != g.Size {
			t.Errorf("%v: decoded size %d, error %v", g, size, err)
			continue
		}
		got := make([]byte, size)
		if err := decoder.DecodeInto(got, g.buffer); err != nil {
			t.Errorf("%v: %v", g, err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%v: decoded wrongly", g)
		}
	}
}

// TestGoldenHeader encodes the same contents and compares the headers: the blocks are
// the same, and split in the same way. Buffers whose content does not shrink may differ
// in some places.
func TestGoldenHeader(t *testing.T) {
	var decoder blosc.Decoder
	known := contents{}
	encoders := map[blosc.Options]*blosc.Encoder{}
	ours, theirs := map[string]int{}, map[string]int{}
	for _, g := range goldens(t) {
		o := g.options(t)
		if encoders[o] == nil {
			encoder, err := blosc.NewEncoder(o)
			if err != nil {
				t.Fatalf("%v: %v", g, err)
			}
			encoders[o] = encoder
		}
		src := known.get(g.Pattern, g.Size)
		buffer, err := encoders[o].AppendEncode([]byte("prefix"), src)
		if err != nil {
			t.Errorf("%v: %v", g, err)
			continue
		}
		buffer = buffer[len("prefix"):]
		// Everything in front of the buffer's size, except whether the content is
		// stored.
		got, want := bytes.Clone(buffer[:12]), bytes.Clone(g.buffer[:12])
		got[2], want[2] = got[2]&^2, want[2]&^2
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: header (-theirs, +ours)\n%s", g, diff)
		}
		if g.Level == 0 || g.Size < 128 {
			if diff := cmp.Diff(g.buffer, buffer); diff != "" {
				t.Errorf("%v: stored (-theirs, +ours)\n%s", g, diff)
			}
		}
		ours[g.Codec] += len(buffer)
		theirs[g.Codec] += len(g.buffer)
		back := make([]byte, len(src))
		if err := decoder.DecodeInto(back, buffer); err != nil || !bytes.Equal(back, src) {
			t.Errorf("%v: does not come back: %v", g, err)
		}
	}
	for codec, n := range theirs {
		t.Logf("%-8s %7d bytes, theirs %7d", codec, ours[codec], n)
		if float64(ours[codec]) > 1.2*float64(n) {
			t.Errorf("%s: %d bytes, theirs are %d", codec, ours[codec], n)
		}
	}
}
