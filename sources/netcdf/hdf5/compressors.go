package hdf5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/dsnet/compress/bzip2"
	"github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/codecs/blosc"
	"github.com/zmigrate/zmigrate/codecs/blosc2"
	"github.com/zmigrate/zmigrate/codecs/inflate"
	"github.com/zmigrate/zmigrate/codecs/zstd"
)

// decoders keeps decoders for later chunks. Its zero value is ready.
type decoders struct {
	inflates sync.Pool // of *inflate.Decoder
	bzip2s   sync.Pool // of *bzip2.Reader
	bloscs   blosc.Decoder
	bloscs2  blosc2.Decoder
	zstds    zstd.Decoder
}

func (d *decoders) deflate(dst, src []byte) ([]byte, error) {
	z, ok := d.inflates.Get().(*inflate.Decoder)
	if !ok {
		z = &inflate.Decoder{}
	}
	defer d.inflates.Put(z)
	n, _, err := z.Zlib(dst, src)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrCorrupt)
	}
	return dst[:n], nil
}

// bzip2 decodes a stream. Like libhdf5, it ignores what is behind the stream.
func (d *decoders) bzip2(dst, src []byte) ([]byte, error) {
	out, err := d.bzip2Whole(dst, src)
	if err == nil {
		return out, nil
	}
	if end := bzip2End(src); end < len(src) {
		if out, err := d.bzip2Whole(dst, src[:end]); err == nil {
			return out, nil
		}
	}
	return nil, err
}

// bzip2End returns where the first stream in data ends. A stream ends with 48 fixed bits, which
// begin anywhere in a byte, a checksum of 32 bits, and bits that fill the last byte.
func bzip2End(data []byte) int {
	const mark, checksum = 0x177245385090, 4
	var word uint64
	for i, b := range data {
		word = word<<8 | uint64(b)
		for shift := range 8 { // how many bits of this byte are behind the mark
			if word>>shift&(1<<48-1) == mark {
				return min(i+1+checksum, len(data))
			}
		}
	}
	return len(data)
}

// bzip2Whole decodes a stream that ends with src.
func (d *decoders) bzip2Whole(dst, src []byte) ([]byte, error) {
	z, ok := d.bzip2s.Get().(*bzip2.Reader)
	var err error
	if ok {
		err = z.Reset(bytes.NewReader(src))
	} else {
		z, err = bzip2.NewReader(bytes.NewReader(src), nil)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrCorrupt)
	}
	n := 0
	for {
		to := dst[n:]
		if n == len(dst) {
			to = make([]byte, 1) // only content that is too long uses it
		}
		k, err := z.Read(to)
		switch {
		case k > 0 && n == len(dst):
			return nil, tooMuch(len(dst))
		case errors.Is(err, io.EOF):
			d.bzip2s.Put(z) // before its end it would keep bytes for the next stream
			return dst[:n+k], nil
		case err != nil:
			return nil, fmt.Errorf("%w: %w", err, ErrCorrupt)
		}
		n += k
	}
}

// zstd decodes frames. If something else is behind the first frame, it is ignored, as in libhdf5.
func (d *decoders) zstd(dst, src []byte) ([]byte, error) {
	n, err := d.zstds.Decode(dst, src)
	if err != nil {
		if k, first := d.zstds.DecodeFirst(dst, src); first == nil {
			n, err = k, nil
		}
	}
	switch {
	case errors.Is(err, zstd.ErrTooLarge):
		return nil, tooMuch(len(dst))
	case err != nil:
		return nil, fmt.Errorf("%w: %w", err, ErrCorrupt)
	}
	return dst[:n], nil
}

// blosc decodes a buffer. Like libhdf5, it ignores what is behind the buffer.
func (d *decoders) blosc(dst, src []byte) ([]byte, error) {
	if h, err := blosc.ParseHeader(src); err == nil && h.EncodedSize < len(src) {
		src = src[:h.EncodedSize]
	}
	n, err := blosc.DecodedSize(src)
	switch {
	case errors.Is(err, blosc.ErrUnsupported):
		return nil, fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", err, ErrCorrupt)
	case n > len(dst):
		return nil, tooMuch(len(dst))
	}
	if err := d.bloscs.DecodeInto(dst[:n], src); err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrCorrupt)
	}
	return dst[:n], nil
}

// checkBlosc2 refuses the filter and the codec of Blosc2 that the parameters of the filter name, if
// frames with them cannot be read. The parameters are the version, the sizes of a block, an element
// and a chunk, the level, the last filter and the codec; the rank and the shape of a chunk may
// follow.
func checkBlosc2(parameters []uint32) error {
	const lastFilter, codec = 5, 6
	var err error
	if len(parameters) > lastFilter {
		err = blosc2.CheckFilter(int(parameters[lastFilter]))
	}
	if err == nil && len(parameters) > codec {
		err = blosc2.CheckCodec(int(parameters[codec]))
	}
	if err != nil {
		return unsupported("%v: write the data without it, with h5repack -f NONE IN OUT or h5py, and the plugin of hdf5plugin", err)
	}
	return nil
}

func (d *decoders) blosc2(dst, src []byte) ([]byte, error) {
	n, err := blosc2.DecodedSize(src)
	if err == nil && n > len(dst) {
		return nil, tooMuch(len(dst))
	}
	if err == nil {
		err = d.bloscs2.DecodeInto(dst[:n], src)
	}
	switch {
	case errors.Is(err, blosc2.ErrUnsupported):
		return nil, fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", err, ErrCorrupt)
	}
	return dst[:n], nil
}

// lz4Blocks undoes the filter lz4. The chunk begins with the size of the content in 8 bytes
// and the size of a block in 4 bytes, both big-endian. Blocks of LZ4 follow, each after its
// size in 4 bytes. A block that is as large as its content is the content itself.
func lz4Blocks(dst, src []byte) ([]byte, error) {
	const header = 8 + 4
	if len(src) < header {
		return nil, corrupt("%d bytes are too few for a header", len(src))
	}
	size, block := binary.BigEndian.Uint64(src), int(binary.BigEndian.Uint32(src[8:]))
	if size > uint64(len(dst)) {
		return nil, tooMuch(len(dst))
	}
	if block == 0 && size > 0 {
		return nil, corrupt("blocks of no bytes")
	}
	dst, src = dst[:size], src[header:]
	for rest := dst; len(rest) > 0; {
		content := rest[:min(block, len(rest))]
		rest = rest[len(content):]
		if len(src) < 4 {
			return nil, corrupt("it ends before its last block")
		}
		n := int(binary.BigEndian.Uint32(src))
		src = src[4:]
		if n > len(src) {
			return nil, corrupt("a block of %d bytes, but only %d bytes are left", n, len(src))
		}
		if n == len(content) {
			copy(content, src)
		} else if got, err := lz4.UncompressBlock(src[:n], content); err != nil || got != len(content) {
			return nil, corrupt("a block of LZ4 with %d of %d bytes: %v", got, len(content), err)
		}
		src = src[n:]
	}
	return dst, nil
}

// lzf undoes the filter lzf. A stream of LibLZF is a sequence of
//
//	000LLLLL                       L+1 literal bytes follow
//	LLLDDDDD dddddddd              repeat L+2 bytes from D·256+d+1 back
//	111DDDDD LLLLLLLL dddddddd     repeat L+9 bytes from there
func lzf(dst, src []byte) ([]byte, error) {
	at := 0
	for len(src) > 0 {
		control := int(src[0])
		src = src[1:]
		if control < 32 {
			n := control + 1
			if n > len(src) {
				return nil, corrupt("it ends within literals")
			}
			if n > len(dst)-at {
				return nil, tooMuch(len(dst))
			}
			at += copy(dst[at:], src[:n])
			src = src[n:]
			continue
		}
		n, needed := control>>5, 1
		if n == 7 {
			needed = 2
		}
		if len(src) < needed {
			return nil, corrupt("it ends within a repetition")
		}
		if n == 7 {
			n += int(src[0])
		}
		back := (control&0x1f)<<8 + int(src[needed-1]) + 1
		src = src[needed:]
		n += 2
		if back > at {
			return nil, corrupt("a repetition from %d bytes back, after %d", back, at)
		}
		if n > len(dst)-at {
			return nil, tooMuch(len(dst))
		}
		for n > 0 { // a repetition may continue in the bytes that it has written
			k := copy(dst[at:at+n], dst[at-back:at])
			at += k
			n -= k
		}
	}
	return dst[:at], nil
}
