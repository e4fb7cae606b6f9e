package standard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/blosc"
)

// BloscName is the name of the codec.
const BloscName = "blosc"

// numcodecsBloscName is the name of the same codec with the configuration of numcodecs.
const numcodecsBloscName = "numcodecs.blosc"

// bloscDefinition is the codec "blosc" of Zarr v3 core.
func bloscDefinition() codecs.Definition {
	return codecs.Definition{
		Name: BloscName, Kind: codecs.KindBytesToBytes,
		Summary: "Blosc 1: blocks, their bytes or bits shuffled, each compressed",
		Fields: append(bloscFields(),
			codecs.Field{Name: "shuffle", Type: `"noshuffle", "shuffle" or "bitshuffle"`, Default: `"shuffle"`, Doc: "what is sorted by weight before compression: nothing, bytes or bits"},
			codecs.Field{Name: "typesize", Type: "integer 1…255", Default: "null", Doc: "bytes of an element; left out: that of the array"}),
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			c := bloscCodec{name: BloscName}
			shuffle := "shuffle"
			f := struct {
				Name      *string `json:"cname"`
				Level     *int    `json:"clevel"`
				Shuffle   *string `json:"shuffle"`
				TypeSize  *int    `json:"typesize"`
				BlockSize *int    `json:"blocksize"`
			}{Shuffle: &shuffle}
			if err := codecs.ReadConfiguration(text, &f); err != nil {
				return nil, err
			}
			switch {
			case f.Shuffle == nil || *f.Shuffle == "noshuffle":
				c.Shuffle = blosc.NoShuffle
			case *f.Shuffle == "shuffle":
				c.Shuffle = blosc.ByteShuffle
			case *f.Shuffle == "bitshuffle":
				c.Shuffle = blosc.BitShuffle
			default:
				return nil, codecs.Fieldf("shuffle", `%.60q: want "noshuffle", "shuffle" or "bitshuffle"`, *f.Shuffle)
			}
			return c.with(f.Name, f.Level, f.TypeSize, f.BlockSize)
		},
	}
}

// numcodecsBloscDefinition is Blosc with the configuration of numcodecs, which Zarr v2
// and early Zarr v3 stores use: shuffle is a number, and the element size is that of
// the array.
func numcodecsBloscDefinition() codecs.Definition {
	return codecs.Definition{
		Name: numcodecsBloscName, Kind: codecs.KindBytesToBytes,
		Summary: "blosc in numcodecs' configuration",
		Fields: append(bloscFields(),
			codecs.Field{Name: "shuffle", Type: "-1, 0, 1 or 2", Default: "1", Doc: "0 nothing, 1 bytes, 2 bits; -1 bits for elements of one byte, else bytes"},
			codecs.Field{Name: "typesize", Type: "integer 1…255", Default: "null", Doc: "bytes of an element; left out: that of the array"}),
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			c := bloscCodec{name: numcodecsBloscName}
			f := struct {
				Name      *string `json:"cname"`
				Level     *int    `json:"clevel"`
				Shuffle   int     `json:"shuffle"`
				TypeSize  *int    `json:"typesize"`
				BlockSize *int    `json:"blocksize"`
			}{Shuffle: 1}
			if err := codecs.ReadConfiguration(text, &f); err != nil {
				return nil, err
			}
			switch f.Shuffle {
			case -1:
				c.auto = true
			case 0, 1, 2:
				c.Shuffle = []blosc.Shuffle{blosc.NoShuffle, blosc.ByteShuffle, blosc.BitShuffle}[f.Shuffle]
			default:
				return nil, codecs.Fieldf("shuffle", "%d: want -1, 0, 1 or 2", f.Shuffle)
			}
			return c.with(f.Name, f.Level, f.TypeSize, f.BlockSize)
		},
	}
}

func bloscFields() []codecs.Field {
	return []codecs.Field{
		{Name: "cname", Type: `"lz4", "lz4hc", "blosclz", "zstd" or "zlib" ("snappy" is only read)`, Default: `"lz4"`, Doc: "what compresses the blocks"},
		{Name: "clevel", Type: "integer 0…9", Default: "5", Doc: "0 stores, 1 is fastest, 9 smallest"},
		{Name: "blocksize", Type: "integer", Default: "0", Doc: "bytes of a block; 0 chooses"},
	}
}

type bloscCodec struct {
	blosc.Options
	name string
	auto bool // shuffle: bits for elements of one byte, otherwise bytes
}

// with adds the fields that both configurations have, and checks them.
func (c bloscCodec) with(name *string, level, typeSize, blockSize *int) (codecs.Codec, error) {
	c.Codec, c.Level = blosc.LZ4, 5
	if name != nil {
		codec, err := blosc.ParseCodec(*name)
		if err != nil {
			return nil, codecs.Fieldf("cname", "%.60q: want lz4, lz4hc, blosclz, zstd, zlib or snappy", *name)
		}
		c.Codec = codec
	}
	if level != nil {
		c.Level = *level
	}
	if c.Level < 0 || c.Level > 9 {
		return nil, codecs.Fieldf("clevel", "%d: want 0 to 9", c.Level)
	}
	if typeSize != nil {
		// c-blosc does not shuffle elements of more than 255 bytes, and 1 means the
		// same.
		if c.TypeSize = *typeSize; c.TypeSize < 1 {
			return nil, codecs.Fieldf("typesize", "%d: want at least 1", c.TypeSize)
		}
	}
	if blockSize != nil {
		if c.BlockSize = *blockSize; c.BlockSize < 0 || c.BlockSize > blosc.MaxSize {
			return nil, codecs.Fieldf("blocksize", "%d: want 0 to %d", c.BlockSize, blosc.MaxSize)
		}
	}
	return c, nil
}

// BindBytesToBytes implements [codecs.BytesToBytesCodec].
func (c bloscCodec) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) {
	if in.Max > blosc.MaxSize && !in.Unbounded {
		return nil, fmt.Errorf("%d bytes are more than a Blosc buffer can hold, %d: choose smaller chunks", in.Max, blosc.MaxSize)
	}
	if c.TypeSize == 0 {
		c.TypeSize = in.Item
	}
	if c.TypeSize == 0 {
		// numcodecs takes the bytes for elements of one byte.
		if c.Shuffle != blosc.NoShuffle && c.name == BloscName {
			return nil, codecs.Fieldf("typesize", "is required: the bytes in front of this codec are not those of elements")
		}
		c.TypeSize = 1
	}
	if c.auto {
		c.Shuffle = blosc.ByteShuffle
		if c.TypeSize == 1 {
			c.Shuffle = blosc.BitShuffle
		}
	}
	own := c.Options
	if own.TypeSize > blosc.MaxTypeSize {
		own.TypeSize = 1
	}
	encoder, err := blosc.NewEncoder(own)
	if err != nil && !errors.Is(err, blosc.ErrUnsupported) {
		return nil, err
	}
	return &bloscBound{bloscCodec: c, in: in, encoder: encoder, refused: err}, nil
}

type bloscBound struct {
	bloscCodec
	in      codecs.Size
	encoder *blosc.Encoder
	refused error // why it cannot encode; nil if it can
	decoder blosc.Decoder
}

func (b *bloscBound) Spec() codecs.Spec { return b.named(b.name, b.TypeSize) }

// Names implements [codecs.Renamed]. The name numcodecs.blosc is known to fewer programs.
// Elements of more than 255 bytes are a typesize that some programs refuse, and 1 means
// the same.
func (b *bloscBound) Names() (preferred, former codecs.Spec) {
	size, own := b.TypeSize, b.TypeSize
	if size > blosc.MaxTypeSize {
		size = 1
	}
	if b.in.Item > blosc.MaxTypeSize && own == 1 {
		own = b.in.Item
	}
	return b.named(BloscName, size), b.named(numcodecsBloscName, own)
}

// named returns the spec of the codec under one of its names.
func (b *bloscBound) named(name string, typeSize int) codecs.Spec {
	var shuffle any = []string{"noshuffle", "shuffle", "bitshuffle"}[b.Shuffle]
	if name != BloscName {
		shuffle = int(b.Shuffle)
	}
	text, err := json.Marshal(struct {
		Name      string `json:"cname"`
		Level     int    `json:"clevel"`
		Shuffle   any    `json:"shuffle"`
		TypeSize  int    `json:"typesize"`
		BlockSize int    `json:"blocksize"`
	}{b.Codec.String(), b.Level, shuffle, typeSize, b.BlockSize})
	if err != nil {
		panic(err) // words and numbers always marshal
	}
	return codecs.Spec{Name: name, Configuration: text}
}

func (b *bloscBound) Size() codecs.Size {
	return codecs.Size{Max: blosc.MaxForeignSize(min(b.in.Max, blosc.MaxSize), b.BlockSize)}
}

func (b *bloscBound) AppendEncode(dst, src []byte) ([]byte, error) {
	if b.refused != nil {
		return nil, b.refused
	}
	return b.encoder.AppendEncode(dst, src)
}

func (b *bloscBound) AppendDecode(dst, src []byte) ([]byte, error) {
	n, err := b.decodedSize(src)
	if err != nil {
		return nil, err
	}
	dst = grow(dst, n)
	if err := b.decoder.DecodeInto(dst[len(dst):len(dst)+n], src); err != nil {
		return nil, bloscError(err)
	}
	return dst[:len(dst)+n], nil
}

// Verify implements [codecs.Verifier]. It checks the header and the offsets of the
// blocks.
func (b *bloscBound) Verify(ctx context.Context, in codecs.Input) error {
	head := make([]byte, min(blosc.HeaderSize, in.Size()))
	if err := in.ReadAt(ctx, head, 0); err != nil {
		return err
	}
	h, err := blosc.ParseHeader(head)
	switch {
	case err != nil:
		return bloscError(err)
	case int64(h.EncodedSize) != in.Size():
		return fmt.Errorf("%w: %d bytes, by its header the buffer has %d", codecs.ErrCorrupt, in.Size(), h.EncodedSize)
	case h.Stored:
		return b.in.Check(h.Size)
	}
	index, ok := in.(codecs.InMemory)
	if !ok {
		index = make([]byte, h.IndexSize())
		if err := in.ReadAt(ctx, index, 0); err != nil {
			return err
		}
	}
	if _, err := h.BlockRanges(index); err != nil {
		return bloscError(err)
	}
	return b.in.Check(h.Size)
}

// decodedSize returns the size in the header of a buffer, or an error if the size is
// impossible.
func (b *bloscBound) decodedSize(src []byte) (int, error) {
	n, err := blosc.DecodedSize(src)
	if err != nil {
		return 0, bloscError(err)
	}
	return n, b.in.Check(n)
}

// DecodeRange implements [codecs.Blocked].
func (b *bloscBound) DecodeRange(dst, src []byte, off int) error {
	if _, err := b.decodedSize(src); err != nil {
		return err
	}
	return bloscError(b.decoder.DecodeRange(dst, src, off))
}

func bloscError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, blosc.ErrTooLarge):
		return fmt.Errorf("%w: %w", codecs.ErrTooLarge, err)
	default:
		return fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
}

// DecodedLength implements [codecs.DecodedSized].
func (b *bloscBound) DecodedLength(src []byte) (int, error) { return b.decodedSize(src) }

// Verification implements [codecs.Verifier].
func (b *bloscBound) Verification() codecs.Verification {
	v := codecs.Verification{InPieces: true, All: b.in.Unbounded}
	if b.in.Unbounded {
		v.Memory = codecs.VerifyPiece
	}
	return v
}

// VerifyInto implements [codecs.Streaming] for buffers that are in memory. It decodes
// one block after the other and keeps none.
func (b *bloscBound) VerifyInto(ctx context.Context, in codecs.Input, to io.WriteCloser) error {
	data, ok := in.(codecs.InMemory)
	if err := b.Verify(ctx, in); err != nil || !ok {
		return err
	}
	h, err := blosc.ParseHeader(data)
	if err != nil || h.BlockSize > codecs.VerifyPiece {
		return bloscError(err)
	}
	step := max(h.BlockSize, codecs.VerifyPiece/max(h.BlockSize, 1)*h.BlockSize)
	buffer := make([]byte, min(step, h.Size))
	for at := 0; at < h.Size; at += step {
		piece := buffer[:min(step, h.Size-at)]
		if err := b.decoder.DecodeRange(piece, data, at); err != nil {
			return bloscError(err)
		}
		if _, err := to.Write(piece); err != nil {
			return err
		}
	}
	return to.Close()
}
