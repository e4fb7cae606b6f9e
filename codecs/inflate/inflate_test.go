package inflate_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/inflate"
)

// encode compresses data to a zlib stream with the standard library.
func encode(t testing.TB, level int, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// contents returns data of many kinds and lengths.
func contents() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	all := map[string][]byte{"empty": nil, "zeros": make([]byte, 100000), "one": {7}}
	for _, n := range []int{2, 10, 300, 5000, 70000, 300000} {
		random, few, walk, steps := make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n)
		at := 100
		for i := range random {
			random[i] = byte(r.Uint32())
			few[i] = byte(r.IntN(3))
			at += r.IntN(5) - 2
			walk[i] = byte(at)
			steps[i] = byte(i / 7 * (i % 7))
			if i > 40 && r.IntN(30) == 0 {
				copy(few[i-20:i], few[r.IntN(i-20):])
			}
		}
		skewed := make([]byte, n)
		for i := range skewed {
			skewed[i] = byte(r.ExpFloat64() * 8) // codes of very different lengths
		}
		for name, data := range map[string][]byte{"random": random, "few": few, "walk": walk, "steps": steps, "skewed": skewed} {
			all[fmt.Sprintf("%s %d", name, n)] = data
		}
	}
	return all
}

func TestDecode(t *testing.T) {
	var d inflate.Decoder
	for name, data := range contents() {
		for _, level := range []int{zlib.HuffmanOnly, 0, 1, 6, 9} {
			stream := encode(t, level, data)
			for _, room := range []int{0, 1, 1000} {
				dst := make([]byte, len(data)+room)
				n, used, err := d.Zlib(dst, stream)
				if err != nil || !bytes.Equal(dst[:n], data) || used != len(stream) {
					t.Errorf("%s, level %d, %d bytes more: %d bytes of %d, error %v", name, level, room, n, len(data), err)
				}
			}
			if len(data) == 0 {
				continue
			}
			if _, _, err := d.Zlib(make([]byte, len(data)-1), stream); !errors.Is(err, inflate.ErrTooLarge) {
				t.Errorf("%s, level %d: with a byte too little the error is %v", name, level, err)
			}
		}
	}
}

// TestCorrupt cuts streams, and changes each of their bytes.
func TestCorrupt(t *testing.T) {
	var d inflate.Decoder
	for _, name := range []string{"walk 300", "few 5000", "skewed 5000", "random 300"} {
		data := contents()[name]
		for _, level := range []int{0, 6} {
			stream := encode(t, level, data)
			dst := make([]byte, len(data)+10)
			for n := range stream {
				if _, _, err := d.Zlib(dst, stream[:n]); !errors.Is(err, inflate.ErrCorrupt) {
					t.Errorf("%s: %d bytes of %d: error %v", name, n, len(stream), err)
				}
			}
			for i := range stream {
				stream[i] ^= 0x55
				if n, _, err := d.Zlib(dst, stream); err == nil && (i > 1 || !bytes.Equal(dst[:n], data)) {
					t.Errorf("%s: byte %d of %d changed without an error", name, i, len(stream))
				}
				stream[i] ^= 0x55
			}
		}
	}
}

// FuzzZlib compares the decoder with that of the standard library.
func FuzzZlib(f *testing.F) {
	for name, data := range contents() {
		if len(data) > 300 {
			data = data[:300]
		}
		f.Add(encode(f, len(name)%10, data))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		const most = 1 << 16
		var want []byte
		r, wantErr := zlib.NewReader(bytes.NewReader(stream))
		if wantErr == nil {
			want, wantErr = io.ReadAll(io.LimitReader(r, most+1))
			if len(want) > most {
				return
			}
		}
		var d inflate.Decoder
		dst := make([]byte, most)
		n, _, err := d.Zlib(dst, stream)
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(dst[:n], want) {
			t.Errorf("%d bytes and error %v, the standard library has %d and %v", n, err, len(want), wantErr)
		}
		short := make([]byte, max(n-1, 0))
		if _, _, err := d.Zlib(short, stream); err == nil && n > 0 {
			t.Error("there was too little room, and no error")
		}
	})
}

// gzipped compresses data to a gzip member with the standard library.
func gzipped(t testing.TB, level int, data []byte, header gzip.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Header = header
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// members returns gzip members of data: headers of all kinds, and two members.
func members(t testing.TB, data []byte) map[string][]byte {
	full := gzip.Header{Name: "a name", Comment: "a comment", Extra: []byte("extra")}
	plain := gzipped(t, 6, data, gzip.Header{})
	summed := append([]byte{}, gzipped(t, 6, data, full)...)
	header := 10 + 2 + len(full.Extra) + len(full.Name) + 1 + len(full.Comment) + 1
	summed[3] |= 2
	sum := crc32.ChecksumIEEE(summed[:header])
	summed = slices.Insert(summed, header, byte(sum), byte(sum>>8))
	return map[string][]byte{
		"plain": plain, "full": gzipped(t, 1, data, full), "summed": summed,
		"name": gzipped(t, 9, data, gzip.Header{Name: "n"}), "two": append(gzipped(t, 0, data[:len(data)/3], full), gzipped(t, 6, data[len(data)/3:], gzip.Header{})...),
	}
}

// TestGzip decodes members, cuts them, and changes each of their bytes.
func TestGzip(t *testing.T) {
	var d inflate.Decoder
	data := contents()["walk 300"]
	for name, stream := range members(t, data) {
		dst := make([]byte, len(data)+10)
		if n, err := d.Gzip(dst, stream); err != nil || !bytes.Equal(dst[:n], data) {
			t.Errorf("%s: %d bytes of %d, error %v", name, n, len(data), err)
		}
		if _, err := d.Gzip(dst[:len(data)-1], stream); !errors.Is(err, inflate.ErrTooLarge) {
			t.Errorf("%s: with a byte too little the error is %v", name, err)
		}
		if _, err := d.Gzip(dst, append(bytes.Clone(stream), 0)); !errors.Is(err, inflate.ErrCorrupt) {
			t.Errorf("%s: with a byte more the error is %v", name, err)
		}
		for n := range stream {
			if k, err := d.Gzip(dst, stream[:n]); err == nil && (name != "two" || k != len(data)/3) {
				t.Errorf("%s: %d bytes of %d without an error", name, n, len(stream))
			}
		}
		for i := range stream {
			stream[i] ^= 0x55
			if n, err := d.Gzip(dst, stream); err == nil && !bytes.Equal(dst[:n], data) {
				t.Errorf("%s: byte %d of %d changed without an error", name, i, len(stream))
			}
			stream[i] ^= 0x55
		}
	}
}

// FuzzGzip compares the decoder with that of the standard library, which takes names of at
// most 511 bytes.
func FuzzGzip(f *testing.F) {
	for _, stream := range members(f, contents()["walk 300"]) {
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		const most = 1 << 16
		var want []byte
		r, wantErr := gzip.NewReader(bytes.NewReader(stream))
		if wantErr == nil {
			want, wantErr = io.ReadAll(io.LimitReader(r, most+1))
			if len(want) > most {
				return
			}
		}
		var d inflate.Decoder
		dst := make([]byte, most)
		n, err := d.Gzip(dst, stream)
		if errors.Is(wantErr, gzip.ErrHeader) && len(stream) > 512 {
			return
		}
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(dst[:n], want) {
			t.Errorf("%d bytes and error %v, the standard library has %d and %v", n, err, len(want), wantErr)
		}
	})
}

func BenchmarkZlib(b *testing.B) {
	data := contents()["walk 300000"]
	stream := encode(b, 4, data)
	dst := make([]byte, len(data))
	var d inflate.Decoder
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, err := d.Zlib(dst, stream); err != nil {
			b.Fatal(err)
		}
	}
}
