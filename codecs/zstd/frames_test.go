package zstd_test

import (
	"bufio"
	"bytes"
	"slices"
	"testing"

	peer "github.com/klauspost/compress/zstd"

	"github.com/zmigrate/zmigrate/codecs/zstd"
)

// frames returns frames of this package's encoder and of another one, with and without
// their size, and with and without checksums.
func frames(t testing.TB) [][]byte {
	t.Helper()
	content := bytes.Repeat([]byte("as it is, "), 40_000)
	for i := range content {
		content[i] += byte(i * i >> 9)
	}
	var all [][]byte
	for _, checksum := range []bool{false, true} {
		own, err := zstd.NewEncoder(zstd.Options{Level: 1, Checksum: checksum})
		if err != nil {
			t.Fatal(err)
		}
		w, err := peer.NewWriter(nil, peer.WithEncoderCRC(checksum), peer.WithZeroFrames(true))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 255, 256, 300, 70_000, len(content)} {
			one := own.AppendEncode(nil, content[:n])
			var stream bytes.Buffer
			w.Reset(&stream)
			_, _ = w.Write(content[:n/2])
			_ = w.Flush()
			_, _ = w.Write(content[n/2 : n])
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			skipped := append([]byte{0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0}, "any"...)
			all = append(all, one, w.EncodeAll(content[:n], nil), stream.Bytes(), slices.Concat(skipped, one, one, skipped))
		}
	}
	return all
}

func read(data []byte) (zstd.Content, error) {
	return zstd.Frames(bufio.NewReader(bytes.NewReader(data)))
}

// TestFrames reads whole frames, and their size if they state it. It accepts no frame
// that is cut short or followed by other bytes.
func TestFrames(t *testing.T) {
	d, err := peer.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for i, data := range frames(t) {
		content, err := read(data)
		if err != nil {
			t.Fatalf("frame %d: %v", i, err)
		}
		decoded, err := d.DecodeAll(data, nil)
		if err != nil || content.Size >= 0 && content.Size != int64(len(decoded)) {
			t.Errorf("frame %d: %+v, decoded to %d bytes, %v", i, content, len(decoded), err)
		}
		if i%4 == 0 && content.Size < 0 {
			t.Errorf("frame %d: %+v", i, content)
		}
		for _, n := range []int{1, 4, 5, 8, len(data) / 2, len(data) - 5, len(data) - 1} {
			if n < 0 || n >= len(data) || i%4 == 3 && n == len(data)/2 {
				continue // the first of two frames ends here
			}
			if content, err := read(data[:n]); err == nil {
				t.Errorf("frame %d: the first %d of %d bytes are %+v", i, n, len(data), content)
			}
		}
		for _, more := range []string{"x", "junk", "junkjunk"} {
			if content, err := read(append(bytes.Clone(data), more...)); err == nil {
				t.Errorf("frame %d, and then %s: %+v", i, more, content)
			}
		}
	}
}

// FuzzFrames refuses nothing that can be decoded.
func FuzzFrames(f *testing.F) {
	for _, data := range frames(f) {
		f.Add(data[:min(len(data), 5000)])
	}
	d, err := peer.NewReader(nil, peer.WithDecoderConcurrency(1), peer.WithDecoderMaxMemory(1<<24))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		content, err := read(data)
		decoded, fault := d.DecodeAll(data, nil)
		if fault != nil || len(data) == 0 {
			return
		}
		if err == nil && content.Size >= 0 && content.Size != int64(len(decoded)) {
			t.Errorf("%+v, decoded to %d bytes", content, len(decoded))
		}
		// The library ignores up to three bytes behind a frame, and accepts no frame at
		// all as a frame.
		for n := 1; err != nil && n <= 3 && n < len(data); n++ {
			_, err = read(data[:len(data)-n])
		}
		if err != nil && len(decoded) > 0 {
			t.Errorf("%v, decoded to %d bytes", err, len(decoded))
		}
	})
}
