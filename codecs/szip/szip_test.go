package szip_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/szip"
)

// golden is a stream of libaec.
type golden struct {
	szip.Parameters
	Kind         string
	Size, Length int
	SHA256       string
	stream       []byte
}

// goldens returns the streams that testdata/make.py wrote.
func goldens(t testing.TB) []golden {
	t.Helper()
	z, err := zip.OpenReader("testdata/streams.zip")
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(z, "cases.json")
	if err != nil {
		t.Fatal(err)
	}
	streams, err := fs.ReadFile(z, "streams")
	if err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var list []golden
	if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
		t.Fatalf("%d cases, %v", len(list), err)
	}
	for i := range list {
		list[i].stream, streams = streams[:list[i].Length:list[i].Length], streams[list[i].Length:]
	}
	return list
}

func (g *golden) decode(t testing.TB, size int, stream []byte) ([]byte, error) {
	t.Helper()
	d, err := szip.NewDecoder(g.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, size)
	return dst, d.Decode(dst, stream, make([]byte, d.Scratch(size)))
}

func (g *golden) matches(content []byte) bool {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]) == g.SHA256
}

// TestGolden decodes streams of all widths, options and kinds of blocks.
func TestGolden(t *testing.T) {
	for i, g := range goldens(t) {
		got, err := g.decode(t, g.Size, g.stream)
		if err != nil || !g.matches(got) {
			t.Errorf("stream %d, %+v, %s: the content differs, error %v", i, g.Parameters, g.Kind, err)
		}
	}
}

// TestTooShort cuts streams. What is decoded without an error is the content all the same,
// because a stream may end with samples that fill up a scanline.
func TestTooShort(t *testing.T) {
	refused := 0
	for i, g := range goldens(t) {
		for cut := 0; cut < len(g.stream); cut += 1 + len(g.stream)/20 {
			got, err := g.decode(t, g.Size, g.stream[:cut])
			switch {
			case errors.Is(err, szip.ErrCorrupt):
				refused++
			case err != nil:
				t.Errorf("stream %d, cut to %d of %d bytes: %v", i, cut, len(g.stream), err)
			case !g.matches(got):
				t.Errorf("stream %d, cut to %d of %d bytes: other content and no error", i, cut, len(g.stream))
			}
		}
	}
	if refused < 1000 {
		t.Errorf("only %d cuts were refused", refused)
	}
}

// TestPrefix decodes the first samples of a stream. Elements whose bytes are regrouped have
// no first bytes in the stream.
func TestPrefix(t *testing.T) {
	for i, g := range goldens(t) {
		if g.Bits >= 32 {
			continue
		}
		whole, err := g.decode(t, g.Size, g.stream)
		if err != nil {
			t.Fatal(err)
		}
		part, err := g.decode(t, g.Size/8*4, g.stream)
		if err != nil || !bytes.Equal(part, whole[:len(part)]) {
			t.Errorf("stream %d: the first %d bytes differ, error %v", i, len(part), err)
		}
	}
}

// TestParameters refuses parameters that no stream has.
func TestParameters(t *testing.T) {
	valid := szip.Parameters{Block: 8, Bits: 16, Scanline: 20}
	for name, change := range map[string]func(p *szip.Parameters){
		"odd block":   func(p *szip.Parameters) { p.Block = 7 },
		"no block":    func(p *szip.Parameters) { p.Block = 0 },
		"large block": func(p *szip.Parameters) { p.Block = szip.MaxBlock + 2 },
		"no bits":     func(p *szip.Parameters) { p.Bits = 0 },
		"33 bits":     func(p *szip.Parameters) { p.Bits = 33 },
		"128 bits":    func(p *szip.Parameters) { p.Bits = 128 },
		"no scanline": func(p *szip.Parameters) { p.Scanline = 0 },
	} {
		p := valid
		change(&p)
		if _, err := szip.NewDecoder(p); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	d, err := szip.NewDecoder(valid)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Decode(make([]byte, 3), make([]byte, 100), nil); !errors.Is(err, szip.ErrCorrupt) {
		t.Errorf("half a sample: error %v", err)
	}
}

// TestDamaged has streams with contents that no encoder makes.
func TestDamaged(t *testing.T) {
	p := szip.Parameters{Block: 8, Bits: 4, Scanline: 16}
	for name, stream := range map[string][]byte{
		"more zeros than blocks": {0b0000_0000, 0b0100_0000},   // option 0, zeros, 5 zero bits and a one: 5 blocks
		"a pair above the range": {0b0001_0000, 0, 0, 0, 0, 0}, // never ends
		"a sample of five bits":  {0b0010_0000, 0b0000_0000, 0b0000_0000, 0b1111_1111, 0xff, 0xff},
	} {
		d, err := szip.NewDecoder(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Decode(make([]byte, 16), append(stream, make([]byte, 20)...), nil); !errors.Is(err, szip.ErrCorrupt) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// FuzzDecode: no stream makes the decoder fail in another way than with an error, and each
// stream has the same content again.
func FuzzDecode(f *testing.F) {
	for i, g := range goldens(f) {
		if i%9 == 0 {
			f.Add(g.Options, uint8(g.Block), uint8(g.Bits), uint16(g.Scanline), uint16(g.Size), g.stream)
		}
	}
	f.Fuzz(func(t *testing.T, options uint32, block, bits uint8, scanline, size uint16, stream []byte) {
		d, err := szip.NewDecoder(szip.Parameters{Options: options, Block: int(block), Bits: int(bits), Scanline: int(scanline)})
		if err != nil {
			return
		}
		content, scratch := make([]byte, size), make([]byte, d.Scratch(int(size)))
		err = d.Decode(content, stream, scratch)
		if err != nil {
			if !errors.Is(err, szip.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		again := make([]byte, size)
		if err := d.Decode(again, append(bytes.Clone(stream), 0, 0xff, 0), scratch); err != nil || !bytes.Equal(content, again) {
			t.Fatalf("with bytes behind the stream, the content is another one, or an error: %v", err)
		}
	})
}
