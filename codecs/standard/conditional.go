package standard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/codecs"
)

// conditionalDefinition is the codec "conditional" of the Zarr extension registry. A
// header says for each chunk which codecs of a list were applied to it. Inner codecs
// are looked up in r.
//
// The specification lets the writer choose. This codec always applies codecs whose
// output has a fixed size, such as filters and checksums. It applies others, which are
// compressors, only if they make their input smaller.
func conditionalDefinition(r *codecs.Registry) codecs.Definition {
	return codecs.Definition{
		Name: "conditional", Kind: codecs.KindBytesToBytes,
		Summary: "applies to each chunk only those codecs of a list that make it smaller",
		Fields: []codecs.Field{
			{Name: "codecs", Type: "list of bytes → bytes codecs", Doc: "what can be applied, in this order"},
			{Name: "header_bits", Type: "multiple of 8, as many as codecs at least", Default: "null", Doc: "left out: as many as the codecs need; bits of the header in front of each chunk, one for each codec; more bits leave room for more codecs"},
		},
		Example: json.RawMessage(`{"codecs":["zstd"]}`),
		Parse:   func(text json.RawMessage) (codecs.Codec, error) { return parseConditional(r, text) },
	}
}

// mostHeaderBits bounds the header. It allows for far more codecs than anybody uses.
const mostHeaderBits = 1 << 16

func parseConditional(r *codecs.Registry, text json.RawMessage) (codecs.Codec, error) {
	var config struct {
		Codecs []codecs.Spec `json:"codecs"`
		Bits   *int          `json:"header_bits"`
	}
	if err := codecs.ReadConfiguration(text, &config); err != nil {
		return nil, err
	}
	if config.Codecs == nil {
		return nil, codecs.Fieldf("codecs", "is required")
	}
	c := &conditionalCodec{header: (len(config.Codecs) + 7) / 8}
	if bits := config.Bits; bits != nil {
		if *bits%8 != 0 || *bits < len(config.Codecs) || *bits > mostHeaderBits {
			return nil, codecs.Fieldf("header_bits", "%d: want a multiple of 8 from %d to %d", *bits, c.header*8, mostHeaderBits)
		}
		c.header = *bits / 8
	}
	if c.header > mostHeaderBits/8 {
		return nil, codecs.Fieldf("codecs", "%d codecs: want at most %d", len(config.Codecs), mostHeaderBits)
	}
	for i, s := range config.Codecs {
		inner, err := binaryCodec(r, s)
		if err != nil {
			return nil, codecs.InField(fmt.Sprintf("codecs[%d]", i), fmt.Errorf("%s: %w", s.Name, err))
		}
		c.inner = append(c.inner, inner)
		c.names = append(c.names, s.Name)
	}
	return c, nil
}

// binaryCodec parses the configuration of a bytes → bytes codec.
func binaryCodec(r *codecs.Registry, s codecs.Spec) (codecs.BytesToBytesCodec, error) {
	d, err := r.Lookup(s.Name)
	if err != nil {
		return nil, err
	}
	if d.Kind != codecs.KindBytesToBytes {
		return nil, errors.New("want a bytes → bytes codec, this is " + d.Kind.String())
	}
	codec, err := d.Parse(s.Configuration)
	if err != nil {
		return nil, err
	}
	binary, ok := codec.(codecs.BytesToBytesCodec)
	if !ok {
		return nil, fmt.Errorf("its parser makes a %T, which is not a bytes → bytes codec", codec)
	}
	return binary, nil
}

type conditionalCodec struct {
	inner  []codecs.BytesToBytesCodec
	names  []string
	header int // size in bytes
}

func (c *conditionalCodec) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) {
	b := &conditionalBound{in: in, header: c.header}
	b.pieces.New = func() any { return new([2][]byte) }
	size, specs := in, make([]codecs.Spec, len(c.inner))
	for i, codec := range c.inner {
		bound, err := codec.BindBytesToBytes(size)
		if err != nil {
			return nil, codecs.InField(fmt.Sprintf("codecs[%d]", i), err)
		}
		b.inner = append(b.inner, conditionalStep{bound, sameSize(codec)})
		specs[i] = bound.Spec()
		specs[i].Name = c.names[i]
		size = either(size, bound.Size())
	}
	b.size = codecs.Size{Max: size.Max + c.header, Fixed: size.Fixed, Unbounded: size.Unbounded}
	text, err := json.Marshal(struct {
		Codecs []codecs.Spec `json:"codecs"`
		Bits   int           `json:"header_bits"`
	}{specs, c.header * 8})
	b.spec = codecs.Spec{Name: "conditional", Configuration: text}
	return b, err
}

// sameSize reports whether a codec makes output of a fixed size from input of a fixed
// size. A checksum or a shuffle does; it serves the codecs behind.
func sameSize(codec codecs.BytesToBytesCodec) bool {
	if _, again := codec.(*conditionalCodec); again {
		return false
	}
	fixed, err := codec.BindBytesToBytes(codecs.Size{Fixed: true, Item: 1}) // zero bytes are a multiple of any element size
	return err == nil && fixed.Size().Fixed
}

// either returns what is known of a size that is a or b.
func either(a, b codecs.Size) codecs.Size {
	return codecs.Size{
		Max:       max(a.Max, b.Max),
		Fixed:     a.Fixed && b.Fixed && a.Max == b.Max,
		Unbounded: a.Unbounded || b.Unbounded,
	}
}

type conditionalBound struct {
	in, size codecs.Size
	header   int // size in bytes
	inner    []conditionalStep
	spec     codecs.Spec
	pieces   sync.Pool // of *[2][]byte, the buffers between inner codecs
}

type conditionalStep struct {
	codecs.BytesToBytes
	always bool // applied even if its output is not smaller
}

func (b *conditionalBound) Spec() codecs.Spec { return b.spec }

// Scratch implements [codecs.Scratching]: the input and the output of one inner codec.
func (b *conditionalBound) Scratch() int {
	if b.size.Unbounded {
		return 0
	}
	return 2 * b.size.Max
}

func (b *conditionalBound) Size() codecs.Size { return b.size }

func (b *conditionalBound) AppendEncode(dst, src []byte) ([]byte, error) {
	scratch := b.pieces.Get().(*[2][]byte)
	defer b.pieces.Put(scratch)
	mask := make([]byte, b.header)
	data, free := src, 0 // free is the index of the buffer that does not hold data
	for i, step := range b.inner {
		out, err := step.AppendEncode(scratch[free][:0], data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", step.Spec().Name, err)
		}
		scratch[free] = out
		if step.always || len(out) < len(data) {
			mask[i/8] |= 1 << (i % 8)
			data, free = out, 1-free
		}
	}
	dst = append(grow(dst, b.header+len(data)), mask...)
	return append(dst, data...), nil
}

func (b *conditionalBound) AppendDecode(dst, src []byte) ([]byte, error) {
	if len(src) < b.header {
		return nil, fmt.Errorf("%w: %d bytes are less than a header of %d", codecs.ErrCorrupt, len(src), b.header)
	}
	mask, data := src[:b.header], src[b.header:]
	for i := len(b.inner); i < b.header*8; i++ {
		if mask[i/8]>>(i%8)&1 != 0 {
			return nil, fmt.Errorf("%w: bit %d of the header is set, but there are only %d codecs", codecs.ErrCorrupt, i, len(b.inner))
		}
	}
	scratch := b.pieces.Get().(*[2][]byte)
	defer b.pieces.Put(scratch)
	free := 0
	for i, step := range slices.Backward(b.inner) {
		if mask[i/8]>>(i%8)&1 == 0 {
			continue
		}
		out, err := step.AppendDecode(scratch[free][:0], data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", step.Spec().Name, err)
		}
		scratch[free] = out
		data, free = out, 1-free
	}
	if err := b.in.Check(len(data)); err != nil {
		return nil, err
	}
	return append(grow(dst, len(data)), data...), nil
}

// Verification implements [codecs.Verifier]. Verify undoes the codecs that were applied
// to the chunk.
func (b *conditionalBound) Verification() codecs.Verification {
	return codecs.Verification{All: true, Checksum: true, Memory: b.Scratch() + b.in.Max}
}

// Verify implements [codecs.Verifier].
func (b *conditionalBound) Verify(ctx context.Context, in codecs.Input) error {
	data, err := codecs.ReadAll(ctx, in)
	if err == nil {
		_, err = b.AppendDecode(nil, data)
	}
	return err
}
