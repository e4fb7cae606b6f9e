package hdf5

import (
	"bytes"
	"testing"
)

// TestScaleOffsetAllBits reads integers whose writer asked for all bits. Such a chunk
// is stored unchanged, without a header.
func TestScaleOffsetAllBits(t *testing.T) {
	const class, integer, float = 2, 0, 1
	src := []byte{1, 0, 2, 0, 3, 0, 4, 0}
	for _, test := range []struct {
		name       string
		parameters []uint32
		whole      bool
	}{
		{"all 16 bits", []uint32{class, 16, 4, integer, 2, 1, 0, 0}, true},
		{"all 16 bits, big-endian", []uint32{class, 16, 4, integer, 2, 0, 1, 1, 7}, true},
		{"15 bits", []uint32{class, 15, 4, integer, 2, 1, 0, 0}, false},
		{"32 digits", []uint32{0, 32, 2, float, 4, 1, 0, 0}, false},
	} {
		undo, err := scaleOffset(test.parameters)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		got, err := undo(make([]byte, len(src)), src)
		if whole := err == nil && bytes.Equal(got, src); whole != test.whole {
			t.Errorf("%s: %v, error %v", test.name, got, err)
		}
	}
}
