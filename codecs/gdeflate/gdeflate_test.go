package gdeflate_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/gdeflate"
)

// contents returns pages of all kinds: runs, text, noise, mixtures.
func contents() map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, gdeflate.PageSize)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	var mixed []byte
	for len(mixed) < gdeflate.PageSize {
		if len(mixed) > 10 && random.IntN(3) > 0 {
			from := random.IntN(len(mixed))
			mixed = append(mixed, mixed[from:min(from+random.IntN(500), len(mixed))]...)
			continue
		}
		at := random.IntN(len(noise) - 100)
		mixed = append(mixed, noise[at:][:random.IntN(100)]...)
	}
	return map[string][]byte{
		"empty": {}, "one": {7}, "three": []byte("abc"),
		"text":  bytes.Repeat([]byte("a page of text, "), 1000),
		"zeros": make([]byte, gdeflate.PageSize),
		"noise": noise, "short noise": noise[:1000], "mixed": mixed[:gdeflate.PageSize],
	}
}

func TestRoundTrip(t *testing.T) {
	var d gdeflate.Decoder
	for level := range gdeflate.MaxLevel + 1 {
		e, err := gdeflate.NewEncoder(level)
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range contents() {
			page, err := e.AppendEncode([]byte("before"), content)
			if err != nil {
				t.Fatal(err)
			}
			page, ok := bytes.CutPrefix(page, []byte("before"))
			if !ok {
				t.Fatalf("level %d, %s: what was in dst is lost", level, name)
			}
			if n := len(page); n < gdeflate.MinPageSize || n > gdeflate.MaxEncodedSize(len(content)) {
				t.Errorf("level %d, %s: %d bytes become %d", level, name, len(content), n)
			}
			got := make([]byte, len(content))
			if err := d.Decode(got, page); err != nil || !bytes.Equal(got, content) {
				t.Errorf("level %d, %s: decodes to other bytes, %v", level, name, err)
			}
			for _, n := range []int{len(content) - 1, len(content) + 1} {
				if n < 0 {
					continue
				}
				if err := d.Decode(make([]byte, n), page); !errors.Is(err, gdeflate.ErrCorrupt) {
					t.Errorf("level %d, %s: decoding to %d bytes: %v", level, name, n, err)
				}
			}
			for cut := 0; cut < len(page); cut += 1 + len(page)/50 {
				if err := d.Decode(got, page[:cut]); !errors.Is(err, gdeflate.ErrCorrupt) {
					t.Errorf("level %d, %s cut to %d of %d bytes: %v", level, name, cut, len(page), err)
				}
			}
		}
	}
	if _, err := gdeflate.NewEncoder(gdeflate.MaxLevel + 1); err == nil {
		t.Error("a level too high is accepted")
	}
}

// TestReference decodes pages that NVIDIA's libdeflate, the reference encoder, made:
// repetitions longer than DEFLATE's symbols, dynamic and fixed codes, stored bytes.
func TestReference(t *testing.T) {
	for name, c := range map[string]struct {
		content []byte
		page    string // base64
	}{
		"zeros, level 6": {make([]byte, gdeflate.PageSize), "YwAAAKP8/wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" +
			"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
		"text, level 6": {bytes.Repeat([]byte("a page of text, "), 1000), "SwQAAAoAAAAFAAAAiQAAAOkAAACpAAAACgAAAPkAAABpAAAACgAAACUAAACpAAAAFQAAACUAAAA6AAAACgAAAIkAAACjbD58" +
			"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" +
			"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
		"letters, level 0": {[]byte("abc"), "GQAIA2IAAABjAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" +
			"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
		"letters, level 6": {[]byte("abc"), "SwQAAEkAAADJAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" +
			"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
	} {
		page, err := base64.StdEncoding.DecodeString(c.page)
		if err != nil {
			t.Fatal(err)
		}
		var d gdeflate.Decoder
		got := make([]byte, len(c.content))
		if err := d.Decode(got, page); err != nil || !bytes.Equal(got, c.content) {
			t.Errorf("%s: decodes to other bytes, %v", name, err)
		}
	}
}

// TestCompresses: the division into lanes costs few bytes.
func TestCompresses(t *testing.T) {
	e, err := gdeflate.NewEncoder(6)
	if err != nil {
		t.Fatal(err)
	}
	page, err := e.AppendEncode(nil, contents()["mixed"])
	if err != nil || len(page) > gdeflate.PageSize/2 {
		t.Errorf("%d bytes, %v", len(page), err)
	}
	if _, err := e.AppendEncode(nil, make([]byte, gdeflate.PageSize+1)); err == nil {
		t.Error("more than a page is accepted")
	}
}

// FuzzDecode: any page decodes to the expected size or is an error. Decoded content
// survives encoding and decoding.
func FuzzDecode(f *testing.F) {
	for _, level := range []int{0, 1, 9} {
		e, err := gdeflate.NewEncoder(level)
		if err != nil {
			f.Fatal(err)
		}
		for _, content := range contents() {
			content = content[:min(len(content), 3000)]
			page, err := e.AppendEncode(nil, content)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(page, uint16(len(content)))
		}
	}
	f.Fuzz(func(t *testing.T, page []byte, n uint16) {
		var d gdeflate.Decoder
		content := make([]byte, n)
		if err := d.Decode(content, page); err != nil {
			if !errors.Is(err, gdeflate.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		for level := range gdeflate.MaxLevel + 1 {
			e, err := gdeflate.NewEncoder(level)
			if err != nil {
				t.Fatal(err)
			}
			again, err := e.AppendEncode(nil, content)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, n)
			if err := d.Decode(got, again); err != nil || !bytes.Equal(got, content) {
				t.Fatalf("level %d: %v", level, err)
			}
		}
	})
}
