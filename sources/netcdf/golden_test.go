package netcdf_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/zarr"
)

// coads is a real file, 5 MB, with a record dimension.
const coads = "../../examples/data/coads_climatology.cdf"

// more is a folder of further files, real and small ones, "" if it is not present.
var more = os.Getenv("ZMIGRATE_GOLDEN")

// golden is what libnetcdf reads from a file; see testdata/README.md.
type golden struct {
	Attributes map[string]json.RawMessage
	Groups     map[string]golden
	Variables  map[string]struct {
		Dimensions []string
		Shape      []int
		Attributes map[string]json.RawMessage
		DType      string
		SHA256     string
		Error      string // part of the error with which the file is refused
	}
}

// leavesOut reports whether netCDF does not read all variables of the file.
func (g golden) leavesOut() bool {
	for _, v := range g.Variables {
		if v.Attributes == nil {
			return true
		}
	}
	for _, child := range g.Groups {
		if child.leavesOut() {
			return true
		}
	}
	return false
}

func readGolden(t *testing.T, path string) map[string]golden {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Files map[string]golden }
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document.Files
}

func open(t *testing.T, opt netcdf.Options, urls ...string) sources.Source {
	t.Helper()
	src, err := netcdf.OpenAll(t.Context(), urls, opt)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseLater(t, src)
	return src
}

func TestGolden(t *testing.T) {
	for name, want := range readGolden(t, "testdata/expected.json") {
		path := filepath.Join("testdata", name)
		if name == filepath.Base(coads) {
			path = coads
		}
		t.Run(name, func(t *testing.T) { checkGolden(t, path, want) })
	}
}

// TestGoldenNetCDF4 compares the files in a zip; see testdata/README.md.
func TestGoldenNetCDF4(t *testing.T) {
	folder := sourcetest.Unzip(t, "testdata/netcdf4.zip")
	for name, want := range readGolden(t, filepath.Join(folder, "expected.json")) {
		t.Run(name, func(t *testing.T) {
			checkGolden(t, filepath.Join(folder, name), want)
			sourcetest.Run(t, open(t, netcdf.Options{}, filepath.Join(folder, name)))
		})
	}
}

func TestGoldenMore(t *testing.T) {
	for _, folder := range []string{"netcdf", "netcdf_features"} {
		folder = filepath.Join(more, folder)
		if _, err := os.Stat(folder); err != nil {
			t.Skipf("set ZMIGRATE_GOLDEN to the folder of all goldens: %v", err)
		}
		for name, want := range readGolden(t, filepath.Join(folder, "expected.json")) {
			t.Run(name, func(t *testing.T) { checkGolden(t, filepath.Join(folder, name), want) })
		}
	}
}

func checkGolden(t *testing.T, file string, want golden) {
	src := open(t, netcdf.Options{}, file)
	arrays := 0
	checkGroup(t, src, "", want, &arrays, want.leavesOut())
	if got := len(src.Arrays()); got != arrays {
		t.Errorf("%d arrays, want %d", got, arrays)
	}
}

// checkGroup compares a group and everything below it, and counts the arrays. With
// loose, the numbers in names of made-up dimensions do not matter, because netCDF
// leaves variables out.
func checkGroup(t *testing.T, src sources.Source, at string, want golden, arrays *int, loose bool) {
	i := slices.IndexFunc(src.Groups(), func(g sources.Group) bool { return g.Path == at })
	if i < 0 {
		t.Errorf("no group %q", at)
		return
	}
	if want.Attributes != nil {
		checkAttributes(t, at, src.Groups()[i].Attributes, want.Attributes, nil)
	}
	for name, v := range want.Variables {
		*arrays++
		name = path.Join(at, name)
		a, err := src.Array(t.Context(), name)
		if err != nil {
			if v.Error == "" || !strings.Contains(err.Error(), v.Error) {
				t.Error(err)
			}
			continue
		}
		info := a.Info()
		if v.DType == "char" {
			v.DType = "uint8"
			if strings.HasSuffix(slices.Collect(src.Files())[0].URL, "plain.h5") { // not a file of NetCDF
				v.DType = "null_terminated_bytes"
			}
		}
		if info.Type.Name() != v.DType {
			t.Errorf("%s has type %s, want %s", name, info.Type.Name(), v.DType)
		}
		for k, name := range info.DimensionNames {
			switch phony := func(s string) bool { return strings.HasPrefix(s, "phony_dim_") }; {
			case v.Attributes == nil: // netCDF leaves it out
				v.Dimensions = info.DimensionNames
			case loose && phony(name) && phony(v.Dimensions[k]):
				v.Dimensions[k] = name
			}
		}
		if !slices.Equal(info.Shape, v.Shape) || !slices.Equal(info.DimensionNames, v.Dimensions) {
			t.Errorf("%s has shape %v and dimensions %q, want %v and %q", name, info.Shape, info.DimensionNames, v.Shape, v.Dimensions)
			continue
		}
		if v.Attributes != nil {
			checkAttributes(t, name, info.Attributes, v.Attributes, info)
		}
		sum := sha256.Sum256(little(t, sourcetest.ReadAll(t, a)))
		if got := hex.EncodeToString(sum[:]); got != v.SHA256 {
			t.Errorf("%s: the values differ", name)
		}
	}
	for name, child := range want.Groups {
		checkGroup(t, src, path.Join(at, name), child, arrays, loose)
	}
}

// little returns the values in little-endian order, or strings as a list in JSON.
func little(t *testing.T, a ndarray.Array) []byte {
	t.Helper()
	if a.Heap != nil {
		list := []string{}
		for item := range a.Items() {
			list = append(list, string(item))
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(list); err != nil {
			t.Fatal(err)
		}
		return bytes.ReplaceAll(bytes.TrimSpace(b.Bytes()), []byte(`","`), []byte(`", "`))
	}
	if o, ok := a.Type.(dtype.Ordered); ok && dtype.Native == dtype.Big {
		ndarray.Swap(a, o)
	}
	return a.Data
}

// checkAttributes compares attributes by their values: numbers are equal if JSON reads
// both as the same float64.
func checkAttributes(t *testing.T, name string, got zarr.Attributes, want map[string]json.RawMessage, info *sources.Info) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%q has %d attributes, want %d", name, len(got), len(want))
	}
	for _, a := range got {
		var have, wanted any
		if err := json.Unmarshal(a.Value, &have); err != nil {
			t.Errorf("%s.%s: %v", name, a.Name, err)
			continue
		}
		var array struct{ Values []any }
		switch {
		case json.Unmarshal(want[a.Name], &array) == nil && len(array.Values) == 1:
			wanted = plain(array.Values[0])
		case array.Values != nil:
			list := []any{}
			for _, v := range array.Values {
				list = append(list, plain(v))
			}
			wanted = list
		default:
			if err := json.Unmarshal(want[a.Name], &wanted); err != nil {
				t.Errorf("%s.%s is not expected", name, a.Name)
				continue
			}
		}
		if a.Name == "_FillValue" {
			checkFill(t, name, info, wanted)
			continue
		}
		if diff := cmp.Diff(wanted, have); diff != "" {
			t.Errorf("%s.%s (-want +got):\n%s", name, a.Name, diff)
		}
	}
}

// plain spells a value that JSON lacks as the sources spell it.
func plain(v any) any {
	names := map[any]string{"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
	if s, ok := v.(string); ok && names[s] != "" {
		return names[s]
	}
	return v
}

func checkFill(t *testing.T, name string, info *sources.Info, want any) {
	t.Helper()
	var got any
	if err := json.Unmarshal(info.Type.FormatScalar(dtype.V3, info.Fill), &got); err != nil {
		t.Errorf("%s: fill value: %v", name, err)
	}
	if diff := cmp.Diff(want, got); diff != "" || info.FillFrom != "_FillValue" {
		t.Errorf("%s: fill value from %q (-want +got):\n%s", name, info.FillFrom, diff)
	}
}

func TestConformance(t *testing.T) {
	files, err := filepath.Glob("testdata/*.nc")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range append(files, coads) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			sourcetest.Run(t, open(t, netcdf.Options{}, path))
		})
	}
}

// TestCoads compares all that a user sees of one array.
func TestCoads(t *testing.T) {
	a, err := open(t, netcdf.Options{}, coads).Array(t.Context(), "SST")
	if err != nil {
		t.Fatal(err)
	}
	fill, err := dtype.Float32.ParseScalar(dtype.V3, json.RawMessage("-9.999999790214768e+33"))
	if err != nil {
		t.Fatal(err)
	}
	want := &sources.Info{
		Path: "SST", Type: dtype.Float32, Shape: []int{12, 90, 180}, DimensionNames: []string{"TIME", "COADSY", "COADSX"},
		Unlimited: []string{"TIME"},
		Attributes: zarr.Attributes{
			{Name: "missing_value", Value: json.RawMessage("-9.999999790214768e+33")},
			{Name: "_FillValue", Value: json.RawMessage(`"AAAA4JvQ/sY="`)},
			{Name: "long_name", Value: json.RawMessage(`"SEA SURFACE TEMPERATURE"`)},
			{Name: "history", Value: json.RawMessage(`"From coads_climatology"`)},
			{Name: "units", Value: json.RawMessage(`"Deg C"`)},
		},
		AttributeTypes: map[string]dtype.Type{"missing_value": dtype.Float32, "_FillValue": dtype.Float32},
		Fill:           fill, FillFrom: "_FillValue", LongRun: 256 << 10,
		Notes: []string{"the attribute _FillValue (-9.999999790214768e+33) is written in base64, the form that xarray reads"},
	}
	if diff := cmp.Diff(want, a.Info(), cmp.Comparer(dtype.Same)); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
	values, _ := ndarray.As[float32](sourcetest.ReadAll(t, a))
	if low := slices.Min(values); math.Abs(float64(low)+1e34) > 1e28 {
		t.Errorf("the least value is %v, want the fill value", low)
	}
}

// TestGoldenHDF5 compares files that h5py wrote with the earliest and the latest
// formats of the library.
func TestGoldenHDF5(t *testing.T) {
	folder := filepath.Join(more, "netcdf_features")
	text, err := os.ReadFile(filepath.Join(folder, "expected_h5.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("set ZMIGRATE_GOLDEN to the folder of all goldens: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	type dataset struct {
		Shape, Chunks []int
		SHA256        string
	}
	var want struct{ Files map[string]map[string]dataset }
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for name, datasets := range want.Files {
		src := open(t, netcdf.Options{}, filepath.Join(folder, name))
		for at, want := range datasets {
			a, err := src.Array(t.Context(), at)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			info := a.Info()
			got := dataset{info.Shape, info.Chunks, ""}
			sum := sha256.Sum256(little(t, sourcetest.ReadAll(t, a)))
			got.SHA256 = hex.EncodeToString(sum[:])
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, at, diff)
			}
		}
	}
}
