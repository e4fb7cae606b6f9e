package codecs

import (
	"context"
	"hash/crc32"
)

// Input is a stored object that can be read in parts. One caller uses it at a time.
type Input interface {
	// Size returns the length of the object in bytes.
	Size() int64
	// ReadAt fills p with the bytes from offset off on. They lie within the object.
	ReadAt(ctx context.Context, p []byte, off int64) error
}

// Gapped is a trait of an Input that knows what requests cost.
type Gapped interface {
	// GapBytes returns how many bytes between two ranges are cheaper to read, although
	// nobody needs them, than a second request.
	GapBytes() int
}

// Summed is a trait of an Input that knows a checksum of all its bytes. The checksum is
// stored apart from the bytes.
type Summed interface {
	// Sum returns a CRC and the table of its polynomial. The table is nil if there is
	// no CRC.
	Sum() (table *crc32.Table, sum uint32)
}

// GapBytes returns the GapBytes of a [Gapped] Input, and a usual value for others.
func GapBytes(in Input) int {
	const usual = 16 << 10
	if g, ok := in.(Gapped); ok {
		return g.GapBytes()
	}
	return usual
}

// InMemory is an Input whose bytes are in memory.
type InMemory []byte

// Size implements [Input].
func (m InMemory) Size() int64 { return int64(len(m)) }

// ReadAt implements [Input].
func (m InMemory) ReadAt(_ context.Context, p []byte, off int64) error {
	copy(p, m[off:])
	return nil
}

// Section returns a section of an Input: size bytes from offset off on.
func Section(in Input, off, size int64) Input {
	if data, ok := in.(InMemory); ok {
		return data[off:][:size]
	}
	return section{in, off, size}
}

// section is a section of an Input that is not in memory.
type section struct {
	in        Input
	off, size int64
}

func (s section) Size() int64 { return s.size }

func (s section) ReadAt(ctx context.Context, p []byte, off int64) error {
	return s.in.ReadAt(ctx, p, s.off+off)
}

// GapBytes implements [Gapped].
func (s section) GapBytes() int { return GapBytes(s.in) }

// ReadAll returns all bytes of an Input.
func ReadAll(ctx context.Context, in Input) ([]byte, error) {
	if data, ok := in.(InMemory); ok {
		return data, nil
	}
	data := make([]byte, in.Size())
	return data, in.ReadAt(ctx, data, 0)
}
