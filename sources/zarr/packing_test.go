package zarr_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestFixedScaleOffset reads the stored integers of arrays that numcodecs packed. The
// codecs that replace fixedscaleoffset decode them to the same values as numcodecs
// does.
func TestFixedScaleOffset(t *testing.T) {
	asCodecs := func(string) cf.Mode { return cf.Codecs }
	src := open(t, filepath.Join(unpack(t), "zarr-python", "v2.zarr"), zarr.Options{CF: asCodecs})
	plain := open(t, filepath.Join(unpack(t), "zarr-python", "v2.zarr"), zarr.Options{})
	for path, stored := range map[string]dtype.Type{"filter/fixedscaleoffset": dtype.Int16, "filter/fso_delta": dtype.Int32} {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		own, err := plain.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		info := a.Info()
		if info.Type != stored || info.Packing == nil {
			t.Fatalf("%s: %s, packing %v", path, info.Type.Name(), info.Packing)
		}
		if names := fmt.Sprint(info.Codecs); strings.Contains(names, "fixedscaleoffset") {
			t.Errorf("%s: codecs of the stored elements: %s", path, names)
		}
		outcome, err := info.Packing.AsCodecs()
		if err != nil {
			t.Fatal(err)
		}
		if outcome.Type != dtype.Float64 || len(outcome.Findings) != 0 || !bytes.Equal(outcome.Fill, own.Info().Fill) {
			t.Errorf("%s: %+v", path, outcome)
		}
		specs := append(slices.Clone(outcome.Codecs), codecs.Spec{Name: "bytes"})
		chain, err := standard.Registry(dtype.Standard()).Bind(specs, codecs.Chunk{Type: outcome.Type, Shape: info.Shape, Fill: outcome.Fill})
		if err != nil {
			t.Fatal(err)
		}
		if got := chain.Stage(len(outcome.Codecs)); got.Type != stored || !bytes.Equal(got.Fill, outcome.StoredFill) {
			t.Errorf("%s: the codecs store %s %x, want %x", path, got.Type.Name(), got.Fill, outcome.StoredFill)
		}
		var pool ndarray.Pool
		got, want := ndarray.New(outcome.Type, info.Shape), sourcetest.ReadAll(t, own)
		if err := chain.Decode(&pool, got, sourcetest.ReadAll(t, a).Data); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Data, want.Data) {
			t.Errorf("%s: other values than numcodecs'", path)
		}
	}
}

// TestFixedScaleOffsetOfOtherTypes: other codecs replace fixedscaleoffset only for
// floats that are stored as integers.
func TestFixedScaleOffsetOfOtherTypes(t *testing.T) {
	for types, want := range map[[2]string]bool{
		{"<f8", "|u1"}: true, {"<f4", "<i2"}: true, {"<f8", "<f4"}: false, {"<i4", "|u1"}: false, {"<i4", "<f8"}: false,
	} {
		p := newPlace(t, map[string]string{".zarray": v2(t, map[string]any{"dtype": types[0], "fill_value": 10, "filters": []any{map[string]any{
			"id": "fixedscaleoffset", "scale": 1, "offset": 10, "dtype": types[0], "astype": types[1]}}})})
		opt := p.options()
		opt.CF = func(string) cf.Mode { return cf.Codecs }
		a, err := open(t, url, opt).Array(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		outcome, err := a.Info().Packing.AsCodecs()
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "choose cf: keep") {
			t.Errorf("%v: error %v", types, err)
		}
		// Codecs of v3 compute in the type of the array, numcodecs in float64.
		if want && (len(outcome.Findings) == 1) != (types[0] == "<f4") {
			t.Errorf("%v: findings %v", types, outcome.Findings)
		}
	}
}

// TestPackedArrays: attributes of packing count in v2 and v3. In v2 the fill value
// means missing data, as it does for xarray.
func TestPackedArrays(t *testing.T) {
	const attributes = `{"scale_factor":0.5,"add_offset":10.0,"units":"K"}`
	documents := map[string]string{
		"v2/.zarray": `{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"<i2","compressor":null,"filters":null,"fill_value":-1,"order":"C"}`,
		"v2/.zattrs": attributes,
		"v2/0":       "\x00\x00\x01\x00\xff\xff\x03\x00",
		"v3/zarr.json": `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int16","fill_value":0,
			"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},"chunk_key_encoding":{"name":"default"},
			"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],
			"attributes":{"scale_factor":0.5,"add_offset":10.0,"units":"K","_FillValue":-1}}`,
		"v3/c/0": "\x00\x00\x01\x00\xff\xff\x03\x00",
	}
	dir := t.TempDir()
	for name, text := range documents {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, mode := range []cf.Mode{cf.Unpack, cf.Codecs, cf.Keep} {
		src := open(t, dir, zarr.Options{CF: func(string) cf.Mode { return mode }})
		for _, path := range src.Arrays() {
			a, err := src.Array(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			data := sourcetest.ReadAll(t, a)
			var got string
			for item := range slices.Chunk(data.Data, data.Type.Size()) {
				got += string(data.Type.FormatScalar(dtype.V3, item)) + " "
			}
			want, packing := "0 1 -1 3 ", mode == cf.Codecs
			if mode == cf.Unpack {
				want = `10.0 10.5 "NaN" 11.5 `
			}
			if got != want || (a.Info().Packing != nil) != packing {
				t.Errorf("%s, %s: %s, want %s; packing %v", path, mode, got, want, a.Info().Packing)
			}
			if packing {
				o, err := a.Info().Packing.AsCodecs()
				if err != nil {
					t.Fatal(err)
				}
				if stored := string(dtype.Int16.FormatScalar(dtype.V3, o.StoredFill)); stored != "-1" || len(o.Attributes) != 1 {
					t.Errorf("%s: the stored fill value is %s, attributes %v", path, stored, o.Attributes)
				}
			}
		}
	}
}
