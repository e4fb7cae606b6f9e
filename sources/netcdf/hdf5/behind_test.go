package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/blosc"
	"github.com/zmigrate/zmigrate/codecs/zstd"
)

// TestBytesBehindTheStream decodes chunks of zstd and Blosc with further bytes behind them, as
// libhdf5 does with hdf5plugin. A chunk that is damaged stays an error.
func TestBytesBehindTheStream(t *testing.T) {
	frames, err := zstd.NewEncoder(zstd.Options{Level: 3, Checksum: true})
	if err != nil {
		t.Fatal(err)
	}
	d := new(decoders)
	content := bytes.Repeat([]byte("some content. "), 100)
	frame := frames.AppendEncode(nil, content)
	for name, filter := range map[string]struct {
		decode step
		stream []byte
	}{
		"zstd":  {d.zstd, frame},
		"blosc": {d.blosc, bloscBuffer(t, content)},
	} {
		for _, behind := range [][]byte{nil, {0}, make([]byte, 100), []byte("xyzab"), filter.stream} {
			data := slices.Concat(filter.stream, behind)
			got, err := filter.decode(make([]byte, len(content)), data)
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("%s and %.9q behind it: %.20q, %v", name, behind, got, err)
			}
			if _, err := filter.decode(make([]byte, len(content)-1), data); err == nil {
				t.Errorf("%s and %.9q behind it: no error in less memory", name, behind)
			}
			cut := filter.stream[:len(filter.stream)-1]
			if _, err := filter.decode(make([]byte, len(content)), cut); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s, cut off: %v", name, err)
			}
		}
	}
	damaged := slices.Concat(frame, []byte("behind"))
	damaged[len(frame)/2] ^= 1
	if _, err := d.zstd(make([]byte, len(content)), damaged); !errors.Is(err, ErrCorrupt) {
		t.Error(fmt.Errorf("damaged: %w", err))
	}
}

func bloscBuffer(t *testing.T, content []byte) []byte {
	e, err := blosc.NewEncoder(blosc.Options{Codec: blosc.LZ4, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	data, err := e.AppendEncode(nil, content)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
