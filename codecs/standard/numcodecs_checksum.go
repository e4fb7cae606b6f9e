package standard

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"hash/crc32"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/adler32"
)

// The codecs of this file, and crc32c, store a little-endian checksum of 32 bits in
// front of the bytes that it covers or behind them.

// checksumSize is the length of all checksums, in bytes.
const checksumSize = 4

func numcodecsCRC32Definition() codecs.Definition {
	return locatedDefinition("numcodecs.crc32", []string{"crc32"}, "start",
		checksum{name: "CRC-32", sum: crc32.ChecksumIEEE, pieces: crc32.NewIEEE})
}

// numcodecsCRC32CDefinition is the codec "numcodecs.crc32c". It differs from "crc32c":
// its checksum may stand in front.
func numcodecsCRC32CDefinition() codecs.Definition {
	return locatedDefinition("numcodecs.crc32c", nil, "end", crc32cSum)
}

func numcodecsAdler32Definition() codecs.Definition {
	return locatedDefinition("numcodecs.adler32", []string{"adler32"}, "start",
		checksum{name: "Adler-32", sum: adler32.Sum, pieces: adler32.New})
}

// locatedDefinition is the definition of a checksum codec whose only field is location.
func locatedDefinition(name string, aliases []string, location string, sum checksum) codecs.Definition {
	return codecs.Definition{
		Name: name, Aliases: aliases, Kind: codecs.KindBytesToBytes,
		Summary: "adds the " + sum.name + " of all bytes, checked on reading",
		Fields: []codecs.Field{{
			Name: "location", Type: `"start" or "end"`, Default: fmt.Sprintf("%q", location),
			Doc: "whether the checksum stands in front of the bytes or behind them",
		}},
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			c := struct {
				Location *string `json:"location"`
			}{}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			if c.Location == nil {
				c.Location = &location
			}
			if *c.Location != "start" && *c.Location != "end" {
				return nil, codecs.Fieldf("location", `%.20q: want "start" or "end"`, *c.Location)
			}
			spec := codecs.Spec{Name: name, Configuration: fmt.Appendf(nil, `{"location":%q}`, *c.Location)}
			return checksumCodec{spec, sum, *c.Location == "start"}, nil
		},
	}
}

// checksum is a checksum that a codec stores beside its input.
type checksum struct {
	name string
	sum  func(data []byte) uint32
	// old, if not nil, reports whether stored is what an older writer stored for data.
	// It is called if sum gives another value.
	old func(data []byte, stored uint32) bool
	// pieces, if not nil, computes sum over bytes that come in pieces.
	pieces func() hash.Hash32
}

// check compares a stored checksum with that of the data.
func (c checksum) check(data []byte, stored uint32) error {
	actual := c.sum(data)
	if stored == actual || c.old != nil && c.old(data, stored) {
		return nil
	}
	return c.wrong(stored, actual)
}

func (c checksum) wrong(stored, actual uint32) error {
	return fmt.Errorf("%w: %s is %08x, the data give %08x", codecs.ErrCorrupt, c.name, stored, actual)
}

type checksumCodec struct {
	spec  codecs.Spec
	sum   checksum
	front bool // whether the checksum stands in front
}

func (c checksumCodec) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) {
	return &checksumBound{c, in}, nil
}

type checksumBound struct {
	checksumCodec
	in codecs.Size
}

func (b *checksumBound) Spec() codecs.Spec { return b.spec }

func (b *checksumBound) Size() codecs.Size {
	return codecs.Size{Max: b.in.Max + checksumSize, Fixed: b.in.Fixed, Unbounded: b.in.Unbounded}
}

func (b *checksumBound) AppendEncode(dst, src []byte) ([]byte, error) {
	sum := b.sum.sum(src)
	dst = grow(dst, len(src)+checksumSize)
	if b.front {
		return append(binary.LittleEndian.AppendUint32(dst, sum), src...), nil
	}
	return binary.LittleEndian.AppendUint32(append(dst, src...), sum), nil
}

func (b *checksumBound) AppendDecode(dst, src []byte) ([]byte, error) {
	data, err := b.covered(src)
	if err != nil {
		return nil, err
	}
	return append(grow(dst, len(data)), data...), nil
}

// covered returns the bytes that the checksum in src covers, if the checksum matches.
func (b *checksumBound) covered(src []byte) ([]byte, error) {
	n, err := b.coveredSize(len(src))
	if err != nil {
		return nil, err
	}
	data, stored := src[:n], src[n:]
	if b.front {
		stored, data = src[:checksumSize], src[checksumSize:]
	}
	return data, b.sum.check(data, binary.LittleEndian.Uint32(stored))
}

// coveredSize returns how many of size bytes the checksum covers.
func (b *checksumBound) coveredSize(size int) (int, error) {
	n := size - checksumSize
	if n < 0 {
		return 0, fmt.Errorf("%w: %d bytes hold no checksum", codecs.ErrCorrupt, size)
	}
	return n, b.in.Check(n)
}

// Verify implements [codecs.Verifier].
func (b *checksumBound) Verify(ctx context.Context, in codecs.Input) error {
	src, ok := in.(codecs.InMemory)
	if !ok && b.sum.pieces != nil {
		return b.verifyPieces(ctx, in)
	}
	if !ok {
		src = make([]byte, in.Size())
		if err := in.ReadAt(ctx, src, 0); err != nil {
			return err
		}
	}
	_, err := b.covered(src)
	return err
}

// verifyPieces is Verify with at most VerifyPiece bytes in memory.
func (b *checksumBound) verifyPieces(ctx context.Context, in codecs.Input) error {
	n, err := b.coveredSize(int(in.Size()))
	if err != nil {
		return err
	}
	begin, at := int64(0), int64(n) // offsets of the data and of the checksum
	if b.front {
		begin, at = checksumSize, 0
	}
	stored := make([]byte, checksumSize)
	if err := in.ReadAt(ctx, stored, at); err != nil {
		return err
	}
	sum := b.sum.pieces()
	buffer := make([]byte, min(n, codecs.VerifyPiece))
	for done := 0; done < n; {
		piece := buffer[:min(n-done, len(buffer))]
		if err := in.ReadAt(ctx, piece, begin+int64(done)); err != nil {
			return err
		}
		_, _ = sum.Write(piece) // never fails
		done += len(piece)
	}
	if want, got := binary.LittleEndian.Uint32(stored), sum.Sum32(); want != got {
		return b.sum.wrong(want, got)
	}
	return nil
}

// DecodedLength implements [codecs.DecodedSized].
func (b *checksumBound) DecodedLength(src []byte) (int, error) { return len(src), nil }

// Verification implements [codecs.Verifier].
func (b *checksumBound) Verification() codecs.Verification {
	return codecs.Verification{All: true, Checksum: true, InPieces: b.sum.pieces != nil}
}

// Enclosed implements [codecs.Enclosing]: the bytes that the checksum covers.
func (b *checksumBound) Enclosed(in codecs.Input) codecs.Input {
	begin, n := int64(0), in.Size()-checksumSize
	if b.front {
		begin = checksumSize
	}
	return codecs.Section(in, begin, n)
}
