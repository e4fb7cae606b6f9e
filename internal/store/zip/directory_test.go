package zip

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
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
