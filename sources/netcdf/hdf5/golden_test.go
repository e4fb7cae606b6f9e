package hdf5_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// golden is what h5py reads from a file; see testdata/make.py.
type golden struct {
	Datasets map[string]struct {
		Shape, Chunks []int
		SHA256        string
	}
	Attributes map[string]struct {
		Shape  []int
		SHA256 string
	}
}

// memory is a file in memory that counts requests and their bytes.
type memory struct {
	data     []byte
	requests atomic.Int64
	bytes    atomic.Int64
}

func (m *memory) ReadAt(ctx context.Context, p []byte, off int64) error {
	if off < 0 || off+int64(len(p)) > int64(len(m.data)) {
		return io.ErrUnexpectedEOF
	}
	m.requests.Add(1)
	m.bytes.Add(int64(len(p)))
	copy(p, m.data[off:])
	return ctx.Err()
}

// readZip returns the files of a zip.
func readZip(t testing.TB, name string) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		if files[f.Name], err = fs.ReadFile(z, f.Name); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return files
}

func open(t testing.TB, data []byte) *hdf5.File {
	t.Helper()
	f, err := hdf5.Open(t.Context(), &memory{data: data}, int64(len(data)), hdf5.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func object(t testing.TB, f *hdf5.File, name string) *hdf5.Object {
	t.Helper()
	at, err := f.Find(t.Context(), f.Root(), name)
	if err != nil {
		t.Fatal(err)
	}
	o, err := at.Object(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// goldens returns the golden files of a zip, and what h5py reads from them.
func goldens(t *testing.T, name string) (files map[string][]byte, expected map[string]golden) {
	t.Helper()
	files = readZip(t, name)
	var all struct{ Files map[string]golden }
	if err := json.Unmarshal(files["expected.json"], &all); err != nil {
		t.Fatal(err)
	}
	return files, all.Files
}

func TestGolden(t *testing.T) {
	for _, archive := range []string{"testdata/golden.zip", "testdata/szip.zip"} {
		files, expected := goldens(t, archive)
		for name, want := range expected {
			t.Run(name, func(t *testing.T) { checkGolden(t, open(t, files[name]), want) })
		}
	}
}

// unsupported lists the datasets of the golden files that cannot be read.
var unsupported = []string{"sequences"}

func checkGolden(t *testing.T, f *hdf5.File, want golden) {
	for name, w := range want.Datasets {
		o := object(t, f, name)
		d, err := o.Dataset(t.Context())
		if slices.Contains(unsupported, path.Base(name)) {
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%s: error %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d.Null != (w.Shape == nil) || !slices.Equal(d.ChunkShape, w.Chunks) {
			t.Errorf("%s has no elements: %v; its chunks are %v, want %v", name, d.Null, d.ChunkShape, w.Chunks)
		}
		if extents, limits, err := o.Extents(t.Context()); err != nil || !slices.Equal(extents, d.Shape) || !slices.Equal(limits, d.MaxShape) {
			t.Errorf("%s: extents %v of at most %v, error %v", name, extents, limits, err)
		}
		shape := slices.Concat(d.Shape, d.Native.Shape)
		if !slices.Equal(shape, w.Shape) {
			t.Errorf("%s has shape %v, want %v", name, shape, w.Shape)
		}
		dst := ndarray.New(d.Native.Type, shape)
		if err := d.ReadRegion(t.Context(), dst, make([]int, len(shape))); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if w.Shape == nil {
			continue
		}
		if path.Base(name) == "references" { // h5py has no elements to compare
			var got []string
			for item := range dst.Items() {
				got = append(got, string(item))
			}
			if want := []string{"/types/scalar", "/types"}; !slices.Equal(got, want) {
				t.Errorf("%s: references to %q, want %q", name, got, want)
			}
			continue
		}
		if digest(dst) != w.SHA256 {
			t.Errorf("%s: the elements differ", name)
		}
		const most = 64 << 10 // bytes, to save time
		if len(dst.Data) > most {
			continue
		}
		if err := checkRegions(t.Context(), d, dst); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	checkAttributes(t, f, want)
}

func checkAttributes(t *testing.T, f *hdf5.File, want golden) {
	for key, w := range want.Attributes {
		owner, name, _ := strings.Cut(key, "@")
		list, err := object(t, f, owner).Attributes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(list, func(a hdf5.Attribute) bool { return a.Name == name })
		if i < 0 {
			t.Errorf("%s is not there", key)
			continue
		}
		values, _, err := list[i].Values(t.Context())
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if list[i].Null != (w.Shape == nil) || !list[i].Null && (!slices.Equal(values.Shape, w.Shape) || digest(values) != w.SHA256) {
			t.Errorf("%s has other values than %v", key, w)
		}
	}
}

// digest returns the SHA-256 of elements, computed as in testdata/make.py.
func digest(a ndarray.Array) string {
	var b bytes.Buffer
	if swap := dtype.Swapper(a.Type, dtype.Little); swap != nil {
		ndarray.Swap(a, swap)
	}
	if a.Len() == 0 { // whatever its other lengths are
		a.Shape = []int{0}
	}
	for item := range a.Items() {
		b.Write(item)
		if a.Heap != nil {
			b.WriteByte(0)
		}
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:])
}
