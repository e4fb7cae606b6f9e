package hdf5

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs/fletcher32"
	"github.com/zmigrate/zmigrate/codecs/shuffle"
)

// Numbers of filters: those of the format itself, and some registered ones.
const (
	FilterDeflate     = 1
	FilterShuffle     = 2
	FilterFletcher32  = 3
	FilterSzip        = 4
	FilterNBit        = 5
	FilterScaleOffset = 6
	FilterBzip2       = 307
	FilterLZF         = 32000
	FilterBlosc       = 32001
	FilterLZ4         = 32004
	FilterBitshuffle  = 32008
	FilterZstd        = 32015
	FilterBlosc2      = 32026
)

// Filter is a step between the elements of a chunk and its bytes in the file. The first
// filter is next to the elements.
type Filter struct {
	ID         int
	Name       string // "" if the file has none
	Optional   bool   // the writer may skip it if it does not help
	Parameters []uint32
}

// String returns the name of the filter in messages.
func (f Filter) String() string {
	name := filterNames()[f.ID]
	if name == "" {
		name = f.Name
	}
	return strings.TrimSpace(fmt.Sprintf("%s (filter %d)", name, f.ID))
}

// filterNames has the names of the library's filters and of filters that are registered
// with The HDF Group.
func filterNames() map[int]string {
	return map[int]string{
		FilterDeflate: "deflate", FilterShuffle: "shuffle", FilterFletcher32: "fletcher32", FilterSzip: "szip",
		FilterNBit: "nbit", FilterScaleOffset: "scaleoffset", 305: "lzo", FilterBzip2: "bzip2",
		FilterLZF: "lzf", FilterBlosc: "blosc", 32002: "mafisc", 32003: "snappy", FilterLZ4: "lz4", 32005: "apax",
		32006: "cbf", 32007: "jpeg-xr", FilterBitshuffle: "bitshuffle", 32009: "spdp", 32010: "lpc-rice",
		32011: "ccsds-123", 32012: "jpeg-ls", 32013: "zfp", 32014: "fpzip", FilterZstd: "zstd", 32016: "b3d",
		32017: "sz", 32018: "fcidecomp", 32019: "jpeg", 32020: "vbz", 32021: "fapec", 32022: "bitgroom",
		32023: "granular bitround", 32024: "sz3", 32025: "delta-rice", FilterBlosc2: "blosc2", 32027: "flac",
		32028: "sperr", 32033: "htj2k",
	}
}

// maxFilters is the most filters of a dataset, H5Z_MAX_NFILTERS.
const maxFilters = 32

// readFilters reads a filter pipeline message, section IV.A.2.l.
func readFilters(data []byte) ([]Filter, error) {
	c := &cursor{data: data}
	version, n := c.uint8(), int(c.uint8())
	if c.err == nil && version != 1 && version != 2 {
		return nil, unsupported("filter message of version %d", version)
	}
	if n > maxFilters {
		return nil, corrupt("%d filters", n)
	}
	if version == 1 {
		c.skip(6)
	}
	var list []Filter
	for range n {
		f := Filter{ID: int(c.uint16())}
		length := 0
		if version == 1 || f.ID >= 256 {
			length = int(c.uint16())
		}
		f.Optional = c.uint16()&1 != 0
		count := int(c.uint16())
		if version == 1 {
			length = (length + 7) &^ 7
		}
		name, _, _ := bytes.Cut(c.take(length), []byte{0})
		f.Name = string(name)
		for range min(count, c.left()/4) {
			f.Parameters = append(f.Parameters, c.uint32())
		}
		if len(f.Parameters) < count && c.err == nil {
			c.err = corrupt("some of the %d parameters of %v are missing", count, f)
		}
		if version == 1 && count%2 == 1 {
			c.skip(4)
		}
		if c.err != nil {
			return nil, c.err
		}
		list = append(list, f)
	}
	return list, c.err
}

// maxChunk is the most bytes of the elements of a chunk: 2 GiB.
const maxChunk = 1 << 31

// mostStored returns the most bytes of a chunk in the file, or between two filters. No
// filter makes a chunk longer than that.
func mostStored(chunk int) int { return int(min(uint64(chunk)*2+64<<10, math.MaxUint32)) }

// step undoes a filter. It returns the content, in dst or as a part of src. dst has
// room for the longest possible content. After an error the bytes of dst are undefined.
type step func(dst, src []byte) ([]byte, error)

// steps returns the steps that undo the filters of a dataset, in the order of the
// filters. The error about an unknown filter names it.
func (s *Shared) steps(filters []Filter) ([]step, error) {
	list := make([]step, len(filters))
	for i, f := range filters {
		var err error
		switch f.ID {
		case FilterDeflate:
			list[i] = s.decoders.deflate
		case FilterShuffle:
			list[i] = unshuffle(f.Parameters)
		case FilterFletcher32:
			list[i] = checkFletcher32
		case FilterSzip:
			list[i], err = s.szip(f.Parameters)
		case FilterNBit:
			list[i], err = nbit(f.Parameters)
		case FilterScaleOffset:
			list[i], err = scaleOffset(f.Parameters)
		case FilterBzip2:
			list[i] = s.decoders.bzip2
		case FilterLZF:
			list[i] = lzf
		case FilterBlosc:
			list[i] = s.decoders.blosc
		case FilterBlosc2:
			list[i], err = s.decoders.blosc2, checkBlosc2(f.Parameters)
		case FilterLZ4:
			list[i] = lz4Blocks
		case FilterBitshuffle:
			list[i], err = s.decoders.bitshuffle(f.Parameters)
		case FilterZstd:
			list[i] = s.decoders.zstd
		default:
			err = unsupported("it has no decoder here: write the data without it, with h5repack -f NONE IN OUT and the filter's plugin in HDF5_PLUGIN_PATH, such as those of hdf5plugin")
		}
		if err != nil {
			return nil, fmt.Errorf("%v: %w", f, err)
		}
	}
	return list, nil
}

// undo undoes the filters, except those that the mask leaves out. It returns as many
// bytes as dst has: dst, or a part of src. At least the first least bytes have to come out
// of the filters; zeros follow.
func (s *Shared) undo(filters []Filter, list []step, dst, src []byte, mask uint32, least int) ([]byte, error) {
	used := bits.Len32(^mask & (1<<len(list) - 1))
	var lent [2][]byte // memory between two steps
	next := 0
	for i, undo := range slices.Backward(list) {
		if mask>>i&1 != 0 {
			continue
		}
		to := dst
		if first := mask&(1<<i-1) == 1<<i-1; !first && used > 1 {
			if lent[next] == nil {
				b := s.buffers.Get(mostStored(len(dst)))
				defer b.Release()
				lent[next] = b.Bytes
			}
			to = lent[next]
			next = 1 - next
		}
		var err error
		if src, err = undo(to, src); err != nil {
			return nil, fmt.Errorf("%v: %w", filters[i], err)
		}
	}
	if len(src) < least || len(src) > len(dst) {
		return nil, corrupt("%d bytes come out of the filters, want %d", len(src), len(dst))
	}
	if len(src) < len(dst) {
		clear(dst[copy(dst, src):])
		return dst, nil
	}
	if lent[0] != nil && len(dst) > 0 && &src[0] != &dst[0] {
		copy(dst, src) // the content is in memory that is about to be returned
		return dst, nil
	}
	return src, nil
}

// filtered returns a block of metadata without its filters. The block has size bytes
// then.
func (f *File) filtered(ctx context.Context, filters []Filter, b heapBlock, size int) ([]byte, error) {
	list, err := f.shared.steps(filters)
	if err != nil {
		return nil, err
	}
	if b.length > uint64(mostStored(size)) {
		return nil, corrupt("a block of %d bytes has %d in the file", size, b.length)
	}
	raw, err := f.bytes(ctx, b.address, int(b.length))
	if err != nil {
		return nil, err
	}
	dst := make([]byte, size)
	content, err := f.shared.undo(filters, list, dst, raw, b.mask, size)
	if err != nil {
		return nil, err
	}
	copy(dst, content)
	return dst, nil
}

// neverApplied is the step of a filter that lacks the parameters that the library adds from
// the datatype. For texts and sequences of variable length it adds none. The filter fails
// then, and the library leaves it out in the mask of each chunk.
func neverApplied(_, _ []byte) ([]byte, error) {
	return nil, corrupt("the filter was applied without parameters of the datatype")
}

// unshuffle undoes the shuffle filter. Without a parameter, as for texts of variable
// length, the filter cannot have been applied to any chunk.
func unshuffle(parameters []uint32) step {
	size := 0
	if len(parameters) > 0 && parameters[0] <= maxChunk {
		size = int(parameters[0])
	}
	return func(dst, src []byte) ([]byte, error) {
		switch {
		case size == 0:
			return nil, corrupt("elements of %d bytes", parameters)
		case size == 1:
			return src, nil
		case len(src) > len(dst):
			return nil, tooMuch(len(dst))
		}
		shuffle.DecodeBytes(dst[:len(src)], src, size)
		return dst[:len(src)], nil
	}
}

// tooMuch returns the error about content that is longer than possible.
func tooMuch(room int) error { return corrupt("it decodes to more than %d bytes", room) }

// checkFletcher32 compares the content with the checksum behind it. Early versions of
// the library swapped the bytes of each half of the checksum on little-endian machines.
func checkFletcher32(_, src []byte) ([]byte, error) {
	n := len(src) - 4
	if n < 0 {
		return nil, corrupt("%d bytes are too few for a checksum", len(src))
	}
	stored, sum := binary.LittleEndian.Uint32(src[n:]), fletcher32.Sum(src[:n])
	swapped := stored>>8&0x00ff00ff | stored&0x00ff00ff<<8
	if sum != stored && sum != swapped {
		return nil, corrupt("the checksum is %08x, stored is %08x", sum, stored)
	}
	return src[:n], nil
}
