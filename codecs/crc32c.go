package codecs

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
)

// castagnoli is the polynomial of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// crc32cDefinition is the codec "crc32c" of Zarr v3 core: a little-endian
// CRC-32C (RFC 3720) behind the bytes that it covers.
func crc32cDefinition() Definition {
	return Definition{
		Name: "crc32c", Kind: KindBytesToBytes,
		Summary: "appends a CRC-32C of all bytes, checked on reading",
		Parse: func(text json.RawMessage) (Codec, error) {
			return crc32cCodec{}, configuration(text, &struct{}{})
		},
	}
}

type crc32cCodec struct{}

func (crc32cCodec) BindBytesToBytes(in Size) (BytesToBytes, error) { return &crc32cBound{in}, nil }

type crc32cBound struct{ in Size }

func (b *crc32cBound) Spec() Spec { return Spec{Name: "crc32c"} }

func (b *crc32cBound) Size() Size { return Size{Max: b.in.Max + crc32.Size, Fixed: b.in.Fixed} }

func (b *crc32cBound) AppendEncode(dst, src []byte) ([]byte, error) {
	dst = append(grow(dst, len(src)+crc32.Size), src...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(src, castagnoli)), nil
}

func (b *crc32cBound) AppendDecode(dst, src []byte) ([]byte, error) {
	n := len(src) - crc32.Size
	if n < 0 {
		return nil, fmt.Errorf("%w: %d bytes hold no checksum", ErrCorrupt, len(src))
	}
	if err := decodedSize(b.in, n); err != nil {
		return nil, err
	}
	stored, actual := binary.LittleEndian.Uint32(src[n:]), crc32.Checksum(src[:n], castagnoli)
	if stored != actual {
		return nil, fmt.Errorf("%w: CRC-32C is %08x, the data give %08x", ErrCorrupt, stored, actual)
	}
	return append(grow(dst, n), src[:n]...), nil
}
