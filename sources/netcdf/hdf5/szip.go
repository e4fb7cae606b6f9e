package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs/szip"
)

// szip undoes the filter szip. A chunk begins with the size of its content in 4 bytes.
// The parameters are the options, the elements of a block, the bits of an element, and
// the elements of a scanline.
func (s *Shared) szip(p []uint32) (step, error) {
	const options, block, width, scanline, count = 0, 1, 2, 3, 4 // indexes of parameters
	if len(p) == width {
		return neverApplied, nil
	}
	if len(p) != count {
		return nil, unsupported("parameters %d", p)
	}
	d, err := szip.NewDecoder(szip.Parameters{Options: p[options], Block: int(p[block]), Bits: int(p[width]), Scanline: int(p[scanline])})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
	}
	return func(dst, src []byte) ([]byte, error) {
		const header = 4
		if len(src) < header {
			return nil, corrupt("%d bytes are too few for a header", len(src))
		}
		size := binary.LittleEndian.Uint32(src)
		if uint64(size) > uint64(len(dst)) {
			return nil, tooMuch(len(dst))
		}
		dst = dst[:size]
		scratch := s.buffers.Get(d.Scratch(len(dst)))
		defer scratch.Release()
		if err := d.Decode(dst, src[header:], scratch.Bytes); err != nil {
			return nil, fmt.Errorf("%w: %w", err, ErrCorrupt)
		}
		return dst, nil
	}, nil
}
