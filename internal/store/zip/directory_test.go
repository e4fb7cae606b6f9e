package zip

import (
	stdzip "archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// Sizes and places that do not fit into 32 bits are in an extra field.
func TestZip64Fields(t *testing.T) {
	header := make([]byte, centralHeaderSize)
	copy(header, "PK\x01\x02")
	binary.LittleEndian.PutUint16(header[28:], 1)
	for _, at := range []int{20, 24, 42} {
		binary.LittleEndian.PutUint32(header[at:], 1<<32-1)
	}
	field := func(values ...uint64) []byte {
		text := []byte{9, 0, 2, 0, 7, 7, 1, 0, byte(8 * len(values)), 0} // behind another one
		for _, v := range values {
			text = binary.LittleEndian.AppendUint64(text, v)
		}
		return text
	}
	for name, test := range map[string]struct {
		extra []byte
		want  directory
	}{
		"all":     {field(5<<32, 4<<32, 3<<32), directory{{key: "a", size: 5 << 32, packed: 4 << 32, header: 3<<32 + 10}}},
		"cut off": {field(5<<32, 4<<32), nil},
		"empty":   {[]byte{1, 0, 0, 0}, nil},
		"huge":    {field(5<<32, 1<<63, 3<<32), nil},
		"far":     {field(5<<32, 4<<32, 1<<62), nil},
		"largest": {field(1<<62-1, 1<<62-1, 1<<62-11), directory{{key: "a", size: 1<<62 - 1, packed: 1<<62 - 1, header: 1<<62 - 1}}},
		"larger":  {field(1<<62, 1, 1), nil},
		"farther": {field(1, 1, 1<<62-10), nil},
	} {
		binary.LittleEndian.PutUint16(header[30:], uint16(len(test.extra)))
		got, err := parseDirectory(append(append(bytes.Clone(header), 'a'), test.extra...), 1, 10)
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(member{})); diff != "" || (err == nil) != (test.want != nil) {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// Each number that does not fit into the record at the end says that a ZIP64 record has
// all of them.
func TestFindEnd(t *testing.T) {
	for name, full := range map[string][3]uint32{
		"none": {7, 8, 9}, "records": {1<<16 - 1, 8, 9}, "size": {7, 1<<32 - 1, 9}, "offset": {7, 8, 1<<32 - 1},
	} {
		file := make([]byte, end64Size+locator64Size+endSize)
		copy(file, "PK\x06\x06")
		for i, v := range []uint64{100_000, 5 << 32, 6 << 32} {
			binary.LittleEndian.PutUint64(file[32+8*i:], v)
		}
		copy(file[end64Size:], "PK\x06\x07") // and the record is at 0
		last := file[end64Size+locator64Size:]
		copy(last, "PK\x05\x06")
		binary.LittleEndian.PutUint16(last[10:], uint16(full[0]))
		binary.LittleEndian.PutUint32(last[12:], full[1])
		binary.LittleEndian.PutUint32(last[16:], full[2])
		want := end{records: 100_000, size: 5 << 32, offset: 6 << 32}
		if name == "none" {
			want = end{records: 7, size: 8, offset: 9, at: end64Size + locator64Size}
		}
		got, err := findEnd(t.Context(), file, 0, func(_ context.Context, p []byte, off int64) error {
			copy(p, file[off:])
			return nil
		})
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(end{})); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// TestHeaderBehindTheEnd reads a member whose header, according to the directory, lies at
// the very end of the archive.
func TestHeaderBehindTheEnd(t *testing.T) {
	data := archive(t, zipFile{"a", "hello", stdzip.Store})
	at := bytes.Index(data, []byte("PK\x01\x02"))
	for _, back := range []int{-10, 0, 1, 29} {
		binary.LittleEndian.PutUint32(data[at+42:], uint32(len(data)-back))
		d, err := openedArchive(t.Context(), data, true)
		if err == nil {
			err = d.Read(t.Context(), "a", make([]byte, 5), 0, driver.Info{})
		}
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%d bytes before the end: %v", back, err)
		}
	}
}

// TestPlaceBehindAll: what is in front of an archive counts, too.
func TestPlaceBehindAll(t *testing.T) {
	header := make([]byte, centralHeaderSize, centralHeaderSize+1)
	copy(header, "PK\x01\x02")
	header[28] = 1
	header = append(header, 'a')
	for offset, ok := range map[byte]bool{0: true, 1: false} {
		header[42] = offset
		if _, err := parseDirectory(header, 1, 1<<62-1); (err == nil) != ok {
			t.Errorf("place %d: %v", offset, err)
		}
	}
}

// TestDirectoryRecords: a directory is read to its end. A record may have a comment, and no
// name, which is left out.
func TestDirectoryRecords(t *testing.T) {
	record := func(name string, comment int) []byte {
		header := make([]byte, centralHeaderSize)
		copy(header, "PK\x01\x02")
		binary.LittleEndian.PutUint16(header[28:], uint16(len(name)))
		binary.LittleEndian.PutUint16(header[32:], uint16(comment))
		return append(append(header, name...), make([]byte, comment)...)
	}
	for name, c := range map[string]struct {
		text    []byte
		records uint64
		keys    int // -1 for an error
	}{
		"nothing":          {nil, 0, 0},
		"comments":         {append(record("a", 300), record("b", 7)...), 2, 2},
		"no name":          {append(record("a", 0), record("", 0)...), 2, 1},
		"a byte behind it": {append(record("a", 0), 'x'), 1, -1},
		"a byte too few":   {record("a", 3)[:centralHeaderSize+3], 1, -1},
	} {
		d, err := parseDirectory(c.text, c.records, 0)
		if (err == nil) != (c.keys >= 0) || err == nil && len(d) != c.keys || err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}

// TestFindEndFails: a record at the end that leads to no other, or to nothing.
func TestFindEndFails(t *testing.T) {
	full := make([]byte, end64Size+locator64Size+endSize)
	copy(full, "PK\x06\x06")
	copy(full[end64Size:], "PK\x06\x07")
	copy(full[end64Size+locator64Size:], "PK\x05\x06")
	binary.LittleEndian.PutUint16(full[end64Size+locator64Size+10:], 1<<16-1)
	with := func(at int, value byte) []byte {
		text := bytes.Clone(full)
		text[at] = value
		return text
	}
	for name, c := range map[string]struct {
		file []byte
		base int64  // where the tail begins
		word string // of the error; "" for none
	}{
		"all":                   {full, 0, ""},
		"all in two":            {full, end64Size, ""},
		"no locator":            {full, end64Size + locator64Size, ""},
		"no ZIP64 record":       {with(0, 'X'), 0, "no ZIP64 end"},
		"a locator behind it":   {with(end64Size+8, 1), 0, "not where it should be"},
		"nothing":               {full[:end64Size+locator64Size], 0, "no central directory"},
		"less than a record":    {full[:len(full)-1], 0, "no central directory"},
		"less than its comment": {with(len(full)-2, 1), 0, "no central directory"},
	} {
		got, err := findEnd(t.Context(), c.file[c.base:], c.base, func(_ context.Context, p []byte, off int64) error {
			copy(p, c.file[off:])
			return nil
		})
		if (err == nil) != (c.word == "") || err != nil && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.word)) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if alone := name == "no locator"; err == nil && (got.records == 1<<16-1) != alone {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestArchivesAtTheLimits: an archive may be empty, and have the longest comment. A directory
// may be as large as is allowed.
func TestArchivesAtTheLimits(t *testing.T) {
	last := func(size uint32, comment int) []byte {
		text := make([]byte, endSize+comment)
		copy(text, "PK\x05\x06")
		binary.LittleEndian.PutUint32(text[12:], size)
		binary.LittleEndian.PutUint16(text[20:], uint16(comment))
		return text
	}
	whole := archive(t, zipFile{"a", "hello", stdzip.Store})
	binary.LittleEndian.PutUint16(whole[len(whole)-2:], 1<<16-1)
	for name, c := range map[string]struct {
		tail    []byte
		before  int64 // bytes of zeros before the tail
		members int
		word    string // of the error; "" for none
	}{
		"empty":                  {last(0, 0), 0, 0, ""},
		"empty, with a comment":  {last(0, 1<<16-1), 0, 0, ""},
		"with a comment":         {append(whole, make([]byte, 1<<16-1)...), 0, 1, ""},
		"the largest directory":  {last(mostDirectory, 0), mostDirectory, 0, "record 0"},
		"larger than that":       {last(mostDirectory+1, 0), mostDirectory + 1, 0, "at most"},
		"larger than the record": {last(7, 0), 6, 0, "does not fit"},
	} {
		reads := 0
		d, err := readDirectory(t.Context(), c.before+int64(len(c.tail)), func(_ context.Context, p []byte, off int64) error {
			reads++
			if off += int64(len(p)) - c.before; off > 0 { // so many bytes of the tail are wanted
				copy(p[max(0, int64(len(p))-off):], c.tail[max(0, off-int64(len(p))):])
			}
			return nil
		})
		if (err == nil) != (c.word == "") || err != nil && !strings.Contains(err.Error(), c.word) || err == nil && (len(d) != c.members || reads != 1) {
			t.Errorf("%s: %d members by %d reads, %v", name, len(d), reads, err)
		}
	}
}
