package netcdf_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestTypes reads members of compounds, sequences, references and attributes of compounds,
// and compares them with what h5py reads.
func TestTypes(t *testing.T) {
	folder := sourcetest.Unzip(t, "testdata/types.zip")
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Files map[string]struct {
			Arrays map[string]struct {
				Shape  []int
				SHA256 string
			}
			Attributes map[string]any
		}
	}
	if err := json.Unmarshal(text, &expected); err != nil || len(expected.Files) == 0 {
		t.Fatal(err)
	}
	for file, want := range expected.Files {
		src := open(t, netcdf.Options{Fields: true}, filepath.Join(folder, file))
		for path, want := range want.Arrays {
			a, err := src.Array(t.Context(), path)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if !slices.Equal(a.Info().Shape, want.Shape) {
				t.Errorf("%s: %s has shape %v, want %v", file, path, a.Info().Shape, want.Shape)
				continue
			}
			if littleEndian(sourcetest.ReadAll(t, a)) != want.SHA256 {
				t.Errorf("%s: the elements of %s differ", file, path)
			}
		}
		if n := len(want.Arrays); n < 400 {
			t.Errorf("%s: only %d arrays", file, n)
		}
		a, err := src.Array(t.Context(), "attributes/d")
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]any{}
		for _, attribute := range a.Info().Attributes {
			var v any
			if err := json.Unmarshal(attribute.Value, &v); err != nil {
				t.Errorf("attribute %s: %v", attribute.Name, err)
			}
			got[attribute.Name] = v
		}
		if diff := cmp.Diff(want.Attributes, got); diff != "" {
			t.Errorf("%s: attributes (-want +got):\n%s", file, diff)
		}
		sourcetest.Run(t, src)
	}
}

// TestStructs: without Fields, a compound is one array, and its error says what to do if
// Zarr has no such struct.
func TestStructs(t *testing.T) {
	src := open(t, netcdf.Options{}, filepath.Join(sourcetest.Unzip(t, "testdata/types.zip"), "types_latest.h5"))
	structs, refused := 0, 0
	for _, path := range src.Arrays() {
		if !strings.HasPrefix(path, "compounds/") {
			continue
		}
		a, err := src.Array(t.Context(), path)
		switch {
		case err == nil && a.Info().Type.Name() == "struct":
			structs++
		case err != nil && errors.Is(err, errors.ErrUnsupported) && strings.Contains(err.Error(), "source.compound: fields makes an array of each member"):
			refused++
		default:
			t.Errorf("%s: %v", path, err)
		}
	}
	if structs < 30 || refused < 30 {
		t.Errorf("%d structs, and %d refused", structs, refused)
	}
}

// TestGroupsOfArrays: a dataset that becomes several arrays is a group that has its
// attributes.
func TestGroupsOfArrays(t *testing.T) {
	src := open(t, netcdf.Options{Fields: true}, filepath.Join(sourcetest.Unzip(t, "testdata/types.zip"), "types_latest.h5"))
	for _, g := range src.Groups() {
		switch g.Path {
		case "compounds/c007":
			if got := string(g.Attributes.Get("number")); got != "7" {
				t.Errorf("attribute number is %s", got)
			}
		case "sequences/s02":
			if got := string(g.Attributes.Get("sequence_shape")); got != "[3,2,5]" {
				t.Errorf("attribute sequence_shape is %s", got)
			}
		}
	}
	if _, err := src.(sources.Detailed).Details(t.Context(), "compounds/c007"); err != nil {
		t.Error(err)
	}
}

// TestSequenceDimensions: the arrays of sequences have dimensions with names, and tell which
// dimensions their sequences belong to.
func TestSequenceDimensions(t *testing.T) {
	src := open(t, netcdf.Options{}, filepath.Join(sourcetest.Unzip(t, "testdata/types.zip"), "types_latest.h5"))
	for path, want := range map[string]string{
		"sequences/s01/values":  `["s01_item"] [3 "s01_item" "s01_edge"]`,
		"sequences/s01/offsets": `["s01_edge"] [3 "s01_item" "s01_edge"]`,
	} {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		info := a.Info()
		if len(info.Ragged) != 4 || info.Ragged[0] == info.Ragged[1] {
			t.Fatalf("%s: lists along %q", path, info.Ragged)
		}
		if got := fmt.Sprintf("%q [%d %q %q]", info.DimensionNames, len(info.Ragged)-1, info.Ragged[2], info.Ragged[3]); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// TestSequencesOfFiles joins sequences of two files, and refuses what cannot be joined.
func TestSequencesOfFiles(t *testing.T) {
	one := filepath.Join(sourcetest.Unzip(t, "testdata/types.zip"), "types_latest.h5")
	first := func(dataset string) string {
		a, err := open(t, netcdf.Options{}, one).Array(t.Context(), dataset+"/offsets")
		if err != nil {
			t.Fatal(err)
		}
		return a.Info().Ragged[0]
	}
	joined := func(dataset, along string, stack bool) sources.Source {
		o := netcdf.Options{Combine: sources.Joining{Concat: along, Wanted: func(path string) bool { return strings.HasPrefix(path, dataset+"/") }}}
		if stack {
			o.Combine.Concat, o.Combine.Stack = "", "file"
		}
		src, err := netcdf.OpenAll(t.Context(), []string{one, one}, o)
		if err != nil {
			t.Fatal(err)
		}
		sourcetest.CloseLater(t, src)
		return src
	}
	single := open(t, netcdf.Options{}, one)
	for _, dataset := range []string{"sequences/s00", "sequences/s01", "sequences/s02"} {
		src := joined(dataset, first(dataset), false)
		a, err := single.Array(t.Context(), dataset+"/offsets")
		if err != nil {
			t.Fatal(err)
		}
		offsets, _ := ndarray.As[int64](sourcetest.ReadAll(t, a))
		n := len(offsets) - 1
		all := slices.Clone(offsets)
		for _, offset := range offsets[1:] {
			all = append(all, offset+offsets[n])
		}
		if a, err = src.Array(t.Context(), dataset+"/offsets"); err != nil {
			t.Fatal(err)
		}
		if got, _ := ndarray.As[int64](sourcetest.ReadAll(t, a)); !slices.Equal(got, all) {
			t.Errorf("%s: offsets %v, want %v", dataset, got, all)
		}
		shape := a.Info().Lists.Shape
		if a, err = src.Array(t.Context(), dataset+"/values"); err != nil {
			t.Fatal(err)
		}
		if a.Info().Shape[0] != int(all[2*n]) {
			t.Errorf("%s: values of shape %v, want %d", dataset, a.Info().Shape, all[2*n])
		}
		for _, g := range src.Groups() {
			if g.Path == dataset && string(g.Attributes.Get("sequence_shape")) != strings.ReplaceAll(fmt.Sprint(shape), " ", ",") {
				t.Errorf("%s: %s, want %v", dataset, g.Attributes.Get("sequence_shape"), shape)
			}
		}
	}
	a, err := single.Array(t.Context(), "sequences/s01/offsets")
	if err != nil {
		t.Fatal(err)
	}
	o := netcdf.Options{Combine: sources.Joining{Concat: a.Info().Ragged[1]}}
	both, err := netcdf.OpenAll(t.Context(), []string{one, one}, o)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseLater(t, both)
	if _, err := both.Array(t.Context(), "sequences/s01/offsets"); err == nil || !strings.Contains(err.Error(), "and other dimensions before it, and cannot be joined along it: exclude it") {
		t.Errorf("along the second dimension: %v", err)
	}
	if _, err := joined("sequences/s01", "", true).Array(t.Context(), "sequences/s01/offsets"); err != nil {
		t.Error(err)
	}
}

// TestSkippedReferences leaves references out.
func TestSkippedReferences(t *testing.T) {
	src := open(t, netcdf.Options{SkipReferences: true}, filepath.Join(sourcetest.Unzip(t, "testdata/types.zip"), "types_latest.h5"))
	if _, err := src.Array(t.Context(), "references/objects"); !errors.Is(err, sources.ErrNoArray) || !strings.Contains(err.Error(), "source.references is skip") {
		t.Errorf("error %v", err)
	}
	a, err := src.Array(t.Context(), "attributes/d")
	if err != nil {
		t.Fatal(err)
	}
	if a.Info().Attributes.Get("reference") != nil || len(a.Info().Findings) != 1 {
		t.Errorf("attribute %s, findings %v", a.Info().Attributes.Get("reference"), a.Info().Findings)
	}
}

// TestRegions reads references to regions whose selections have all versions. The attribute
// "text" has what libhdf5 says of them; see testdata/README.md.
func TestRegions(t *testing.T) {
	src := open(t, netcdf.Options{}, "testdata/regions.h5")
	for name, n := range map[string]int{"earliest": 5, "v110": 9, "v112": 9} {
		a, err := src.Array(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if err := json.Unmarshal(a.Info().Attributes.Get("text"), &want); err != nil {
			t.Fatal(err)
		}
		got := ndarray.New(a.Info().Type, []int{n})
		if err := a.ReadRegion(t.Context(), got, []int{0}); err != nil {
			t.Fatal(err)
		}
		i := 0
		for item := range got.Items() {
			if string(item) != "/d"+want[i] {
				t.Errorf("%s %d is %s, want /d%s", name, i, item, want[i])
			}
			i++
		}
		if i != len(want) {
			t.Errorf("%s has %d references, want %d", name, i, len(want))
		}
	}
}

// TestEncodedReferences reads references of HDF5 1.12 and later, and refuses those that lead
// into other files or are damaged.
func TestEncodedReferences(t *testing.T) {
	a, err := open(t, netcdf.Options{}, "testdata/std_references.h5").Array(t.Context(), "references")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for item := range sourcetest.ReadAll(t, a).Items() {
		got = append(got, string(item))
	}
	want := []string{
		"/group/data", "/group", "/group/data[1:4,2:6]",
		"/group/data[0:1,1:2];[0:1,4:5];[0:1,7:8];[2:3,1:2];[2:3,4:5];[2:3,7:8];[4:5,1:2];[4:5,4:5];[4:5,7:8]",
		"/group/data[0,0];[5,9];[2,7]", "/group/data@größe", "/group@name", "", "/",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	if two := string(a.Info().Attributes.Get("two")); two != `["/group/data","/group"]` {
		t.Errorf("attribute two is %s", two)
	}
	data, err := os.ReadFile("testdata/std_references.h5")
	if err != nil {
		t.Fatal(err)
	}
	const first = 8336 // the place of the elements, of 18 bytes each
	for name, test := range map[string]struct {
		at   int
		to   byte
		want string
	}{
		"other file":     {first + 1, 1, "a reference to an object in another file"},
		"unknown kind":   {first, 9, "a reference of kind 9 with flags 0x0"},
		"long token":     {first + 2, 9, "a token of 9 bytes in a file with addresses of 8"},
		"no such object": {first + 3, 0xb4, "to which no path leads"},
		"long name":      {first + 18*5 + 2, 0xff, "has 18 bytes, want 255"},
		"no such place":  {first + 18*5 + 14, 77, "there is no object 77"},
	} {
		changed := slices.Clone(data)
		changed[test.at] = test.to
		file := filepath.Join(t.TempDir(), "changed.h5")
		if err := os.WriteFile(file, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := open(t, netcdf.Options{}, file).Array(t.Context(), "references")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

// TestBlosc2 reads datasets that the filter Blosc2 has compressed. Filters and codecs that cannot be
// undone are refused when the dataset is opened, if the parameters of the filter name them.
func TestBlosc2(t *testing.T) {
	src := open(t, netcdf.Options{}, "testdata/blosc2.h5")
	if n := len(src.Arrays()); n != 8+5 {
		t.Fatalf("%d arrays", n)
	}
	for _, name := range src.Arrays() {
		a, err := src.Array(t.Context(), name)
		if what, refused := strings.CutPrefix(name, "refused/"); refused {
			if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "blosc2: unsupported: ") || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "h5repack") {
				t.Errorf("%s: error %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		all := sourcetest.ReadAll(t, a)
		for item := range all.Items() {
			if got := strings.TrimSuffix(string(all.Type.FormatScalar(dtype.V3, item)), ".0"); got != fmt.Sprint(i) {
				t.Fatalf("%s: element %d is %s", name, i, got)
			}
			i++
		}
		if i != 600 {
			t.Errorf("%s: %d elements", name, i)
		}
	}
}

// TestFiltersOfTexts reads texts and sequences with filters that are meant for numbers: where the
// library cannot apply them, it leaves them out.
func TestFiltersOfTexts(t *testing.T) {
	src := open(t, netcdf.Options{}, "testdata/filters.h5")
	items := func(path string) [][]byte {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Collect(sourcetest.ReadAll(t, a).Items())
	}
	compared := 0
	for _, path := range src.Arrays() {
		group, name, _ := strings.Cut(path, "/")
		if group == "plain" {
			continue
		}
		if got, want := items(path), items("plain/"+name); !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
		compared++
	}
	if compared != 3*5+3+2 {
		t.Errorf("%d arrays", compared)
	}
}

// TestShortChunks reads chunks that end behind their last element within the dataset, as libhdf5
// does. Such a chunk is damaged if an element is missing.
func TestShortChunks(t *testing.T) {
	src := open(t, netcdf.Options{}, "testdata/short_chunks.h5")
	for name, want := range map[string]func(i int) int32{
		"line":   func(i int) int32 { return int32(i) },
		"square": func(i int) int32 { return int32(i/6*8 + i%6) },
	} {
		a, err := src.Array(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := ndarray.As[int32](sourcetest.ReadAll(t, a))
		for i, v := range got {
			if v != want(i) {
				t.Errorf("%s: element %d is %d, want %d", name, i, v, want(i))
			}
		}
	}
	a, err := src.Array(t.Context(), "damaged")
	if err != nil {
		t.Fatal(err)
	}
	err = a.ReadRegion(t.Context(), ndarray.New(dtype.Int32, []int{10}), []int{0})
	if !errors.Is(err, hdf5.ErrCorrupt) || !strings.Contains(err.Error(), "12 bytes come out of the filters, want 24") {
		t.Errorf("damaged: error %v", err)
	}
}

// TestTooLarge: datasets that are larger than an array can be are no damage. They can be left out.
func TestTooLarge(t *testing.T) {
	src := open(t, netcdf.Options{}, "testdata/large.h5")
	for _, name := range []string{"bytes_2_63", "chunks_2_63", "chunks_2_64"} {
		_, err := src.Array(t.Context(), name)
		if !errors.Is(err, errors.ErrUnsupported) || errors.Is(err, hdf5.ErrCorrupt) || !strings.Contains(err.Error(), "of elements of 8 bytes is too large") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	a, err := src.Array(t.Context(), "small")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sourcetest.ReadAll(t, a).Data, []byte{0, 0, 1, 0, 2, 0, 3, 0, 4, 0}; !bytes.Equal(got, want) {
		t.Errorf("small: %v", got)
	}
}
