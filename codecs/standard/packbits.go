package standard

import (
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// packbitsDefinition is the registered codec "packbits". It stores some neighbouring
// bits of each number, one number right behind the other, the least significant bit
// first, in C order. Zeros fill the last byte. A byte in front or behind may say how
// many zeros there are.
//
// The field names are those of the codec's text. The different names of its schema are
// accepted, too.
func packbitsDefinition() codecs.Definition {
	return codecs.Definition{
		Name: "packbits", Kind: codecs.KindArrayToBytes,
		Summary: "numbers of less than a byte, or some bits of each number, without gaps",
		Lossy:   "bits that first_bit and last_bit leave out",
		Fields: []codecs.Field{
			{Name: "padding_encoding", Type: `"none", "first_byte" or "last_byte"`, Default: `"none"`, Doc: "where the number of bits behind the last element is stored"},
			{Name: "first_bit", Type: "integer or null", Default: "0", Doc: "lowest bit to store"},
			{Name: "last_bit", Type: "integer or null", Default: "null", Doc: "left out: the highest of the data type; highest bit to store; when decoded, signed integers get copies of this bit above it, and others get zeros"},
		},
		Example: json.RawMessage(`{}`),
		Parse:   parsePackbits,
	}
}

func parsePackbits(text json.RawMessage) (codecs.Codec, error) {
	var c struct {
		Padding  *string `json:"padding_encoding"`
		FirstBit *int    `json:"first_bit"`
		LastBit  *int    `json:"last_bit"`
		StartBit *int    `json:"start_bit"`
		EndBit   *int    `json:"end_bit"`
	}
	if err := codecs.ReadConfiguration(text, &c); err != nil {
		return nil, err
	}
	if c.FirstBit != nil && c.StartBit != nil {
		return nil, codecs.Fieldf("start_bit", "is another name of first_bit, which is also given: leave out one of them")
	}
	if c.LastBit != nil && c.EndBit != nil {
		return nil, codecs.Fieldf("end_bit", "is another name of last_bit, which is also given: leave out one of them")
	}
	p := packbitsCodec{padding: "none", last: -1, firstName: "first_bit", lastName: "last_bit"}
	if c.StartBit != nil {
		c.FirstBit, p.firstName = c.StartBit, "start_bit"
	}
	if c.EndBit != nil {
		c.LastBit, p.lastName = c.EndBit, "end_bit"
	}
	if c.Padding != nil {
		switch *c.Padding {
		case "none":
		case "first_byte", "start_byte":
			p.padding = "first_byte"
		case "last_byte", "end_byte":
			p.padding = "last_byte"
		default:
			return nil, codecs.Fieldf("padding_encoding", `%.60q: want "none", "first_byte" or "last_byte"`, *c.Padding)
		}
	}
	if c.FirstBit != nil {
		if p.first = *c.FirstBit; p.first < 0 {
			return nil, codecs.Fieldf(p.firstName, "%d: want at least 0", p.first)
		}
	}
	if c.LastBit != nil {
		if p.last = *c.LastBit; p.last < p.first {
			return nil, codecs.Fieldf(p.lastName, "%d: want at least the first bit, %d", p.last, p.first)
		}
	}
	return p, nil
}

type packbitsCodec struct {
	padding             string
	first, last         int // -1 as last means the highest bit
	firstName, lastName string
}

func (c packbitsCodec) BindArrayToBytes(in codecs.Chunk) (codecs.ArrayToBytes, error) {
	packing, ok := packingOf(in.Type)
	if !ok {
		return nil, codecs.Fieldf("", "data type %s: want numbers", in.Type.Name())
	}
	b := &packbitsBound{typ: in.Type, padding: c.padding, first: c.first, last: c.last}
	if b.last < 0 {
		b.last = packing.Bits - 1
	}
	switch {
	case b.last >= packing.Bits:
		return nil, codecs.Fieldf(c.lastName, "%d: the bits of %s are 0 to %d", b.last, in.Type.Name(), packing.Bits-1)
	case b.first > b.last:
		return nil, codecs.Fieldf(c.firstName, "%d: the bits of %s are 0 to %d", b.first, in.Type.Name(), packing.Bits-1)
	}
	n, ok := ndarray.Bytes(in.Type, in.Shape)
	if !ok {
		return nil, codecs.Fieldf("", "a chunk of shape %v is too large", in.Shape)
	}
	word := in.Type.Size() / packing.Components
	bits := b.last - b.first + 1
	count := n / word
	b.size = count/8*bits + (count%8*bits+7)/8 // no overflow: a number has no more bits than its word
	b.unused = byte(8*b.size - count*bits)
	form := bitForm{first: uint(b.first), bits: uint(bits), signed: packing.Signed}
	if packing.Components == 2 {
		b.part = wordType(word)
	}
	switch word {
	case 1:
		b.pack, b.unpack = packWords[uint8](form), unpackWords[uint8](form)
	case 2:
		b.pack, b.unpack = packWords[uint16](form), unpackWords[uint16](form)
	case 4:
		b.pack, b.unpack = packWords[uint32](form), unpackWords[uint32](form)
	case 8:
		b.pack, b.unpack = packWords[uint64](form), unpackWords[uint64](form)
	default:
		return nil, codecs.Fieldf("", "data type %s: numbers of %d bytes cannot be packed", in.Type.Name(), word)
	}
	return b, nil
}

// packingOf returns which bits of an element are used. Times are int64.
func packingOf(t dtype.Type) (dtype.Packing, bool) {
	if _, ok := t.(dtype.Temporal); ok {
		return dtype.Packing{Components: 1, Bits: 64, Signed: true}, true
	}
	p, ok := t.(dtype.Packed)
	if !ok {
		return dtype.Packing{}, false
	}
	packing := p.Packing()
	return packing, packing.Components == 1 || packing.Components == 2
}

type packbitsBound struct {
	typ         dtype.Type
	part        dtype.Type // for complex numbers, words of the size of a part
	padding     string
	first, last int
	size        int  // all numbers, in bytes
	unused      byte // unused bits of the last byte
	pack        func(w *bitWriter, words ndarray.Array)
	unpack      func(r *bitReader, words ndarray.Array)
}

func (b *packbitsBound) Spec() codecs.Spec {
	return codecs.Spec{Name: "packbits", Configuration: fmt.Appendf(nil,
		`{"padding_encoding":%q,"first_bit":%d,"last_bit":%d}`, b.padding, b.first, b.last)}
}

func (b *packbitsBound) Size() codecs.Size {
	if b.padding == "none" {
		return codecs.Size{Max: b.size, Fixed: true}
	}
	return codecs.Size{Max: b.size + 1, Fixed: true}
}

func (b *packbitsBound) AppendEncode(dst []byte, src ndarray.Array) ([]byte, error) {
	dst = grow(dst, b.Size().Max)
	if b.padding == "first_byte" {
		dst = append(dst, b.unused)
	}
	if b.part != nil {
		src = elements.Components(src, b.part)
	}
	w := bitWriter{out: dst}
	if words, ok := elements.Flat(src); ok {
		b.pack(&w, words)
	} else {
		scratch := make([]byte, min(elements.Piece, src.Len())*src.Type.Size())
		for region := range ndarray.Pieces(src.Shape, elements.Piece) {
			b.pack(&w, elements.Readable(src.Sub(region), scratch))
		}
	}
	dst = w.finish()
	if b.padding == "last_byte" {
		dst = append(dst, b.unused)
	}
	return dst, nil
}

func (b *packbitsBound) Decode(dst ndarray.Array, src []byte) error {
	if want := b.Size().Max; len(src) != want {
		return fmt.Errorf("%w: %d bytes, the chunk has %d", codecs.ErrCorrupt, len(src), want)
	}
	unused := b.unused
	switch b.padding {
	case "first_byte":
		unused, src = src[0], src[1:]
	case "last_byte":
		unused, src = src[b.size], src[:b.size]
	}
	if unused != b.unused {
		return fmt.Errorf("%w: %d bits of padding, the chunk has %d", codecs.ErrCorrupt, unused, b.unused)
	}
	if b.part != nil {
		dst = elements.Components(dst, b.part)
	}
	r := bitReader{in: src}
	if words, ok := elements.Flat(dst); ok {
		b.unpack(&r, words)
		return nil
	}
	scratch := make([]byte, min(elements.Piece, dst.Len())*dst.Type.Size())
	for region := range ndarray.Pieces(dst.Shape, elements.Piece) {
		part := dst.Sub(region)
		words := elements.Line(dst.Type, scratch[:part.Len()*dst.Type.Size()])
		b.unpack(&r, words)
		elements.CopyLine(part, words)
	}
	return nil
}

// Losses implements [codecs.Lossy].
func (b *packbitsBound) Losses() []codecs.Loss {
	packing, _ := packingOf(b.typ)
	if b.first == 0 && b.last == packing.Bits-1 {
		return nil
	}
	return []codecs.Loss{{What: fmt.Sprintf("bits other than %d to %d are left out, without a bound", b.first, b.last)}}
}

// Stable implements [codecs.Stable]: bits that are not stored decode the same each
// time.
func (b *packbitsBound) Stable(any) bool { return true }
