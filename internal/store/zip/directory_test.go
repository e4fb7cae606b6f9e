package zip

import (
	stdzip "archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
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
