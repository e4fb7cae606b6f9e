package xz

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/crc64"

	"github.com/ulikunitz/xz/lzma"
)

// The .xz container is a header of 12 bytes, blocks, an index of the blocks, and a
// footer of 12 bytes. All parts of blocks and the index are padded to four bytes.

const (
	headerMagic = "\xfd7zXZ\x00"
	footerMagic = "YZ"
	edgeSize    = 12 // bytes of the header and of the footer

	filterDelta = 3
	filterLZMA2 = 0x21

	flagCompressed   = 0x40 // the block's header states the size of its compressed data
	flagUncompressed = 0x80 // the block's header states the size of its content
	flagsReserved    = 0x3c
)

var crc64Table = crc64.MakeTable(crc64.ECMA)

// size returns the length of a check in bytes.
func (c Check) size() (n int, ok bool) {
	switch c {
	case None:
		return 0, true
	case CRC32:
		return crc32.Size, true
	case CRC64:
		return crc64.Size, true
	case SHA256:
		return sha256.Size, true
	default:
		return 0, false
	}
}

// of returns the check of content.
func (c Check) of(content []byte) []byte {
	switch c {
	case CRC32:
		return binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(content))
	case CRC64:
		return binary.LittleEndian.AppendUint64(nil, crc64.Checksum(content, crc64Table))
	case SHA256:
		sum := sha256.Sum256(content)
		return sum[:]
	default:
		return nil
	}
}

func padding(n int) int { return -n & 3 }

// record is the index's entry of a block.
type record struct{ unpadded, content uint64 }

// appendXZ appends the content of all streams.
func appendXZ(dst, src []byte, most int) ([]byte, error) {
	from := len(dst)
	for {
		var err error
		if dst, src, err = appendStream(dst, src, most-(len(dst)-from)); err != nil {
			return nil, err
		}
		for len(src) >= 4 && binary.LittleEndian.Uint32(src) == 0 {
			src = src[4:]
		}
		if len(src) == 0 {
			return dst, nil
		}
	}
}

// appendStream appends the content of one stream. It returns the bytes behind the
// stream as rest.
func appendStream(dst, src []byte, most int) (out, rest []byte, err error) {
	if len(src) < 2*edgeSize || string(src[:6]) != headerMagic {
		return nil, nil, fmt.Errorf("%w: no header of a stream", ErrCorrupt)
	}
	flags := src[6:8]
	if crc32.ChecksumIEEE(flags) != binary.LittleEndian.Uint32(src[8:]) {
		return nil, nil, fmt.Errorf("%w: the header's CRC-32 is wrong", ErrCorrupt)
	}
	check := Check(flags[1])
	if _, ok := check.size(); !ok || flags[0] != 0 {
		return nil, nil, fmt.Errorf("%w: unknown check %#x", ErrCorrupt, flags)
	}
	var records []record
	from := len(dst)
	rest = src[edgeSize:]
	for len(rest) > 0 && rest[0] != 0 {
		var r record
		if dst, rest, r, err = appendBlock(dst, rest, most-(len(dst)-from), check); err != nil {
			return nil, nil, err
		}
		records = append(records, r)
	}
	// All fields of the index and of the footer are known by now.
	tail := appendTail(nil, records, flags)
	if !bytes.HasPrefix(rest, tail) {
		return nil, nil, fmt.Errorf("%w: the index or the footer is wrong", ErrCorrupt)
	}
	return dst, rest[len(tail):], nil
}

// block is the header of a block.
type block struct {
	deltas              []int
	dictionary          int64
	compressed, content uint64 // 0: not stated; otherwise the size plus one
}

// appendBlock appends the content of one block. It returns the bytes behind the block
// as rest.
func appendBlock(dst, src []byte, most int, check Check) (out, rest []byte, r record, err error) {
	size := (int(src[0]) + 1) * 4
	if size > len(src) {
		return nil, nil, r, fmt.Errorf("%w: it ends in a block's header", ErrCorrupt)
	}
	b, err := parseBlock(src[:size])
	if err != nil {
		return nil, nil, r, err
	}
	if b.content > uint64(most)+1 {
		return nil, nil, r, fmt.Errorf("%w: a block of %d, %d are left", ErrTooLarge, b.content-1, most)
	}
	in, from := &input{rest: src[size:]}, len(dst)
	if dst, err = appendLZMA2(dst, in, b.dictionary, most); err != nil {
		return nil, nil, r, err
	}
	content := dst[from:]
	undelta(content, b.deltas)
	compressed := len(src) - size - len(in.rest)
	if b.compressed != 0 && b.compressed-1 != uint64(compressed) || b.content != 0 && b.content-1 != uint64(len(content)) {
		return nil, nil, r, fmt.Errorf("%w: a block has not the size that its header states", ErrCorrupt)
	}
	tail := append(make([]byte, padding(compressed)), check.of(content)...)
	if !bytes.HasPrefix(in.rest, tail) {
		return nil, nil, r, fmt.Errorf("%w: a block's check is not %x", ErrCorrupt, tail[padding(compressed):])
	}
	checked, _ := check.size()
	r = record{uint64(size + compressed + checked), uint64(len(content))}
	return dst, in.rest[len(tail):], r, nil
}

// parseBlock reads a whole header of a block.
func parseBlock(header []byte) (block, error) {
	bad := fmt.Errorf("%w: bad header of a block", ErrCorrupt)
	fields, sum := header[1:len(header)-4], header[len(header)-4:]
	if crc32.ChecksumIEEE(header[:len(header)-4]) != binary.LittleEndian.Uint32(sum) {
		return block{}, fmt.Errorf("%w: the CRC-32 of a block's header is wrong", ErrCorrupt)
	}
	flags := fields[0]
	fields = fields[1:]
	ok := flags&flagsReserved == 0
	number := func() uint64 {
		v, n := binary.Uvarint(fields)
		if n <= 0 || v >= 1<<63 {
			ok = false
			return 0
		}
		fields = fields[n:]
		return v
	}
	var b block
	if flags&flagCompressed != 0 {
		b.compressed = number() + 1
	}
	if flags&flagUncompressed != 0 {
		b.content = number() + 1
	}
	last := int(flags & 3)
	for i := 0; i <= last; i++ {
		id, properties := number(), number()
		if !ok || properties != 1 || len(fields) == 0 {
			return b, bad
		}
		property := fields[0]
		fields = fields[1:]
		switch {
		case id == filterDelta && i < last:
			b.deltas = append(b.deltas, int(property)+1)
		case id == filterLZMA2 && i == last:
			var err error
			if b.dictionary, err = lzma.DecodeDictCap(property); err != nil {
				return b, bad
			}
		default:
			return b, fmt.Errorf("%w: filter %#x is not supported", ErrCorrupt, id)
		}
	}
	for _, x := range fields {
		ok = ok && x == 0
	}
	if !ok {
		return b, bad
	}
	return b, nil
}

// appendTail appends the index and the footer.
func appendTail(dst []byte, records []record, flags []byte) []byte {
	from := len(dst)
	dst = append(dst, 0)
	dst = binary.AppendUvarint(dst, uint64(len(records)))
	for _, r := range records {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, r.unpadded), r.content)
	}
	dst = append(dst, make([]byte, padding(len(dst)-from))...)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[from:]))
	footer := binary.LittleEndian.AppendUint32(nil, uint32((len(dst)-from)/4-1))
	footer = append(footer, flags...)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(footer))
	return append(append(dst, footer...), footerMagic...)
}

// appendContainer appends a stream with one block, whose data the function compress
// appends.
func appendContainer(dst, content []byte, o Options, dictionary int, compress func(dst []byte) ([]byte, error)) ([]byte, error) {
	flags := []byte{0, byte(o.Check)}
	dst = append(append(dst, headerMagic...), flags...)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(flags))
	if len(content) == 0 {
		return appendTail(dst, nil, flags), nil
	}
	from := len(dst)
	dst = append(dst, 0, byte(len(o.Deltas)))
	for _, d := range o.Deltas {
		dst = append(dst, filterDelta, 1, byte(d-1))
	}
	dst = append(dst, filterLZMA2, 1, lzma.EncodeDictCap(int64(dictionary)))
	dst = append(dst, make([]byte, padding(len(dst)-from))...)
	dst[from] = byte((len(dst) - from) / 4) // with the CRC-32, minus one
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[from:]))
	dst, err := compress(dst)
	if err != nil {
		return nil, err
	}
	sum := o.Check.of(content)
	records := []record{{uint64(len(dst) - from + len(sum)), uint64(len(content))}}
	dst = append(dst, make([]byte, padding(len(dst)-from))...)
	return appendTail(append(dst, sum...), records, flags), nil
}
