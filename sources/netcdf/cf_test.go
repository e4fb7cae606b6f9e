package netcdf

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// withPacking is the file small with further attributes of two variables: field, of
// int16 with the _FillValue -1, and bytes, of int8.
func withPacking(records uint64, field, bytes []attribute) *classic {
	c := small(5, records)
	c.vars[3].attributes = append(c.vars[3].attributes, bytes...)
	c.vars[4].attributes = append(c.vars[4].attributes, field...)
	return c
}

// always returns one mode for all variables.
func always(mode cf.Mode) func(string) cf.Mode {
	return func(string) cf.Mode { return mode }
}

func openArray(t *testing.T, name string, opt Options, urls []string) (sources.Array, error) {
	t.Helper()
	src, err := openSource(t, opt, urls...)
	if err != nil {
		t.Fatal(err)
	}
	return src.Array(t.Context(), name)
}

// TestUnpackParts joins files that are packed in different ways. One is not packed at
// all, but has the physical type.
func TestUnpackParts(t *testing.T) {
	scales, offsets := []float32{0.5, 0.25, -3}, []float32{1, 0, 100}
	var files []*classic
	for i := range scales {
		files = append(files, withPacking(uint64(i+1), []attribute{
			{"scale_factor", 5, f32(scales[i]), nil, false}, {"add_offset", 5, f32(offsets[i]), nil, false}, {"valid_min", 3, []byte{0, byte(i)}, nil, false},
		}, nil))
	}
	urls := write(t, files...)
	src, err := openSource(t, Options{Combine: combine.Options{Concat: "t"}, CF: always(cf.Unpack)}, urls...)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.Run(t, src)
	a, err := src.Array(t.Context(), "field")
	if err != nil {
		t.Fatal(err)
	}
	info := a.Info()
	if info.Type != dtype.Float32 || len(info.Attributes) > 0 || string(dtype.Float32.FormatScalar(dtype.V3, info.Fill)) != `"NaN"` {
		t.Errorf("info %+v", info)
	}
	for _, note := range info.Notes {
		if strings.Contains(note, "is kept") {
			t.Errorf("a note on an attribute that is removed: %s", note)
		}
	}
	var want []float32
	for i, url := range urls {
		kept, err := openArray(t, "field", Options{}, []string{url})
		if err != nil {
			t.Fatal(err)
		}
		stored, _ := ndarray.As[int16](sourcetest.ReadAll(t, kept))
		for _, v := range stored {
			x := float32(float32(v)*scales[i]) + offsets[i]
			if v == -1 || int(v) < i {
				x = float32(math.NaN())
			}
			want = append(want, x)
		}
	}
	got, _ := ndarray.As[float32](sourcetest.ReadAll(t, a))
	equal := cmp.Comparer(func(x, y float32) bool { return x == y || x != x && y != y })
	if diff := cmp.Diff(want, got, equal); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

// TestPackedParts has differences between files that only one mode can overlook.
func TestPackedParts(t *testing.T) {
	half, quarter := attribute{"scale_factor", 6, f64(0.5), nil, false}, attribute{"scale_factor", 6, f64(0.25), nil, false}
	single := attribute{"scale_factor", 5, f32(0.5), nil, false}
	least := attribute{"valid_min", 3, []byte{0, 1}, nil, false}
	for name, test := range map[string]struct {
		first, second []attribute
		want          map[cf.Mode]string // text of the error by mode; "": accepted
	}{
		"scale": {[]attribute{half}, []attribute{quarter}, map[cf.Mode]string{
			cf.Keep: "scale_factor is 0.5 in ", cf.Codecs: "scale_factor is 0.5 in ", cf.Unpack: "",
		}},
		"type of the scale": {[]attribute{half}, []attribute{single}, map[cf.Mode]string{
			cf.Keep: "scale_factor is 0.5 of float64 in ", cf.Codecs: "scale_factor is 0.5 of float64 in ", cf.Unpack: "is float64 in ",
		}},
		"valid range": {[]attribute{half}, []attribute{half, least}, map[cf.Mode]string{
			cf.Keep: "valid_min is absent in ", cf.Codecs: "valid_min is absent in ", cf.Unpack: "",
		}},
		"one is not packed": {[]attribute{half}, nil, map[cf.Mode]string{
			cf.Keep: "scale_factor is 0.5 in ", cf.Codecs: "scale_factor is 0.5 in ", cf.Unpack: "is float64 in ",
		}},
		"not packed": {[]attribute{least}, nil, map[cf.Mode]string{
			cf.Keep: "valid_min is 1 in ", cf.Codecs: "valid_min is 1 in ", cf.Unpack: "valid_min is 1 in ",
		}},
		"not to be understood": {[]attribute{half, {"add_offset", 2, []byte("x"), nil, false}}, nil, map[cf.Mode]string{
			cf.Keep: "scale_factor is 0.5 in ", cf.Codecs: `0.nc: array "field": the attribute add_offset is "x"`, cf.Unpack: `0.nc: array "field": the attribute add_offset is "x"`,
		}},
	} {
		for mode, want := range test.want {
			t.Run(fmt.Sprintf("%s, %s", name, mode), func(t *testing.T) {
				urls := write(t, withPacking(2, test.first, nil), withPacking(3, test.second, nil))
				_, err := openArray(t, "field", Options{Combine: combine.Options{Concat: "t"}, CF: always(mode)}, urls)
				switch {
				case want == "" && err != nil:
					t.Error(err)
				case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "0.nc")):
					t.Errorf("got %v, want an error with %q", err, want)
				}
			})
		}
	}
}

// TestUnpackFill refuses to join files of floats that agree only in their type, if one
// of them is not packed.
func TestUnpackFill(t *testing.T) {
	packed := withPacking(2, []attribute{{"scale_factor", 5, f32(0.5), nil, false}}, nil)
	plain := small(5, 2)
	plain.vars[4].kind, plain.vars[4].attributes = 5, []attribute{{"_FillValue", 5, f32(-999), nil, false}}
	_, err := openArray(t, "field", Options{Combine: combine.Options{Concat: "t"}, CF: always(cf.Unpack)}, write(t, packed, plain))
	if err == nil || !strings.Contains(err.Error(), "_FillValue is absent in ") {
		t.Errorf("got %v", err)
	}
}

// TestCodecsMode has an array whose bits stay, while _Unsigned changes its type.
func TestCodecsMode(t *testing.T) {
	urls := write(t, withPacking(4, nil, []attribute{{"scale_factor", 5, f32(0.5), nil, false}, {"_Unsigned", 2, []byte("true"), nil, false}}))
	kept, err := openArray(t, "bytes", Options{CF: always(cf.Keep)}, urls)
	if err != nil {
		t.Fatal(err)
	}
	a, err := openArray(t, "bytes", Options{CF: always(cf.Codecs)}, urls)
	if err != nil {
		t.Fatal(err)
	}
	info := a.Info()
	if info.Type != dtype.Uint8 || info.Packing == nil || kept.Info().Packing != nil {
		t.Fatalf("info %+v", info)
	}
	if want, got := sourcetest.ReadAll(t, kept).Data, sourcetest.ReadAll(t, a).Data; !slices.Equal(want, got) {
		t.Errorf("bytes %v, want %v", got, want)
	}
	if o, err := info.Packing.AsCodecs(); err != nil || o.Type != dtype.Float32 || len(o.Attributes) != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestModePerVariable unpacks one variable of two.
func TestModePerVariable(t *testing.T) {
	scale := []attribute{{"scale_factor", 6, f64(0.5), nil, false}}
	urls := write(t, withPacking(2, scale, scale))
	opt := Options{CF: func(name string) cf.Mode {
		if name == "field" {
			return cf.Unpack
		}
		return ""
	}}
	for name, want := range map[string]dtype.Type{"field": dtype.Float64, "bytes": dtype.Int8, "x": dtype.Float64} {
		a, err := openArray(t, name, opt, urls)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Info().Type; got != want {
			t.Errorf("%s is %s, want %s", name, got.Name(), want.Name())
		}
	}
	a, err := openArray(t, "field", opt, urls)
	if err != nil {
		t.Fatal(err)
	}
	// A view with gaps, like that of a chunk at the edge.
	wide := ndarray.New(dtype.Float64, []int{2, 3, 9})
	view := wide.Sub(ndarray.Region{Start: []int{0, 0, 2}, Shape: []int{2, 3, 5}})
	if err := a.ReadRegion(t.Context(), view, []int{0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	got := ndarray.New(dtype.Float64, []int{2, 3, 5})
	ndarray.Copy(got, view)
	if want := sourcetest.ReadAll(t, a); !slices.Equal(want.Data, got.Data) {
		t.Error("a view with gaps got other values")
	}
	for row := range 6 {
		for column := range 9 {
			bits := binary.NativeEndian.Uint64(wide.Data[8*(9*row+column):])
			if outside := column < 2 || column >= 7; outside && bits != 0 {
				t.Fatalf("row %d, column %d outside of the view was written", row, column)
			}
		}
	}
}
