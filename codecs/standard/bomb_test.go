package standard_test

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

// bound returns a bound bytes → bytes codec of the standard registry.
func bound(t testing.TB, s codecs.Spec, in codecs.Size) codecs.BytesToBytes {
	t.Helper()
	d, err := standard.Registry(dtype.Standard()).Lookup(s.Name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Parse(s.Configuration)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.(codecs.BytesToBytesCodec).BindBytesToBytes(in)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func gzipped(t testing.TB, parts ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// streamed returns a zstd frame that does not state the size of its content.
func streamed(t testing.TB, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(content, 1000) { // in pieces, so that the first are written before the size is known
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestBombs checks that a small input that expands far is refused before memory is
// allocated for the content.
func TestBombs(t *testing.T) {
	zeros := make([]byte, 64<<20)
	known, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	frame := known.EncodeAll(zeros, nil)
	for name, c := range map[string]struct {
		spec codecs.Spec
		data []byte
	}{
		"gzip":          {spec("gzip", ""), gzipped(t, zeros)},
		"zstd":          {spec("zstd", ""), frame},
		"zstd streamed": {spec("zstd", ""), streamed(t, zeros[:8<<20])},
		"zstd lying":    {spec("zstd", ""), []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 1, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			b := bound(t, c.spec, codecs.Size{Max: 1 << 20, Fixed: true})
			if _, err := b.AppendDecode(nil, c.data); err == nil {
				t.Fatal("no error") // this run also allocates the decoder's own tables
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := b.AppendDecode(nil, c.data)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, codecs.ErrTooLarge) {
				t.Errorf("%v, want ErrTooLarge", err)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 6<<20 {
				t.Errorf("%d bytes allocated to refuse %d", n, len(c.data))
			}
		})
	}
}

// TestShortInputHugeChunk checks that the size of the chunk alone allocates no memory.
func TestShortInputHugeChunk(t *testing.T) {
	for _, name := range []string{"gzip", "zstd", "crc32c"} {
		b := bound(t, spec(name, ""), codecs.Size{Max: 1 << 43, Fixed: true})
		var data []byte
		switch name {
		case "gzip":
			data = gzipped(t, []byte("short"))
		case "zstd":
			data = streamed(t, []byte("short"))
		default:
			data = []byte("a few bytes")
		}
		if _, err := b.AppendDecode(nil, data); !errors.Is(err, codecs.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}

// TestConcatenated checks that several frames or members decode to the content of all,
// as their formats demand, whether they state their sizes or not.
func TestConcatenated(t *testing.T) {
	content := bytes.Repeat([]byte("some content, "), 900)
	half := len(content) / 2
	plain, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for name, c := range map[string]struct {
		spec codecs.Spec
		data []byte
	}{
		"gzip":             {spec("gzip", ""), join(gzipped(t, content[:half]), gzipped(t, content[half:]))},
		"zstd":             {spec("zstd", ""), join(plain.EncodeAll(content[:half], nil), plain.EncodeAll(content[half:], nil))},
		"zstd streamed":    {spec("zstd", ""), join(streamed(t, content[:half]), streamed(t, content[half:]))},
		"zstd mixed":       {spec("zstd", ""), join(streamed(t, content[:half]), plain.EncodeAll(content[half:], nil))},
		"zstd skippable":   {spec("zstd", ""), join([]byte{0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9}, plain.EncodeAll(content, nil))},
		"zstd one, stated": {spec("zstd", ""), plain.EncodeAll(content, nil)},
	} {
		for _, prefix := range []string{"", "a prefix that is longer than nothing"} {
			b := bound(t, c.spec, codecs.Size{Max: len(content), Fixed: true})
			got, err := b.AppendDecode([]byte(prefix), c.data)
			if err != nil || string(got) != prefix+string(content) {
				t.Errorf("%s behind %d bytes: %d bytes, %v", name, len(prefix), len(got), err)
			}
			if _, err := bound(t, c.spec, codecs.Size{Max: len(content) - 1}).AppendDecode([]byte(prefix), c.data); !errors.Is(err, codecs.ErrTooLarge) {
				t.Errorf("%s with a byte less room: %v, want ErrTooLarge", name, err)
			}
		}
	}
}
