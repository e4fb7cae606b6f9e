package verify

import (
	"cmp"
	"context"
	"hash/crc32"
	"slices"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sinks"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// object reads an object of the target as a [codecs.Input].
type object struct {
	target *store.Store
	key    string
	size   int64
}

// Size implements [codecs.Input].
func (o object) Size() int64 { return o.size }

// ReadAt implements [codecs.Input].
func (o object) ReadAt(ctx context.Context, b []byte, off int64) error {
	return o.target.ReadRange(ctx, o.key, b, off)
}

// GapBytes implements [codecs.Gapped].
func (o object) GapBytes() int { return o.target.GapBytes() }

// pieces reads an object that need not fit into memory. It keeps the checksum of each piece
// that was read, so that finish reads only the rest.
type pieces struct {
	object
	read   []piece
	failed error // the first error of a read
}

// piece is a range of bytes that was read, with its CRC-32C.
type piece struct {
	from, to int64
	sum      uint32
}

// ReadAt implements [codecs.Input].
func (p *pieces) ReadAt(ctx context.Context, b []byte, off int64) error {
	if err := p.object.ReadAt(ctx, b, off); err != nil {
		p.failed = cmp.Or(p.failed, err)
		return err
	}
	p.read = append(p.read, piece{off, off + int64(len(b)), crc32.Checksum(b, castagnoli)})
	return nil
}

// finish reads the rest of the object, piece by piece into the buffer, and returns the
// checksum of the whole object. If an earlier read has failed, finish returns its error.
func (p *pieces) finish(ctx context.Context, buffer []byte) (_ sinks.Checksum, err error) {
	if p.failed != nil {
		return sinks.Checksum{}, p.failed
	}
	slices.SortFunc(p.read, func(a, b piece) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	at, sum := int64(0), uint32(0)
	rest := func(to int64) error {
		for at < to {
			part := buffer[:min(int64(len(buffer)), to-at)]
			if err := p.object.ReadAt(ctx, part, at); err != nil {
				return err
			}
			sum = crc32.Update(sum, castagnoli, part)
			at += int64(len(part))
		}
		return nil
	}
	for _, x := range p.read {
		if x.from < at {
			continue // read twice, at least in part
		}
		if err := rest(x.from); err != nil {
			return sinks.Checksum{}, err
		}
		sum, at = joinedSum(sum, x.sum, x.to-x.from), x.to
	}
	if err := rest(p.size); err != nil {
		return sinks.Checksum{}, err
	}
	var last []byte // the last bytes count only then
	if !sinks.Proves(sum) && p.size >= 4 {
		last = make([]byte, 4)
		err = p.object.ReadAt(ctx, last, p.size-4)
	}
	return sinks.NewChecksum(sum, last), err
}

// joinedSum returns the CRC-32C of two runs of bytes that follow each other. first and second
// are their checksums, and n is the length of the second one. A CRC is a polynomial over
// GF(2): n bytes that follow multiply it by x^(8n). This is the method of crc32_combine in
// zlib.
func joinedSum(first, second uint32, n int64) uint32 {
	power, square := uint32(1)<<31, uint32(1)<<23 // 1 and x^8; the highest bit is that of x^0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			power = product(square, power)
		}
		square = product(square, square)
	}
	return product(power, first) ^ second
}

// product returns a·b modulo the polynomial of CRC-32C.
func product(a, b uint32) (sum uint32) {
	for ; a != 0; a <<= 1 {
		if a&(1<<31) != 0 {
			sum ^= b
		}
		low := b & 1
		b >>= 1
		if low == 1 {
			b ^= crc32.Castagnoli
		}
	}
	return sum
}
