package zstd_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/internal/python"
	"github.com/zmigrate/zmigrate/codecs/zstd"
)

// TestInteropLibzstd decodes frames of libzstd, made at levels of all its strategies,
// with windows of many sizes.
func TestInteropLibzstd(t *testing.T) {
	var (
		p       = python.Start(t, "numcodecs.zstd", filepath.Join("testdata", "libzstd.py"))
		d       zstd.Decoder
		sources = contents(150_000)
	)
	// Repetitions are far back.
	random := rand.New(rand.NewPCG(1, 2))
	far := make([]byte, 10<<20)
	for i := range far {
		far[i] = byte(random.Uint32())
	}
	far = append(far, far[:1<<20]...)
	check := func(name string, content []byte, level, checksum int32) {
		head := binary.LittleEndian.AppendUint32(nil, uint32(level))
		head = binary.LittleEndian.AppendUint32(head, uint32(checksum))
		head = binary.LittleEndian.AppendUint32(head, uint32(len(content)))
		// The script reads everything before it writes.
		if _, err := p.Write(append(head, content...)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(p, head[:4]); err != nil {
			t.Fatal(err)
		}
		frame := make([]byte, binary.LittleEndian.Uint32(head))
		if _, err := io.ReadFull(p, frame); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(content))
		if n, err := d.Decode(got, frame); err != nil || !bytes.Equal(got[:n], content) {
			t.Errorf("%s, level %d: %d of %d bytes, %v", name, level, n, len(content), err)
		}
	}
	for level := int32(-5); level <= 22; level += 3 {
		for name, content := range sources {
			check(name, content, level, level&1)
		}
	}
	for _, level := range []int32{1, 20} {
		check("far", far, level, 0)
	}
}
