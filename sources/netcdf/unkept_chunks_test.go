package netcdf_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestUnkeptChunks has chunks that HDF5 reads and that cannot all be carried through. Those of
// filters in an order that Zarr cannot have are refused when the array is opened.
func TestUnkeptChunks(t *testing.T) {
	src := open(t, netcdf.Options{Kept: all}, "testdata/unkept_chunks.h5")
	for path, want := range map[string]string{
		"shuffled_last":       "no codec of Zarr undoes shuffle (filter 2) behind deflate (filter 1), whose bytes need be no multiple of 4",
		"shuffled_again":      "no codec of Zarr undoes shuffle (filter 2)", // libhdf5 gives parameters to the first shuffle alone
		"summed_and_shuffled": "",
		"behind":              "",
	} {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := ndarray.As[int32](sourcetest.ReadAll(t, a)); got[0] != 0 || got[39] != 5 {
			t.Errorf("%s: elements %v", path, got)
		}
		if info := a.Info(); info.Obstacle != want || (info.Codecs == nil) != (want != "") {
			t.Errorf("%s: obstacle %q, want %q; codecs %v", path, info.Obstacle, want, info.Codecs)
		}
		if path == "summed_and_shuffled" && checkStored(t, a) != 2 {
			t.Errorf("%s: not all chunks are stored", path)
		}
	}
}

// TestBytesBehindTheStream has a chunk with bytes behind the end of its compressed stream. It is
// not carried through, and the error names the way out.
func TestBytesBehindTheStream(t *testing.T) {
	a, err := open(t, netcdf.Options{Kept: all}, "testdata/unkept_chunks.h5").Array(t.Context(), "behind")
	if err != nil {
		t.Fatal(err)
	}
	stored := sources.AsStored(a)
	for i, wrong := range []bool{false, true} {
		in, err := stored.OpenStored(t.Context(), []int{i, 0})
		if err != nil {
			t.Fatal(err)
		}
		switch err := stored.VerifyStored(t.Context(), []int{i, 0}, in); {
		case !wrong && err != nil:
			t.Error(err)
		case wrong && (err == nil || errors.Is(err, codecs.ErrCorrupt) || !strings.Contains(err.Error(), "with run.path: decode, all chunks are encoded anew")):
			t.Errorf("error %v", err)
		}
	}
}
