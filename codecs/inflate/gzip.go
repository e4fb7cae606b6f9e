package inflate

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// Bits of the flags of a gzip member.
const (
	gzipHeaderSum = 1 << 1
	gzipExtra     = 1 << 2
	gzipName      = 1 << 3
	gzipComment   = 1 << 4
)

// Gzip decodes gzip members into dst, one behind the other, and returns the length of
// their content. They fill src.
func (d *Decoder) Gzip(dst, src []byte) (int, error) {
	const trailer = 8
	n := 0
	for first := true; first || len(src) > 0; first = false {
		header, err := gzipHeader(src)
		if err != nil {
			return 0, err
		}
		k, used, err := d.Raw(dst[n:], src[header:])
		if err != nil {
			return 0, err
		}
		src = src[header+used:]
		if len(src) < trailer {
			return 0, corrupt("it is cut off before its checksum")
		}
		content := dst[n : n+k]
		if stored, sum := binary.LittleEndian.Uint32(src), crc32.ChecksumIEEE(content); sum != stored {
			return 0, corrupt("the CRC-32 is %08x, stored is %08x", sum, stored)
		}
		if stored := binary.LittleEndian.Uint32(src[4:]); uint32(k) != stored {
			return 0, corrupt("the content has %d bytes, stored is %d", k, stored)
		}
		n, src = n+k, src[trailer:]
	}
	return n, nil
}

// gzipHeader returns the length of the header at the beginning of a member (RFC 1952,
// section 2.3).
func gzipHeader(src []byte) (int, error) {
	const fixed = 10
	cut := corrupt("it is cut off in its header")
	switch {
	case len(src) < fixed:
		return 0, cut
	case src[0] != 0x1f || src[1] != 0x8b || src[2] != 8:
		return 0, corrupt("a member begins with %x", src[:3])
	}
	flags, n := src[3], fixed
	if flags&gzipExtra != 0 {
		if len(src) < n+2 {
			return 0, cut
		}
		n += 2 + int(binary.LittleEndian.Uint16(src[n:]))
	}
	for _, text := range []byte{gzipName, gzipComment} {
		if flags&text == 0 {
			continue
		}
		if n > len(src) {
			return 0, cut
		}
		end := bytes.IndexByte(src[n:], 0)
		if end < 0 {
			return 0, cut
		}
		n += end + 1
	}
	if flags&gzipHeaderSum != 0 {
		if n+2 > len(src) {
			return 0, cut
		}
		if sum := uint16(crc32.ChecksumIEEE(src[:n])); sum != binary.LittleEndian.Uint16(src[n:]) {
			return 0, corrupt("the header's checksum is wrong")
		}
		n += 2
	}
	if n > len(src) {
		return 0, cut
	}
	return n, nil
}
