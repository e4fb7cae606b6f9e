package hdf5_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// TestWidths reads groups of the old format in files whose addresses and lengths have
// different sizes: the place of a name in a symbol table is a length.
func TestWidths(t *testing.T) {
	for _, name := range []string{"widths_4_8.h5", "widths_8_4.h5"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		f := open(t, data)
		links, err := object(t, f, "group").Links(t.Context())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if last := links[len(links)-1]; len(links) != 11 || last.Kind != hdf5.SoftLink || last.Target != "/group/d7" {
			t.Errorf("%s: %d links, the last one is %v", name, len(links), last)
		}
		for i := range 10 {
			d, err := object(t, f, fmt.Sprintf("group/d%d", i)).Dataset(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			dst := ndarray.New(d.Native.Type, d.Shape)
			if err := d.ReadRegion(t.Context(), dst, []int{0}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if want := []byte{byte(i), 0, byte(i + 1), 0, byte(i + 2), 0}; !bytes.Equal(dst.Data, want) {
				t.Errorf("%s: d%d is %v, want %v", name, i, dst.Data, want)
			}
		}
	}
}
