package hdf5_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// openFile opens a file in testdata.
func openFile(t *testing.T, name string) *hdf5.File {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, data)
}

// checkElements compares the elements of a dataset, which are bytes of the host.
func checkElements(t *testing.T, f *hdf5.File, path string, want []byte) {
	t.Helper()
	d, err := object(t, f, path).Dataset(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	dst := ndarray.New(d.Native.Type, d.Shape)
	if err := d.ReadRegion(t.Context(), dst, make([]int, len(d.Shape))); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if !bytes.Equal(dst.Data, want) {
		t.Errorf("%s is %v, want %v", path, dst.Data, want)
	}
}

// TestWidths reads groups of the old format in files whose addresses and lengths have
// different sizes: the place of a name in a symbol table is a length.
func TestWidths(t *testing.T) {
	for _, name := range []string{"widths_4_8.h5", "widths_8_4.h5"} {
		f := openFile(t, name)
		links, err := object(t, f, "group").Links(t.Context())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if last := links[len(links)-1]; len(links) != 11 || last.Kind != hdf5.SoftLink || last.Target != "/group/d7" {
			t.Errorf("%s: %d links, the last one is %v", name, len(links), last)
		}
		for i := range 10 {
			checkElements(t, f, fmt.Sprintf("group/d%d", i), []byte{byte(i), 0, byte(i + 1), 0, byte(i + 2), 0})
		}
	}
}

// TestSharedFill reads fill values that datasets share, of both kinds of messages.
func TestSharedFill(t *testing.T) {
	f := openFile(t, "shared_fill.h5")
	for path, fill := range map[string]byte{"a": 7, "b": 7, "c": 9} {
		checkElements(t, f, path, []byte{1, 0, fill, 0, fill, 0})
	}
}
