package parquet

import (
	"encoding/binary"
	"errors"
	"runtime"
	"testing"
)

// TestEmptyStructures has many structures without any field, of a byte each. They take
// no memory.
func TestEmptyStructures(t *testing.T) {
	const n = 1 << 16
	for name, head := range map[string][]byte{
		"elements of the schema": {0x29, 0xfc},
		"row groups":             {0x49, 0xfc},
		"column chunks":          {0x49, 0x1c, 0x19, 0xfc},
		"pairs":                  {0x59, 0xfc},
	} {
		data := append(binary.AppendUvarint(head, n), make([]byte, 16*n)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ParseFooter(data, 1<<40)
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		if !errors.Is(err, ErrCorrupt) || allocated > n {
			t.Errorf("%d %s: %d bytes of memory, %v", n, name, allocated, err)
		}
	}
}

// TestSuitedEncodings compares what the footer is checked for with what is read.
func TestSuitedEncodings(t *testing.T) {
	for physical := Boolean; physical <= FixedLenByteArray; physical++ {
		leaf := &Node{Name: "x", Physical: physical, Length: 4}
		for encoding := range 33 {
			_, err := newValues(leaf, encoding, make([]byte, 24), &dictionary{})
			levels := encoding == encodingRLE || encoding == encodingBitPacked
			if reads := !errors.Is(err, ErrUnsupported); reads != suits(leaf, encoding) && !levels {
				t.Errorf("encoding %d of %s: %v", encoding, leaf.physicalName(), err)
			}
		}
	}
}

// TestImpossibleEncoding refuses a column by the encodings of its pages, as the footer counts them.
func TestImpossibleEncoding(t *testing.T) {
	for name, test := range map[string]struct {
		pages uint32
		nulls int
		want  string
	}{
		"lengths":      {1<<encodingRLE | 1<<encodingDeltaLength, 0, "not supported: the encoding delta_length_byte_array of values of the physical type int32: write the file again, such as with pyarrow"},
		"unknown":      {1 << 12, -1, "not supported: the encoding number 12 of values of the physical type int32: write the file again, such as with pyarrow"},
		"far":          {1 << 31, -1, "not supported: the encoding number 31 or more of values of the physical type int32: write the file again, such as with pyarrow"},
		"only nulls":   {1 << encodingDeltaLength, 3, ""},
		"what is read": {1<<encodingPlain | 1<<encodingPlainDictionary | 1<<encodingRLE | 1<<encodingBitPacked | 1<<encodingDeltaBinary | 1<<encodingDictionary | 1<<encodingByteStreamSplit, 0, ""},
	} {
		f := &File{Rows: 3, Leaves: []*Node{{Name: "x", Physical: Int32}}, Groups: []Group{{Rows: 3, Chunks: []Chunk{{Values: 3, Nulls: test.nulls, physical: Int32, pages: test.pages}}}}}
		if err := f.check(100); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.Groups[0].Chunks[0].Readable(); (err == nil) != (test.want == "") || err != nil && err.Error() != test.want {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}
