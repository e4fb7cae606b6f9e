package netcdf_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestNestedSequences compares sequences of sequences, and those in members of compounds, with
// what testdata/make_nested.py wrote, in regions that begin everywhere.
func TestNestedSequences(t *testing.T) {
	dir := sourcetest.Unzip(t, "testdata/nested.zip")
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]struct{ Arrays map[string][]int }
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	kept := &sources.Resident{}
	src := open(t, netcdf.Options{Fields: true, Resident: kept}, filepath.Join(dir, "nested.h5"))
	want := expected[""].Arrays
	if got := src.Arrays(); len(got) != len(want) || len(want) < 20 {
		t.Errorf("arrays %q, want %d", got, len(want))
	}
	offsets := int64(0)
	for path, elements := range want {
		if strings.HasSuffix(path, sources.ListOffsets) {
			offsets += int64(len(elements))
		}
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Error(err)
			continue
		}
		if shape := a.Info().Shape; len(shape) != 1 || shape[0] != len(elements) {
			t.Errorf("%s: shape %v, want %d elements", path, shape, len(elements))
			continue
		}
		for start := range elements {
			for _, n := range []int{1, 4, len(elements) - start} {
				n = min(n, len(elements)-start)
				part := ndarray.New(a.Info().Type, []int{n})
				if err := a.ReadRegion(t.Context(), part, []int{start}); err != nil {
					t.Fatal(err)
				}
				var got []string
				for item := range part.Items() {
					got = append(got, string(part.Type.FormatScalar(dtype.V3, item)))
				}
				if fmt.Sprint(got) != fmt.Sprint(elements[start:start+n]) {
					t.Fatalf("%s from %d on: %v, want %v", path, start, got, elements[start:start+n])
				}
			}
		}
	}
	if n := kept.Bytes(); n < 8*offsets || n > 16*offsets || offsets == 0 {
		t.Errorf("%d bytes are counted for %d offsets", n, offsets)
	}
	sourcetest.Run(t, src)
}

// TestNestedSequencesOfFiles joins them: the values of each level follow each other.
func TestNestedSequencesOfFiles(t *testing.T) {
	one := filepath.Join(sourcetest.Unzip(t, "testdata/nested.zip"), "nested.h5")
	single := open(t, netcdf.Options{}, one)
	const dataset = "depth3_rank1_6"
	a, err := single.Array(t.Context(), dataset+"/values/values/offsets")
	if err != nil {
		t.Fatal(err)
	}
	info := a.Info()
	if got, want := fmt.Sprint(info.DimensionNames, info.Ragged[1:]), "[depth3_rank1_6_item_item_edge] [depth3_rank1_6_item depth3_rank1_6_item_item depth3_rank1_6_item_item_item depth3_rank1_6_item_item_edge]"; got != want {
		t.Errorf("dimensions %s, want %s", got, want)
	}
	o := netcdf.Options{Combine: sources.Joining{Concat: info.Ragged[0], Wanted: func(path string) bool { return strings.HasPrefix(path, dataset) }}}
	both, err := netcdf.OpenAll(t.Context(), []string{one, one}, o)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseLater(t, both)
	for _, level := range []string{"offsets", "values/offsets", "values/values/offsets"} {
		a, err := single.Array(t.Context(), dataset+"/"+level)
		if err != nil {
			t.Fatal(err)
		}
		own, _ := ndarray.As[int64](sourcetest.ReadAll(t, a))
		want := append([]int64{}, own...)
		for _, offset := range own[1:] {
			want = append(want, offset+own[len(own)-1])
		}
		if a, err = both.Array(t.Context(), dataset+"/"+level); err != nil {
			t.Fatal(err)
		}
		if got, _ := ndarray.As[int64](sourcetest.ReadAll(t, a)); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", level, got, want)
		}
	}
}

// TestShortSequences reads sequences along unlimited dimensions that other variables make longer:
// empty sequences follow. Sequences make dimensions longer, too.
func TestShortSequences(t *testing.T) {
	src := open(t, netcdf.Options{}, "testdata/short_sequences.nc")
	for path, want := range map[string]string{
		"q/offsets": "[0 0 2 2 2]", "q/values": "[1 2]",
		"r/offsets": "[0 1 3 3 6 6 6 6 6 6 6 6 6]", "r/values": "[3 4 5 6 7 8]",
		"g/s/offsets": "[0 0 0 1]", "g/k": "[5 6 -1]",
	} {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		all := ndarray.New(a.Info().Type, a.Info().Shape)
		if err := a.ReadRegion(t.Context(), all, make([]int, len(all.Shape))); err != nil {
			t.Fatal(err)
		}
		var got []string
		for item := range all.Items() {
			got = append(got, string(all.Type.FormatScalar(dtype.V3, item)))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s is %v, want %s", path, got, want)
		}
	}
	for _, g := range src.Groups() {
		want := map[string]string{"q": "[4]", "r": "[4,3]", "g/s": "[3]"}[g.Path]
		if got := string(g.Attributes.Get(sources.SequenceShape)); got != want {
			t.Errorf("group %q: sequence_shape is %s, want %s", g.Path, got, want)
		}
	}
	sourcetest.Run(t, src)
}

// TestNullSequences: a null dataspace has no sequence, not even an empty one. The file is
// what h5py writes for create_dataset("events", data=h5py.Empty(h5py.vlen_dtype("<i4"))).
func TestNullSequences(t *testing.T) {
	src := open(t, netcdf.Options{}, "testdata/null_sequences.h5")
	for _, g := range src.Groups() {
		if got := string(g.Attributes.Get(sources.SequenceShape)); g.Path == "events" && got != "[0]" {
			t.Errorf("the shape of the sequences is %s, want [0]", got)
		}
	}
	for path, want := range map[string]int{"events/offsets": 1, "events/values": 0} {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if shape := a.Info().Shape; len(shape) != 1 || shape[0] != want {
			t.Errorf("%s has shape %v, want [%d]", path, shape, want)
		}
	}
}
