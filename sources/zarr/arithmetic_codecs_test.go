package zarr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// arithmetic are codecs that store 12.0 as 4.
const arithmetic = `{"name":"scale_offset","configuration":{"offset":10,"scale":2}},{"name":"cast_value","configuration":{"data_type":"uint8"}}`

func names(specs []codecs.Spec) (list []string) {
	for _, s := range specs {
		list = append(list, s.Name)
	}
	return list
}

// TestKeptArithmetic: if the target keeps the codecs of an array, the source reads the
// elements that the arithmetic codecs store, and reports these codecs separately.
func TestKeptArithmetic(t *testing.T) {
	const plain, sharded = `[` + arithmetic + `,"bytes"]`,
		`[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[` + arithmetic + `,"bytes"],"index_codecs":["bytes"]}}]`
	index := "\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\xff", 16)
	for name, test := range map[string]struct {
		codecs, chunk, fill, attributes string
		mode                            cf.Mode
		kept                            bool
		want                            string // codecs behind the arithmetic codecs; "": the array stays unchanged
	}{
		"chunks":            {plain, "\x01\x02\x03\x04", "12", "", cf.Keep, true, "[bytes]"},
		"shards":            {sharded, "\x01\x02" + index, "12", "", cf.Keep, true, `[sharding_indexed]`},
		"not wanted":        {plain, "\x01\x02\x03\x04", "12", "", cf.Keep, false, ""},
		"no arithmetic":     {`["bytes"]`, strings.Repeat("\x00", 32), "12", "", cf.Keep, true, ""},
		"packed":            {plain, "\x01\x02\x03\x04", "12", `"scale_factor":2.0`, cf.Keep, true, "[bytes]"},
		"packed, as codecs": {plain, "\x01\x02\x03\x04", "12", `"scale_factor":2.0`, cf.Codecs, true, ""},
		"offset, unpacked":  {plain, "\x01\x02\x03\x04", "12", `"add_offset":2.0`, cf.Unpack, true, ""},
		"codecs, unpacked":  {plain, "\x01\x02\x03\x04", "12", "", cf.Codecs, true, "[bytes]"},
	} {
		t.Run(name, func(t *testing.T) {
			document := fmt.Sprintf(`{"zarr_format":3,"node_type":"array","shape":[8],"data_type":"float64","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},
				"chunk_key_encoding":{"name":"default"},"fill_value":%s,"codecs":%s,"attributes":{%s}}`, test.fill, test.codecs, test.attributes)
			p := newPlace(t, map[string]string{"a/zarr.json": document, "a/c/0": test.chunk})
			opt := p.options()
			opt.CF = func(string) cf.Mode { return test.mode }
			opt.Kept = func(path string, t dtype.Type) bool { return test.kept && path == "a" && t == dtype.Float64 }
			a, err := open(t, url, opt).Array(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			info := a.Info()
			if test.want == "" {
				if info.Type == dtype.Uint8 {
					t.Errorf("what the arithmetic stores is read")
				}
				return
			}
			if info.Type != dtype.Uint8 || fmt.Sprint(names(info.Codecs)) != test.want || string(info.Fill) != "\x04" || info.Packing == nil {
				t.Fatalf("%s, fill value %x, codecs %v, packing %v", info.Type.Name(), info.Fill, names(info.Codecs), info.Packing)
			}
			if configuration := string(info.Codecs[0].Configuration); strings.Contains(configuration, "scale_offset") {
				t.Errorf("the arithmetic is in the shards still: %s", configuration)
			}
			outcome, err := info.Packing.AsCodecs()
			if err != nil || outcome.Type != dtype.Float64 || string(outcome.StoredFill) != "\x04" || fmt.Sprint(names(outcome.Codecs)) != "[scale_offset cast_value]" || len(outcome.Notes) == 0 {
				t.Errorf("%+v, error %v", outcome, err)
			}
			if fill, _ := ndarray.As[float64](ndarray.Array{Type: dtype.Float64, Shape: []int{1}, Strides: []int{8}, Data: outcome.Fill}); len(fill) != 1 || fill[0] != 12 {
				t.Errorf("the fill value of readers is %v", fill)
			}
			want := "\x01\x02\x03\x04\x04\x04\x04\x04"
			if name == "shards" {
				want = "\x01\x02\x04\x04\x04\x04\x04\x04"
			}
			if got := string(sourcetest.ReadAll(t, a).Data); got != want {
				t.Errorf("elements %q, want %q", got, want)
			}
		})
	}
}
