package hdf5_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/dtype/hdf5type"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// everything reads all of a file and returns a description with digests of the values.
func everything(ctx context.Context, data []byte, shared *hdf5.Shared) (string, error) {
	m := &mirror{memory: &memory{data: data}}
	f, err := hdf5.Open(ctx, m.memory, int64(len(data)), hdf5.Options{Shared: shared, Page: 4 << 10, Others: m})
	if err != nil {
		return "", err
	}
	m.file = f
	var said strings.Builder
	err = walk(ctx, f, f.Root(), 0, func(o *hdf5.Object, name string) error {
		fmt.Fprintf(&said, "%s %d\n", name, o.Kind())
		list, err := o.Attributes(ctx)
		if err != nil {
			return err
		}
		for i := range list {
			if list[i].Datatype.Nested() {
				text, err := list[i].JSON(ctx)
				if err != nil && !errors.Is(err, errors.ErrUnsupported) {
					return err
				}
				fmt.Fprintf(&said, "%s %s\n", list[i].Name, text)
				continue
			}
			values, _, err := list[i].Values(ctx)
			if err != nil {
				return err
			}
			fmt.Fprintf(&said, "%s %v %s\n", list[i].Name, list[i].Shape, digest(values))
		}
		if o.Kind() != hdf5.DatasetObject {
			return nil
		}
		return elements(ctx, &said, o)
	})
	return said.String(), err
}

// elements reads a dataset as it is and, if it has members or sequences, also these.
func elements(ctx context.Context, said *strings.Builder, o *hdf5.Object) error {
	const most = 1 << 20
	whole := func(d *hdf5.Dataset, err error) error {
		if err != nil {
			return err
		}
		shape := slices.Concat(d.Shape, d.Native.Shape)
		if n, ok := ndarray.Elements(shape); !ok || n*ndarray.ItemSize(d.Native.Type) > most || n > most {
			return fmt.Errorf("shape %v is more than a test reads", shape)
		}
		dst := ndarray.New(d.Native.Type, shape)
		if err := d.ReadRegion(ctx, dst, make([]int, len(shape))); err != nil {
			return err
		}
		fmt.Fprintf(said, "elements %v %v %s\n", shape, d.Native.Type.Name(), digest(dst))
		return nil
	}
	t, err := o.Datatype(ctx)
	switch {
	case err == nil && t.Class == hdf5type.Compound && t.Nested():
		return members(t, nil, func(names []string) error { return whole(o.Field(ctx, names)) })
	case err == nil && t.Class == hdf5type.VariableLength && t.Nested():
		s, err := o.Sequences(ctx, nil)
		if err != nil {
			return err
		}
		n := s.Offsets[len(s.Offsets)-1]
		if n > most {
			return fmt.Errorf("%d values are more than a test reads", n)
		}
		shape := append([]int{int(n)}, s.Native.Shape...)
		if n, ok := ndarray.Elements(shape); !ok || n > most {
			return fmt.Errorf("shape %v is more than a test reads", shape)
		}
		dst := ndarray.New(s.Native.Type, shape)
		if err := s.ReadValues(ctx, dst, 0); err != nil {
			return err
		}
		fmt.Fprintf(said, "elements %v %v %s\n", s.Offsets, s.Native.Type.Name(), digest(dst))
		return nil
	}
	return whole(o.Dataset(ctx))
}

// members calls do for each member of a compound that is no compound.
func members(d *hdf5type.Datatype, names []string, do func(names []string) error) error {
	for _, m := range d.Members {
		path := append(slices.Clone(names), m.Name)
		next := do
		if m.Type.Class == hdf5type.Compound && m.Type.Nested() {
			if err := members(m.Type, path, next); err != nil {
				return err
			}
			continue
		}
		if err := next(path); err != nil {
			return err
		}
	}
	return nil
}

// mirror opens the file itself in the place of all others. Without others, a test would
// see little of links, virtual datasets and elements in other files.
type mirror struct {
	memory *memory
	file   *hdf5.File
}

func (m *mirror) File(_ context.Context, name string) (*hdf5.File, error) {
	if m.file == nil || name == "missing.h5" {
		return nil, fs.ErrNotExist
	}
	return m.file, nil
}

func (m *mirror) Reader(context.Context, string) (hdf5.Reader, int64, error) {
	return m.memory, int64(len(m.memory.data)), nil
}

// walk calls do for the object at an address and for all objects below it.
func walk(ctx context.Context, f *hdf5.File, at uint64, depth int, do func(o *hdf5.Object, name string) error) error {
	const deepest = 5
	o, err := f.Object(ctx, at)
	if err != nil {
		return err
	}
	if err := do(o, ""); err != nil || o.Kind() != hdf5.GroupObject || depth == deepest {
		return err
	}
	links, err := o.Links(ctx)
	if err != nil {
		return err
	}
	for _, l := range links {
		to, err := f.Follow(ctx, at, l)
		if err == nil {
			err = walk(ctx, to.File, to.Address, depth+1, func(o *hdf5.Object, name string) error { return do(o, l.Name+"/"+name) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestFlippedBytes inverts the bits of each byte of a file in turn. Checksums cover all
// of tiny_checked.h5 except gaps, so every change elsewhere is an error.
func TestFlippedBytes(t *testing.T) {
	files := readZip(t, "testdata/golden.zip")
	for name, step := range map[string]int{"tiny_checked.h5": 1, "tiny_plain.h5": 4} { // FuzzFile changes more bytes of tiny_plain.h5
		data := files[name]
		want, err := everything(t.Context(), data, nil)
		if err != nil {
			t.Fatal(err)
		}
		silent := 0
		for i := 0; i < len(data); i += step {
			bits := []byte{0x01, 0x80, 0xff}[i%3]
			data[i] ^= bits
			began := time.Now()
			got, err := everything(t.Context(), data, nil)
			if took := time.Since(began); took > time.Minute {
				t.Errorf("%s: with byte %d changed reading takes %v", name, i, took)
			}
			if err == nil && got != want {
				silent++
				if name == "tiny_checked.h5" {
					t.Errorf("%s: byte %d changed the content without an error", name, i)
				}
			}
			data[i] ^= bits
		}
		if name == "tiny_plain.h5" && silent == 0 {
			t.Errorf("%s: no byte makes a difference, the test sees nothing", name)
		}
	}
}

// extents returns the places of the chunks of the wanted datasets of a file.
func extents(t *testing.T, data []byte, names []string, wanted func(*hdf5.Dataset) bool) (list [][2]int) {
	t.Helper()
	f := open(t, data)
	for _, name := range names {
		d, err := object(t, f, name).Dataset(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d.ChunkShape == nil || !wanted(d) {
			continue
		}
		_, chunks, err := d.StoredChunks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for c := range chunks {
			list = append(list, [2]int{int(c.Offset), int(c.Offset) + c.Size})
		}
	}
	return list
}

// TestFlippedChunks changes each byte of chunks that checksums cover, found by every
// kind of index. Every change that would change a value is refused. Some changes do
// not, as in the unused bits of the last byte of a deflated stream.
func TestFlippedChunks(t *testing.T) {
	files, expected := goldens(t, "testdata/golden.zip")
	for _, name := range []string{"tiny_checked.h5", "tiny_plain.h5"} {
		data := files[name]
		checked := func(d *hdf5.Dataset) bool {
			return slices.ContainsFunc(d.Filters, func(f hdf5.Filter) bool { return f.ID == hdf5.FilterFletcher32 || f.ID == hdf5.FilterDeflate })
		}
		list := extents(t, data, slices.Collect(maps.Keys(expected[name].Datasets)), checked)
		want, err := everything(t.Context(), data, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) < 10 {
			t.Fatalf("%s: %d chunks", name, len(list))
		}
		for _, extent := range list {
			for i := extent[0]; i < extent[1]; i++ {
				for _, bits := range []byte{0x01, 0x10, 0x80, 0xff} {
					data[i] ^= bits
					if got, err := everything(t.Context(), data, nil); err == nil && got != want {
						t.Errorf("%s: byte %d of the chunk at %d is another one by %#x, and so are values, without an error", name, i-extent[0], extent[0], bits)
					}
					data[i] ^= bits
				}
			}
		}
	}
}

// TestFlippedIndexes changes single bytes outside of thousands of chunks without
// checksums: in headers and in indexes of every kind that has checksums. No value
// changes.
func TestFlippedIndexes(t *testing.T) {
	const name, step = "chunks_v110.h5", 1021
	files, expected := goldens(t, "testdata/golden.zip")
	data := files[name]
	want, err := everything(t.Context(), data, nil)
	if err != nil {
		t.Fatal(err)
	}
	chunks := extents(t, data, slices.Collect(maps.Keys(expected[name].Datasets)), func(*hdf5.Dataset) bool { return true })
	slices.SortFunc(chunks, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	changed, refused := 0, 0
	for i := 0; i < len(data); i += step {
		if k, _ := slices.BinarySearchFunc(chunks, i, func(c [2]int, at int) int { return cmp.Compare(c[1], at+1) }); k < len(chunks) && chunks[k][0] <= i {
			continue
		}
		data[i] ^= 0xff
		changed++
		got, err := everything(t.Context(), data, nil)
		if err != nil {
			refused++
		} else if got != want {
			t.Errorf("byte %d changed the content without an error", i)
		}
		data[i] ^= 0xff
	}
	t.Logf("%d bytes of %d were changed, %d times for an error", changed, len(data), refused)
	if refused < 100 {
		t.Errorf("%d of %d changes were found", refused, changed)
	}
}

// forge reads a file and corrects each wrong checksum, up to a few, because a correct
// checksum is no reason to trust the bytes. It changes data.
func forge(t *testing.T, data []byte) {
	sums := regexp.MustCompile("the checksum is ([0-9a-f]{8}), stored is ([0-9a-f]{8})")
	word := func(text string) []byte {
		n, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		return binary.LittleEndian.AppendUint32(nil, uint32(n))
	}
	for range 12 {
		_, err := everything(t.Context(), data, nil)
		if err == nil {
			return
		}
		m := sums.FindStringSubmatch(err.Error())
		if m == nil {
			return
		}
		at := bytes.Index(data, word(m[2]))
		if at < 0 {
			return // the last bits of a stream, which are not one of its checksums
		}
		copy(data[at:], word(m[1]))
	}
}

// TestForgedBytes changes each byte of a file in turn, and corrects the checksums.
func TestForgedBytes(t *testing.T) {
	data := readZip(t, "testdata/golden.zip")["tiny_checked.h5"]
	for i := range data {
		forged := bytes.Clone(data)
		forged[i] = []byte{0, 0xff, data[i] + 1}[i%3] // FuzzFile goes on from here
		began := time.Now()
		forge(t, forged)
		if took := time.Since(began); took > time.Minute {
			t.Errorf("with %#x for byte %d reading takes %v", forged[i], i, took)
		}
	}
}

// TestTruncated opens beginnings of a file.
func TestTruncated(t *testing.T) {
	data := readZip(t, "testdata/golden.zip")["tiny_plain.h5"]
	for n := 0; n < len(data); n += 7 {
		if _, err := everything(t.Context(), data[:n], nil); err == nil {
			t.Errorf("%d of %d bytes were read without an error", n, len(data))
		}
	}
}

// TestFlippedLinks inverts each byte of files with links, virtual datasets and elements in
// other files, and with members of compounds, sequences and references. Whatever that does,
// reading ends.
func TestFlippedLinks(t *testing.T) {
	for name, lines := range map[string]int{"tiny_linked.h5": 7, "tiny_types.h5": 6} {
		flip(t, tiny(t, name), lines)
	}
}

// flip inverts each byte of a file, whose description has so many lines about elements.
func flip(t *testing.T, data []byte, lines int) {
	t.Helper()
	said, err := everything(t.Context(), data, nil)
	if err != nil || strings.Count(said, "elements ") != lines {
		t.Fatalf("%s, error %v", said, err)
	}
	different := 0
	for i := range data {
		data[i] ^= []byte{0x01, 0x80, 0xff}[i%3]
		if got, err := everything(t.Context(), data, nil); err != nil || got != said {
			different++
		}
		data[i] ^= []byte{0x01, 0x80, 0xff}[i%3]
	}
	if different < 100 {
		t.Errorf("only %d bytes make a difference", different)
	}
}

// tiny returns a small file that make_linked.py or make_types.py in the folder above writes.
func tiny(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func FuzzFile(f *testing.F) {
	files := readZip(f, "testdata/golden.zip")
	f.Add(tiny(f, "tiny_linked.h5"))
	f.Add(tiny(f, "tiny_types.h5"))
	f.Add(files["tiny_checked.h5"])
	f.Add(files["tiny_plain.h5"])
	f.Fuzz(func(t *testing.T, data []byte) {
		forge(t, bytes.Clone(data)) // neither panics nor exhausts memory
	})
}
