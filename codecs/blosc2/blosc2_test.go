package blosc2_test

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/blosc2"
)

// golden is a frame, with what python-blosc2 reads from it.
type golden struct {
	frame  []byte
	Bytes  int
	SHA256 string
}

// goldens returns the frames of the archive by their names.
func goldens(t testing.TB) map[string]golden {
	t.Helper()
	z, err := zip.OpenReader("testdata/frames.zip")
	if err != nil {
		t.Fatal(err)
	}
	content := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if content[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	var list map[string]golden
	if err := errors.Join(json.Unmarshal(content["expected.json"], &list), z.Close()); err != nil || len(list) < 100 {
		t.Fatalf("%d frames, %v", len(list), err)
	}
	for name, data := range content {
		g := list[name]
		g.frame = data
		list[name] = g
	}
	delete(list, "expected.json")
	return list
}

// TestGolden decodes frames of python-blosc2.
func TestGolden(t *testing.T) {
	var d blosc2.Decoder
	for name, g := range goldens(t) {
		if g.SHA256 == "" {
			continue // refused
		}
		n, err := blosc2.DecodedSize(g.frame)
		if err != nil || n != g.Bytes {
			t.Errorf("%s: %d bytes, want %d, %v", name, n, g.Bytes, err)
			continue
		}
		got := make([]byte, n)
		if err := d.DecodeInto(got, g.frame); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if sum := sha256.Sum256(got); hex.EncodeToString(sum[:]) != g.SHA256 {
			t.Errorf("%s: other bytes", name)
		}
		if err := d.DecodeInto(make([]byte, n+1), g.frame); !errors.Is(err, blosc2.ErrCorrupt) {
			t.Errorf("%s: into %d bytes: %v", name, n+1, err)
		}
	}
}

// TestRefused: what is not read is refused by name.
func TestRefused(t *testing.T) {
	refused := 0
	for name, g := range goldens(t) {
		if g.SHA256 != "" {
			continue
		}
		refused++
		n, err := blosc2.DecodedSize(g.frame)
		if err == nil {
			err = new(blosc2.Decoder).DecodeInto(make([]byte, n), g.frame)
		}
		if !errors.Is(err, blosc2.ErrUnsupported) || !strings.Contains(err.Error(), strings.TrimSuffix(name, ".b2frame")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if refused < 2 {
		t.Errorf("%d frames are refused", refused)
	}
}

// decodeDamaged decodes what may be a frame into no more than most bytes.
func decodeDamaged(t *testing.T, d *blosc2.Decoder, frame []byte, most int) {
	t.Helper()
	n, err := blosc2.DecodedSize(frame)
	if err == nil && n <= most {
		err = d.DecodeInto(make([]byte, n), frame)
	}
	if err != nil && !errors.Is(err, blosc2.ErrCorrupt) && !errors.Is(err, blosc2.ErrUnsupported) {
		t.Errorf("%v is none of the package's errors", err)
	}
}

// TestDamaged changes and cuts frames at every byte of the headers, and at some others.
func TestDamaged(t *testing.T) {
	var d blosc2.Decoder
	for name, g := range goldens(t) {
		step := 1
		switch {
		case strings.HasPrefix(name, "dictionary"):
			step = 1 + len(g.frame)/200
		case len(g.frame) > 2000 || name[3] != '3':
			continue
		}
		for i := 0; i < len(g.frame); i += step {
			for _, value := range []byte{0, 1, 0x7f, 0x80, 0xff, g.frame[i] ^ 4} {
				changed := slices.Clone(g.frame)
				changed[i] = value
				decodeDamaged(t, &d, changed, 1<<20)
			}
			decodeDamaged(t, &d, g.frame[:i], 1<<20)
		}
	}
}

// FuzzDecode decodes arbitrary bytes.
func FuzzDecode(f *testing.F) {
	for _, g := range goldens(f) {
		if len(g.frame) < 1000 {
			f.Add(g.frame)
		}
	}
	f.Fuzz(func(t *testing.T, frame []byte) { decodeDamaged(t, new(blosc2.Decoder), frame, 1<<16) })
}
