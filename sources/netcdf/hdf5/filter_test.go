package hdf5

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/szip"
)

// FuzzFilter decodes arbitrary chunks with filters that have arbitrary parameters.
func FuzzFilter(f *testing.F) {
	for _, id := range []uint16{
		FilterDeflate, FilterShuffle, FilterFletcher32, FilterBzip2, FilterLZF, FilterBlosc, FilterLZ4, FilterZstd,
	} {
		f.Add(id, []byte{4, 0, 0, 0}, []byte("\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00\x00\x08abcdefgh"))
	}
	words := func(list ...uint32) []byte {
		var b []byte
		for _, w := range list {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	f.Add(uint16(FilterScaleOffset), words(2, 0, 10, 0, 4, 1, 0, 1, 7), make([]byte, 60))
	f.Add(uint16(FilterScaleOffset), words(0, 2, 10, 1, 8, 1, 1, 0), make([]byte, 60))
	f.Add(uint16(FilterNBit), words(8, 0, 10, nbitAtomic, 4, 0, 13, 3), make([]byte, 60))
	f.Add(uint16(FilterNBit), words(0, 0, 0, 0, 0), make([]byte, 60))
	f.Add(uint16(FilterNBit), words(16, 0, 10, nbitCompound, 8, 2, 0, nbitAtomic, 4, 0, 13, 3, 4, nbitArray, 4, nbitWhole, 2), make([]byte, 60))
	f.Add(uint16(FilterBitshuffle), words(0, 2, 4, 16, 2), []byte("\x00\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00\x20\x00\x00\x00\x20abcdefgh"))
	f.Add(uint16(FilterBitshuffle), words(0, 2, 4, 0), make([]byte, 60))
	const block, width, line = 8, 16, 20
	f.Add(uint16(FilterSzip), words(szip.Nearest|4|8|128, block, width, line), []byte("\x00\x02\x00\x00abcdefghijklmnopqrstuvwxyz"))
	f.Add(uint16(FilterSzip), words(16, block, 64, line), []byte("\x00\x02\x00\x00\x00\x01abcdefghijklmnopqrstuvwxyz"))
	shared := NewShared(0)
	f.Fuzz(func(t *testing.T, id uint16, parameters, src []byte) {
		filter := Filter{ID: int(id)}
		for ; len(parameters) >= 4; parameters = parameters[4:] {
			filter.Parameters = append(filter.Parameters, binary.LittleEndian.Uint32(parameters))
		}
		list := []Filter{filter}
		steps, err := shared.steps(list)
		if err != nil {
			return
		}
		dst := make([]byte, 512)
		got, err := shared.undo(list, steps, dst, src, 0, len(dst))
		switch {
		case err == nil && len(got) != len(dst):
			t.Errorf("%d bytes, want %d", len(got), len(dst))
		case err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, errors.ErrUnsupported):
			t.Errorf("error %v has no cause", err)
		}
		if _, err := readFilters(src); err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("error %v has no cause", err)
		}
	})
}
