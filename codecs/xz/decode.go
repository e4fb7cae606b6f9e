package xz

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ulikunitz/xz/lzma"
)

const (
	// maxRatio is more than the ratio of any LZMA stream: a repetition of 273 bytes
	// takes at least 14 decisions of 0.02 bits.
	maxRatio = 1 << 13
	// unstated is the size in the header of a .lzma file whose end is a marker.
	unstated = 1<<64 - 1
)

// AppendDecode appends the content of src to dst and returns the extended slice. It
// never appends more than most bytes: a longer content is ErrTooLarge. Damage is
// ErrCorrupt; so are bytes behind the end. The options for filters matter only for Raw,
// because the other formats state them.
func AppendDecode(dst, src []byte, most int, o Options) ([]byte, error) {
	from, in := len(dst), &input{rest: src}
	var err error
	switch {
	case o.Format == XZ:
		return appendXZ(dst, src, most)
	case o.Format == Alone:
		if len(src) < lzma.HeaderLen {
			return nil, fmt.Errorf("%w: %d bytes hold no header", ErrCorrupt, len(src))
		}
		in.rest = src[lzma.HeaderLen:]
		dst, err = appendLZMA1(dst, in, src[:lzma.HeaderLen], most)
	case o.LZMA1:
		properties := o.properties()
		header := binary.LittleEndian.AppendUint32([]byte{properties.Code()}, uint32(o.Dictionary))
		dst, err = appendLZMA1(dst, in, binary.LittleEndian.AppendUint64(header, unstated), most)
	default:
		dst, err = appendLZMA2(dst, in, int64(o.Dictionary), most)
	}
	if err != nil {
		return nil, err
	}
	if n := len(in.rest); n > 0 {
		return nil, fmt.Errorf("%w: %d bytes behind the end", ErrCorrupt, n)
	}
	if o.Format == Raw {
		undelta(dst[from:], o.Deltas)
	}
	return dst, nil
}

// dictionary returns the memory that a decoder needs for repetitions. It is not more
// than the content can have.
func dictionary(stated int64, most, input int) int {
	if limit := int64(most); stated > limit {
		stated = limit
	}
	if limit := int64(input) * maxRatio; stated > limit {
		stated = limit
	}
	return int(min(max(stated, lzma.MinDictCap), lzma.MaxDictCap))
}

func appendLZMA2(dst []byte, in *input, stated int64, most int) ([]byte, error) {
	r, err := lzma.Reader2Config{DictCap: dictionary(stated, most, len(in.rest))}.NewReader2(in)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return appendAll(dst, r, most)
}

// appendLZMA1 appends the content of a .lzma file. The header is separate from the
// bytes behind it.
func appendLZMA1(dst []byte, in *input, header []byte, most int) ([]byte, error) {
	if n := binary.LittleEndian.Uint64(header[5:]); n != unstated && n > uint64(most) {
		return nil, fmt.Errorf("%w: %d, at most %d", ErrTooLarge, n, most)
	}
	header = slices.Clone(header)
	stated := int64(binary.LittleEndian.Uint32(header[1:]))
	binary.LittleEndian.PutUint32(header[1:], uint32(dictionary(stated, most, len(in.rest))))
	in.rest, in.then = header, in.rest
	r, err := lzma.ReaderConfig{DictCap: lzma.MaxDictCap}.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return appendAll(dst, r, most)
}

// appendAll appends all bytes of r to dst, no more than most bytes.
func appendAll(dst []byte, r io.Reader, most int) ([]byte, error) {
	from := len(dst)
	for {
		room := most - (len(dst) - from)
		var one [1]byte
		p := one[:] // only to see whether there are more bytes
		if room > 0 {
			// The buffer grows with the content, so that a short input gets no large
			// buffer.
			dst = slices.Grow(dst, min(room, 4096))
			p = dst[len(dst):min(cap(dst), len(dst)+room)]
		}
		n, err := r.Read(p)
		if n > 0 && room == 0 {
			return nil, fmt.Errorf("%w: more than %d", ErrTooLarge, most)
		}
		dst = dst[:len(dst)+n]
		if errors.Is(err, io.EOF) {
			return dst, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
	}
}

// delta subtracts from each byte the byte that lies distance bytes before, for each
// distance in turn.
func delta(content []byte, distances []int) {
	for _, d := range distances {
		for i := len(content) - 1; i >= d; i-- {
			content[i] -= content[i-d]
		}
	}
}

// undelta undoes delta.
func undelta(content []byte, distances []int) {
	for _, d := range slices.Backward(distances) {
		for i := d; i < len(content); i++ {
			content[i] += content[i-d]
		}
	}
}
