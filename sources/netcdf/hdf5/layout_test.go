package hdf5_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// le writes numbers, texts and bytes one after the other, in little-endian order.
func le(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		if text, ok := p.(string); ok {
			b = append(b, text...)
			continue
		}
		var err error
		if b, err = binary.Append(b, binary.LittleEndian, p); err != nil {
			panic(err)
		}
	}
	return b
}

// undefined is the address that stands for nothing.
const undefined = ^uint64(0)

// older is a file to which tests add datasets in the form of the library's first
// versions.
type older struct{ data []byte }

func newOlder(t *testing.T) *older {
	t.Helper()
	return &older{bytes.Clone(readZip(t, "testdata/golden.zip")["tiny_plain.h5"])}
}

// add adds bytes and returns their address.
func (o *older) add(b []byte) uint64 {
	at := (len(o.data) + 7) &^ 7
	o.data = append(append(o.data, make([]byte, at-len(o.data))...), b...)
	return uint64(at)
}

// header adds an object header of version 1 with messages, their kinds and contents.
func (o *older) header(messages ...any) uint64 {
	var all []byte
	for i := 0; i < len(messages); i += 2 {
		kind, content := messages[i].(int), messages[i+1].([]byte)
		content = append(content, make([]byte, (8-len(content)%8)%8)...)
		all = append(all, le(uint16(kind), uint16(len(content)), uint32(0), content)...)
	}
	return o.add(le(uint16(1), uint16(len(messages)/2), uint32(1), uint32(len(all)), uint32(0), all))
}

// integers is the datatype message for int32.
var integers = le(uint8(0x10), uint8(8), uint16(0), uint32(4), uint16(0), uint16(32))

// space returns a dataspace message.
func space(shape []uint64) []byte {
	return le(uint8(1), uint8(len(shape)), make([]byte, 6), shape)
}

// dataset adds the object header of a dataset of int32 elements, with a fill value and
// further messages.
func (o *older) dataset(shape []uint64, more ...any) uint64 {
	first := []any{msgDataspace, space(shape), msgDatatype, integers, msgOldFill, le(uint32(4), int32(-7))}
	return o.header(append(first, more...)...)
}

// tree adds a B-tree of version 1 for chunks that begin at the given elements.
func (o *older) tree(starts [][]uint64, chunks [][]byte) uint64 {
	node := le("TREE", uint8(1), uint8(0), uint16(len(chunks)), undefined, undefined)
	for i, chunk := range chunks {
		node = append(node, le(uint32(len(chunk)), uint32(0), starts[i], uint64(0), o.add(chunk))...)
	}
	return o.add(append(node, make([]byte, 8+8*(len(starts[0])+1))...))
}

// read opens the dataset whose header is at an address, and reads all of it.
func (o *older) read(t *testing.T, at uint64) ([]int32, error) {
	t.Helper()
	f := open(t, o.data)
	object, err := f.Object(t.Context(), at)
	if err != nil {
		return nil, err
	}
	d, err := object.Dataset(t.Context())
	if err != nil {
		return nil, err
	}
	dst := ndarray.New(d.Native.Type, d.Shape)
	if err := d.ReadRegion(t.Context(), dst, make([]int, len(d.Shape))); err != nil {
		return nil, err
	}
	list, _ := ndarray.As[int32](dst)
	return list, checkRegions(t.Context(), d, dst)
}

// Kinds of messages.
const (
	msgDataspace = 1
	msgDatatype  = 3
	msgOldFill   = 4
	msgFill      = 5
	msgLayout    = 8
	msgFilters   = 0xb
	msgAttribute = 0xc
)

// TestOldLayouts has datasets whose data layout messages have versions 1 and 2, which
// no library writes any more.
func TestOldLayouts(t *testing.T) {
	elements := []int32{1, 2, 3, 4, 5, 6}
	shape := []uint64{2, 3}
	never := []int32{-7, -7, -7, -7, -7, -7}
	begin := func(version, dims, class uint8) []byte { return le(version, dims, class, make([]byte, 5)) }
	deflated := func(chunk []byte) []byte {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		if _, err := w.Write(chunk); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	starts := [][]uint64{{0, 0}, {0, 2}}
	chunks := [][]byte{le([]int32{1, 2, 4, 5}), le([]int32{3, 0, 6, 0})}
	squeezed := [][]byte{deflated(chunks[0]), deflated(chunks[1])}
	for _, version := range []uint8{1, 2} {
		for name, test := range map[string]struct {
			add  func(o *older) uint64
			want []int32
		}{
			"compact": {func(o *older) uint64 {
				return o.dataset(shape, msgLayout, le(begin(version, 2, 0), uint32(2), uint32(3), uint32(24), elements))
			}, elements},
			"contiguous": {func(o *older) uint64 {
				return o.dataset(shape, msgLayout, le(begin(version, 2, 1), o.add(le(elements)), uint32(2), uint32(3)))
			}, elements},
			"contiguous, never written": {func(o *older) uint64 {
				return o.dataset(shape, msgLayout, le(begin(version, 2, 1), undefined, uint32(2), uint32(3)))
			}, never},
			"chunks": {func(o *older) uint64 {
				return o.dataset(shape, msgLayout, le(begin(version, 3, 2), o.tree(starts, chunks), uint32(2), uint32(2), uint32(4)))
			}, elements},
			"chunks, one of them not there": {func(o *older) uint64 {
				return o.dataset(shape, msgLayout, le(begin(version, 3, 2), o.tree(starts[1:], chunks[1:]), uint32(2), uint32(2), uint32(4)))
			}, []int32{-7, -7, 3, -7, -7, 6}},
			"chunks, never written": {func(o *older) uint64 {
				return o.dataset(shape, msgLayout, le(begin(version, 3, 2), undefined, uint32(2), uint32(2), uint32(4)))
			}, never},
			"chunks with a filter": {func(o *older) uint64 {
				return o.dataset(shape, msgLayout, le(begin(version, 3, 2), o.tree(starts, squeezed), uint32(2), uint32(2), uint32(4)),
					msgFilters, le(uint8(1), uint8(1), make([]byte, 6), uint16(1), uint16(8), uint16(0), uint16(1), "deflate\x00", uint32(6), uint32(0)))
			}, elements},
		} {
			t.Run(fmt.Sprintf("%s, version %d", name, version), func(t *testing.T) {
				o := newOlder(t)
				got, err := o.read(t, test.add(o))
				if err != nil || !slices.Equal(got, test.want) {
					t.Errorf("got %v, %v, want %v", got, err, test.want)
				}
			})
		}
	}
}

// TestBadOldLayouts has impossible messages, which are refused.
func TestBadOldLayouts(t *testing.T) {
	shape := []uint64{2, 3}
	pad := make([]byte, 5)
	for name, test := range map[string]struct {
		message []byte
		kind    error
		want    string
	}{
		"a class that is none":          {le(uint8(1), uint8(2), uint8(3), pad), errors.ErrUnsupported, "data layout of class 3"},
		"beyond the end of the file":    {le(uint8(1), uint8(2), uint8(1), pad, uint64(1<<40), uint32(2), uint32(3)), hdf5.ErrCorrupt, "truncated"},
		"too few bytes in the header":   {le(uint8(2), uint8(2), uint8(0), pad, uint32(2), uint32(3), uint32(8), uint64(0)), hdf5.ErrCorrupt, "8 bytes in the header"},
		"more bytes than the header":    {le(uint8(2), uint8(2), uint8(0), pad, uint32(2), uint32(3), uint32(999)), hdf5.ErrCorrupt, ""},
		"chunks of too few dimensions":  {le(uint8(1), uint8(2), uint8(2), pad, undefined, uint32(2), uint32(4)), hdf5.ErrCorrupt, "chunks of 1 dimensions"},
		"chunks of no dimension at all": {le(uint8(1), uint8(0), uint8(2), pad, undefined), hdf5.ErrCorrupt, "chunks of -1 dimensions"},
		"chunks of other elements":      {le(uint8(1), uint8(3), uint8(2), pad, undefined, uint32(2), uint32(2), uint32(8)), hdf5.ErrCorrupt, "elements of 8 bytes"},
		"an empty chunk":                {le(uint8(1), uint8(3), uint8(2), pad, undefined, uint32(0), uint32(2), uint32(4)), hdf5.ErrCorrupt, "a chunk of shape"},
		"chunks of more than anything":  {le(uint8(1), uint8(3), uint8(2), pad, undefined, ^uint32(0), ^uint32(0), uint32(4)), hdf5.ErrCorrupt, "a chunk of shape"},
		"nothing":                       {nil, hdf5.ErrCorrupt, ""},
		"a version to come":             {le(uint8(9), uint8(2), uint8(1), pad), errors.ErrUnsupported, "version 9"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOlder(t)
			_, err := o.read(t, o.dataset(shape, msgLayout, test.message))
			if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// TestNoLayout refuses an object without a data layout message.
func TestNoLayout(t *testing.T) {
	o := newOlder(t)
	if _, err := o.read(t, o.dataset([]uint64{2, 3})); err == nil || !strings.Contains(err.Error(), "is not a dataset") {
		t.Errorf("got %v", err)
	}
}

// TestOldFill has fill values in a message of version 1.
func TestOldFill(t *testing.T) {
	for _, test := range []struct {
		message []byte
		want    int32
	}{
		{le(uint8(1), uint8(2), uint8(0), uint8(1), uint32(4), int32(9)), 9},
		{le(uint8(1), uint8(2), uint8(0), uint8(1), uint32(0)), 0}, // nobody chose the value
		{le(uint8(1), uint8(2), uint8(0), uint8(0)), 0},
		{le(uint8(2), uint8(2), uint8(0), uint8(1), uint32(4), int32(9)), 9},
		{le(uint8(2), uint8(2), uint8(0), uint8(0)), 0},
	} {
		o := newOlder(t)
		at := o.dataset([]uint64{2}, msgFill, test.message, msgLayout, le(uint8(1), uint8(1), uint8(1), make([]byte, 5), undefined, uint32(2)))
		if got, err := o.read(t, at); err != nil || !slices.Equal(got, []int32{test.want, test.want}) {
			t.Errorf("%x: %v, %v, want %d", test.message, got, err, test.want)
		}
	}
}

// TestOldAttributes has attributes in messages of versions 1 and 2. One of them has a
// committed datatype.
func TestOldAttributes(t *testing.T) {
	o := newOlder(t)
	committed := o.header(msgDatatype, integers)
	// The specification leaves out the place of a name, which the library writes and skips.
	shared := le(uint8(1), uint8(0), make([]byte, 6), uint64(8), committed)
	scalar := space(nil)
	at := o.dataset([]uint64{2},
		msgAttribute, le(uint8(1), uint8(0), uint16(5), uint16(12), uint16(8), "four\x00\x00\x00\x00", integers, uint32(0), scalar, int32(4)),
		msgAttribute, le(uint8(2), uint8(0), uint16(5), uint16(12), uint16(8), "five\x00", integers, scalar, int32(5)),
		msgAttribute, le(uint8(2), uint8(1), uint16(4), uint16(24), uint16(16), "six\x00", shared, space([]uint64{2}), []int32{6, 7}),
	)
	object, err := open(t, o.data).Object(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	list, err := object.Attributes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range list {
		values, _, err := list[i].Values(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		numbers, _ := ndarray.As[int32](values)
		got = append(got, fmt.Sprint(list[i].Name, numbers))
		if want := list[i].Name == "six"; (list[i].Committed == committed) != want || !want && list[i].Committed != 0 {
			t.Errorf("%s has the committed datatype at address %d, that at %d is of six alone", list[i].Name, list[i].Committed, committed)
		}
	}
	slices.Sort(got)
	if want := []string{"five[5]", "four[4]", "six[6 7]"}; !slices.Equal(got, want) {
		t.Errorf("attributes %q, want %q", got, want)
	}
}
