package zip

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// Sizes of the records of a zip archive, without their fields of variable length.
// APPNOTE.TXT, sections 4.3.7 and 4.3.12 to 4.3.16.
const (
	localHeaderSize   = 30
	centralHeaderSize = 46
	endSize           = 22
	end64Size         = 56
	locator64Size     = 20
)

// mostDirectory is the size of the largest central directory that is read: room for more
// than a million members.
const mostDirectory = 128 << 20

// ErrDamaged reports a zip archive that contradicts itself or its checksums.
var ErrDamaged = errors.New("damaged zip archive")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// member is a file in an archive, as the central directory describes it.
type member struct {
	key          string
	method       uint16
	encrypted    bool
	sum          uint32 // CRC-32 of the contents
	packed, size int64  // bytes in the archive, and of the contents
	header       int64  // where its local header is in the archive
}

// directory holds the members of an archive in the order of their keys. Of
// several members with one name it holds the last one. It leaves out folders, and names
// that are no keys, such as "../x".
type directory []member

// find returns the member with a key, or nil.
func (d directory) find(key string) *member {
	i, ok := d.search(key)
	if !ok {
		return nil
	}
	return &d[i]
}

// search returns the number of the member with a key, and whether there is one.
func (d directory) search(key string) (int, bool) {
	return slices.BinarySearchFunc(d, key, func(m member, key string) int { return strings.Compare(m.key, key) })
}

// rangeReader fills p with the bytes of an archive from off on.
type rangeReader func(ctx context.Context, p []byte, off int64) error

// end is the record at the end of a central directory. It tells where the directory is,
// and how many members it has.
type end struct {
	records      uint64
	size, offset uint64 // of the directory; offset counts from where the archive begins
	at           int64  // place of this record in the file, directly after the directory
}

// readDirectory reads the central directory of an archive of size bytes. It reads the
// last 64 KiB of the archive, which hold all of a small directory, and then the part of
// the directory before them.
func readDirectory(ctx context.Context, size int64, read rangeReader) (directory, error) {
	tail := make([]byte, min(size, endSize+math.MaxUint16+end64Size+locator64Size))
	base := size - int64(len(tail)) // where the tail begins
	if err := read(ctx, tail, base); err != nil {
		return nil, err
	}
	e, err := findEnd(ctx, tail, base, read)
	if err != nil {
		return nil, err
	}
	if e.size > mostDirectory {
		return nil, fmt.Errorf("%w: a central directory of %d bytes, at most %d are read", driver.ErrTooLarge, e.size, mostDirectory)
	}
	begin := e.at - int64(e.size)
	before := begin - int64(min(e.offset, math.MaxInt64)) // bytes in front of the archive
	if begin < 0 || before < 0 {
		return nil, damaged("a central directory of %d bytes at %d does not fit into %d bytes", e.size, e.offset, size)
	}
	text := make([]byte, e.size)
	inTail := max(begin, base)
	if begin < base {
		if err := read(ctx, text[:min(e.at, base)-begin], begin); err != nil {
			return nil, err
		}
	}
	if inTail < e.at {
		copy(text[inTail-begin:], tail[inTail-base:e.at-base])
	}
	return parseDirectory(text, e.records, before)
}

// findEnd looks for the record at the end of an archive. tail is the last bytes of the
// archive, from base on.
func findEnd(ctx context.Context, tail []byte, base int64, read rangeReader) (end, error) {
	at := len(tail)
	for {
		if at = bytes.LastIndex(tail[:at], []byte("PK\x05\x06")); at < 0 {
			return end{}, damaged("no central directory in its last %d bytes", len(tail))
		}
		if rest := len(tail) - at; rest >= endSize && endSize+int(binary.LittleEndian.Uint16(tail[at+20:])) <= rest {
			break
		}
	}
	r := tail[at:]
	e := end{
		records: uint64(binary.LittleEndian.Uint16(r[10:])), size: uint64(binary.LittleEndian.Uint32(r[12:])),
		offset: uint64(binary.LittleEndian.Uint32(r[16:])), at: base + int64(at),
	}
	if e.records != math.MaxUint16 && e.size != math.MaxUint32 && e.offset != math.MaxUint32 {
		return e, nil
	}
	if at < locator64Size || string(tail[at-locator64Size:][:4]) != "PK\x06\x07" {
		return e, nil // no ZIP64: the numbers are what they say
	}
	e.at = int64(min(binary.LittleEndian.Uint64(tail[at-locator64Size+8:]), math.MaxInt64))
	if e.at > base+int64(at)-locator64Size-end64Size {
		return end{}, damaged("the ZIP64 end of the central directory is not where it should be, at %d", e.at)
	}
	record := make([]byte, end64Size)
	if err := read(ctx, record, e.at); err != nil {
		return end{}, err
	}
	if string(record[:4]) != "PK\x06\x06" {
		return end{}, damaged("no ZIP64 end of the central directory at %d", e.at)
	}
	e.records, e.size, e.offset = binary.LittleEndian.Uint64(record[32:]), binary.LittleEndian.Uint64(record[40:]), binary.LittleEndian.Uint64(record[48:])
	return e, nil
}

// parseDirectory reads the text of a central directory, which has to have this many
// records. It adds before to all offsets.
func parseDirectory(text []byte, records uint64, before int64) (directory, error) {
	var d directory
	var n uint64
	for ; len(text) > 0; n++ {
		if len(text) < centralHeaderSize || string(text[:4]) != "PK\x01\x02" {
			return nil, damaged("record %d of the central directory has no signature of one", n)
		}
		names := int(binary.LittleEndian.Uint16(text[28:]))
		extras := int(binary.LittleEndian.Uint16(text[30:]))
		length := centralHeaderSize + names + extras + int(binary.LittleEndian.Uint16(text[32:]))
		if length > len(text) {
			return nil, damaged("record %d of the central directory is cut off", n)
		}
		m := member{
			encrypted: text[8]&1 != 0, method: binary.LittleEndian.Uint16(text[10:]), sum: binary.LittleEndian.Uint32(text[16:]),
			key: string(text[centralHeaderSize : centralHeaderSize+names]),
		}
		if err := m.setSizes(text, text[centralHeaderSize+names:][:extras], before); err != nil {
			return nil, err
		}
		text = text[length:]
		if !strings.HasSuffix(m.key, "/") && location.CheckKey(m.key) == nil {
			d = append(d, m)
		}
	}
	if n != records {
		return nil, damaged("%d records in the central directory, %d expected", n, records)
	}
	slices.SortStableFunc(d, func(a, b member) int { return strings.Compare(a.key, b.key) })
	last := d[:0]
	for i, m := range d {
		if i+1 == len(d) || d[i+1].key != m.key {
			last = append(last, m)
		}
	}
	return slices.Clip(last), nil
}

// setSizes reads the sizes and the place of a member from its header, or from its extra
// fields if they do not fit into 32 bits.
func (m *member) setSizes(header, extra []byte, before int64) error {
	size, packed, offset := uint64(binary.LittleEndian.Uint32(header[24:])), uint64(binary.LittleEndian.Uint32(header[20:])), uint64(binary.LittleEndian.Uint32(header[42:]))
	for len(extra) >= 4 {
		id, length := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; length > len(extra) {
			break
		}
		field := extra[:length]
		extra = extra[length:]
		if id != 1 { // ZIP64
			continue
		}
		for _, v := range []*uint64{&size, &packed, &offset} {
			if *v != math.MaxUint32 {
				continue
			}
			if len(field) < 8 {
				return damaged("%q: its ZIP64 sizes are cut off", m.key)
			}
			*v, field = binary.LittleEndian.Uint64(field), field[8:]
		}
		break
	}
	if most := uint64(math.MaxInt64 / 2); size > most || packed > most || offset > most-uint64(min(before, math.MaxInt64/2)) {
		return damaged("%q: %d bytes at %d", m.key, packed, offset)
	}
	m.size, m.packed, m.header = int64(size), int64(packed), int64(offset)+before
	return nil
}
