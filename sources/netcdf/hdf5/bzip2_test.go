package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/dsnet/compress/bzip2"
)

// TestBytesBehindBzip2 decodes streams of bzip2 with further bytes behind them, as libhdf5 does.
// The streams end anywhere in a byte. A stream that is damaged stays an error.
func TestBytesBehindBzip2(t *testing.T) {
	d := new(decoders)
	compressed := func(content []byte) []byte {
		var b bytes.Buffer
		w, err := bzip2.NewWriter(&b, nil)
		if err == nil {
			_, err = w.Write(content)
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for n := range 40 {
		content := fmt.Appendf(nil, "content number %0*d", n, n)
		stream := compressed(content)
		for _, behind := range [][]byte{nil, make([]byte, 7), []byte("BZ"), []byte("garbage"), compressed([]byte("more"))} {
			data := slices.Concat(stream, behind)
			got, err := d.bzip2(make([]byte, len(content)), data)
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("%q and %q behind it: %q, %v", content, behind, got, err)
			}
			damaged := slices.Clone(data)
			damaged[len(stream)/2] ^= 1
			if _, err := d.bzip2(make([]byte, len(content)), damaged); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%q, damaged: %v", content, err)
			}
			if _, err := d.bzip2(make([]byte, len(content)-1), data); err == nil {
				t.Errorf("%q: no error in less memory", content)
			}
		}
	}
}
