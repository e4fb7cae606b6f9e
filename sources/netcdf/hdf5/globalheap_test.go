package hdf5

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
)

// inMemory is a file in memory.
type inMemory []byte

func (m inMemory) ReadAt(_ context.Context, p []byte, off int64) error {
	_, err := bytes.NewReader(m).ReadAt(p, off)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// TestCacheImage refuses a file whose superblock extension says that metadata are in a
// cache image.
func TestCacheImage(t *testing.T) {
	message := append([]byte{msgCacheImage, 0, 24, 0, 0, 0, 0, 0}, make([]byte, 24)...)
	header := append([]byte{1, 0, 1, 0, 1, 0, 0, 0, byte(len(message)), 0, 0, 0, 0, 0, 0, 0}, message...)
	f := &File{r: inMemory(header), size: int64(len(header)), page: minPage, shared: NewShared(0), widths: widths{8, 8}}
	if err := f.extension(t.Context(), 0); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "h5repack") {
		t.Errorf("got %v", err)
	}
}

// TestGlobalHeapWidths reads objects of a collection in files whose lengths have fewer
// than 8 bytes. The bytes in front of an object are padded to 8 bytes nevertheless.
func TestGlobalHeapWidths(t *testing.T) {
	for _, length := range []int{2, 4, 8} {
		number := func(n uint64) []byte {
			b := binary.LittleEndian.AppendUint64(nil, n)[:length]
			return append(b, make([]byte, -(8+length)&7)...)
		}
		object := func(index uint16, content string) []byte {
			b := binary.LittleEndian.AppendUint16(nil, index)
			b = append(append(b, 1, 0, 0, 0, 0, 0), number(uint64(len(content)))...)
			return append(b, append([]byte(content), make([]byte, -len(content)&7)...)...)
		}
		const size, address = 128, 64
		heap := append([]byte("GCOL\x01\x00\x00\x00"), number(size)...)
		heap = append(heap, object(1, "one")...)
		heap = append(heap, object(2, "the second")...)
		file := append(make([]byte, address), heap...)
		file = append(file, make([]byte, address+size-len(file))...)

		f := &File{r: inMemory(file), size: int64(len(file)), page: minPage, shared: NewShared(0), widths: widths{8, length}}
		for index, want := range map[uint32]string{1: "one", 2: "the second"} {
			item := binary.LittleEndian.AppendUint32(nil, uint32(len(want)))
			item = binary.LittleEndian.AppendUint64(item, address)
			item = binary.LittleEndian.AppendUint32(item, index)
			got, err := f.globalHeap().sequence(t.Context(), item, 1)
			if err != nil || string(got) != want {
				t.Errorf("lengths of %d bytes: object %d is %q, error %v", length, index, got, err)
			}
		}
	}
}
