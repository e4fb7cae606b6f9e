package zarr_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// ascending are the elements of an array of testdata/make_zips.py, of which all
// from the first missing on hold the fill value.
func ascending(shape []int, missing int) []uint16 {
	n, _ := ndarray.Elements(shape)
	values := make([]uint16, n)
	for i := range values {
		if values[i] = 65535; i < missing {
			values[i] = uint16(i)
		}
	}
	return values
}

// TestZip reads archives as zarr-python writes them, from a local file and by
// ranges from a store, and a group within one.
func TestZip(t *testing.T) {
	var memory store.Memory
	st, err := store.Open(t.Context(), "mem://zips", store.Options{Memory: &memory})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stored.zarr.zip", "deflated.zarr.zip"} {
		text, err := os.ReadFile("testdata/" + name)
		if err == nil {
			err = st.Put(t.Context(), name, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, arrays := range map[string]map[string]int{
		"stored.zarr.zip":   {"g/plain": 4 * 6, "sharded": 8 * 8},
		"stored.zarr.zip/g": {"plain": 4 * 6},
		"deflated.zarr.zip": {"a": 4 * 600},
	} {
		for _, folder := range []string{"testdata/", "mem://zips/"} {
			src := open(t, folder+name, zarr.Options{Store: store.Options{Memory: &memory}})
			for path, missing := range arrays {
				a, err := src.Array(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				got, _ := ndarray.As[uint16](sourcetest.ReadAll(t, a))
				if diff := cmp.Diff(ascending(a.Info().Shape, missing), got); diff != "" {
					t.Errorf("%s%s: %s (-want +got):\n%s", folder, name, path, diff)
				}
			}
			if title := src.Groups()[0].Attributes.Get("title"); name == "stored.zarr.zip" && string(title) != `"second"` {
				t.Errorf("%s%s: title %s", folder, name, title)
			}
			if len(src.Arrays()) != len(arrays) {
				t.Errorf("%s%s: arrays %q", folder, name, src.Arrays())
			}
			sourcetest.Run(t, src)
		}
	}
}
