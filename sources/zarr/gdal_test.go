package zarr_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// hashes returns the elements of an image of testdata/make_gdal.py. Narrow types have the
// lowest bits of them.
func hashes[T uint8 | uint16 | float32](n int) []T {
	values := make([]T, n)
	for i := range values {
		values[i] = T(uint32(i) * 2654435761 & math.MaxUint32 >> 16)
	}
	return values
}

// TestGDAL reads hierarchies that GDAL wrote. Its Blosc makes buffers that are longer than
// those of other programs, its documents say some things in words of its own, and in Zarr
// v3 its fill value may be null.
func TestGDAL(t *testing.T) {
	folder := sourcetest.Unzip(t, "testdata/gdal.zip")
	for name, chain := range map[string]string{
		"v2_blosc":      `[{"name":"bytes"},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":1,"blocksize":0}}]`,
		"v2_bits":       `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"bitshuffle","typesize":2,"blocksize":0}}]`,
		"v2_unshuffled": `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"noshuffle","typesize":2,"blocksize":0}}]`,
		"v2_number":     `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"bitshuffle","typesize":2,"blocksize":0}}]`,
		"v2_lzma":       `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.lzma","configuration":{"format":1,"check":-1,"preset":6,"filters":null}}]`,
		"v2_zstd":       `[{"name":"bytes"},{"name":"zstd","configuration":{"level":13}}]`,
		"v2_checksum":   `[{"name":"bytes"},{"name":"zstd","configuration":{"level":13,"checksum":true}}]`,
		"v3_blosc":      `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"bitshuffle","typesize":4,"blocksize":0}}]`,
		"v3_null":       `[{"name":"bytes"}]`,
	} {
		src := open(t, filepath.Join(folder, name+".zarr"), zarr.Options{})
		a, err := src.Array(t.Context(), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if codecs, err := json.Marshal(a.Info().Codecs); err != nil || string(codecs) != chain {
			t.Errorf("%s: codecs %s %v, want %s", name, codecs, err, chain)
		}
		got := sourcetest.ReadAll(t, a)
		if !slices.Equal(got.Shape, []int{2, 12, 23}) {
			t.Errorf("%s: shape %v", name, got.Shape)
		}
		var diff string
		switch got.Type.Size() {
		case 1:
			values, _ := ndarray.As[uint8](got)
			diff = cmp.Diff(hashes[uint8](len(values)), values)
		case 2:
			values, _ := ndarray.As[uint16](got)
			diff = cmp.Diff(hashes[uint16](len(values)), values)
		default:
			values, _ := ndarray.As[float32](got)
			diff = cmp.Diff(hashes[float32](len(values)), values)
		}
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if undefined := name == "v3_null"; undefined != (a.Info().Fill == nil) && name[:2] == "v3" || undefined && len(a.Info().Notes) != 1 {
			t.Errorf("%s: fill value %x, notes %q", name, a.Info().Fill, a.Info().Notes)
		}
		_, nodes := open(t, filepath.Join(folder, name+".zarr"), zarr.Options{}).(sources.Outlined).Outline(t.Context())
		at := slices.IndexFunc(nodes, func(n sources.Node) bool { return n.Path == name })
		if fill := string(nodes[at].FillValue); name == "v3_null" && fill != "" || nodes[at].Problem != "" {
			t.Errorf("%s: inspect shows the fill value %s and the problem %q", name, fill, nodes[at].Problem)
		}
		sourcetest.Run(t, src)
	}
}
