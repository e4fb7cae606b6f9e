package pcodec

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"
)

// golden is a stream that another program made, and the numbers in it.
type golden struct {
	Name   string
	Type   string
	Count  int
	SHA256 string // of the numbers, little-endian
	Size   int
	stream []byte
}

func (g *golden) number() Type {
	return Type(slices.Index(typeNames[:], g.Type))
}

// readGoldens reads the archive that testdata/goldens.py made.
func readGoldens(t testing.TB) []golden {
	t.Helper()
	archive, err := zip.OpenReader("testdata/goldens.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	read := func(name string) []byte {
		f, err := archive.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	var goldens []golden
	if err := json.Unmarshal(read("index.json"), &goldens); err != nil {
		t.Fatal(err)
	}
	streams := read("streams.bin")
	for i := range goldens {
		g := &goldens[i]
		g.stream, streams = streams[:g.Size:g.Size], streams[g.Size:]
	}
	return goldens
}

// hash returns the SHA-256 of numbers in little-endian order.
func hash(numbers []byte, size int) string {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		numbers = slices.Clone(numbers)
		for one := range slices.Chunk(numbers, size) {
			slices.Reverse(one)
		}
	}
	sum := sha256.Sum256(numbers)
	return hex.EncodeToString(sum[:])
}

// TestGolden decodes streams that pcodec wrote in eight of its versions, and streams
// that pcodec reads but no version writes.
func TestGolden(t *testing.T) {
	goldens := readGoldens(t)
	if len(goldens) < 1000 {
		t.Errorf("only %d streams", len(goldens))
	}
	for _, g := range goldens {
		size := g.number().Size()
		dst := make([]byte, g.Count*size)
		if err := DecodeInto(dst, g.stream, g.number()); err != nil {
			t.Errorf("%s: %v", g.Name, err)
			continue
		}
		if got := hash(dst, size); got != g.SHA256 {
			t.Errorf("%s: other numbers", g.Name)
		}
		if err := DecodeInto(make([]byte, (g.Count+1)*size), g.stream, g.number()); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: into a destination that is too large: %v", g.Name, err)
		}
		if g.Count == 0 {
			continue
		}
		if err := DecodeInto(dst[size:], g.stream, g.number()); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: into a destination that is too small: %v", g.Name, err)
		}
	}
}
