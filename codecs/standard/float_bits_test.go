package standard_test

import (
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestFloatsAsIntegers decodes floats that numcodecs 0.17.1 has stored as integers with the same bits: its
// BitRound(3) hands them to PCodec and ZFPY as integers. zarr-python reads them as floats.
func TestFloatsAsIntegers(t *testing.T) {
	for _, test := range []struct {
		t                          dtype.Type
		codec, stream, elementBits string
	}{
		{dtype.Float16, `{"name":"numcodecs.pcodec"}`, "70636f2103000201040108030000001000000c82007b0000008180a200", "803c80c180420064"},
		{dtype.Float32, `{"name":"numcodecs.pcodec"}`, "70636f21030002010401030300000022000000000608100000f27703a2000000000000180000f00400", "0000903f000030c00000504000008044"},
		{dtype.Float64, `{"name":"numcodecs.pcodec"}`, "70636f2103000201040104030000004200000000000000c0000800000000000080fc2f0000000000000005600000000000000090c000630000", "000000000000f23f00000000000006c00000000000000a400000000000009040"},
		{dtype.Float32, `{"name":"numcodecs.zfpy","configuration":{"mode":4,"tolerance":-1}}`, "7a6670053000000000000088ab050020e88b240000000000", "0000903f000030c00000504000008044"},
		{dtype.Float64, `{"name":"numcodecs.zfpy","configuration":{"mode":4,"tolerance":-1}}`, "7a66700531000000000000884e0b000040847ad804000000", "000000000000f23f00000000000006c00000000000000a400000000000009040"},
	} {
		var specs []codecs.Spec
		if err := json.Unmarshal([]byte(`[{"name":"numcodecs.bitround","configuration":{"keepbits":3}},`+test.codec+`]`), &specs); err != nil {
			t.Fatal(err)
		}
		chain, err := standard.Registry(dtype.Standard()).Bind(specs, codecs.Chunk{Type: test.t, Shape: []int{4}, Fill: test.t.Default()})
		if err != nil {
			t.Fatal(err)
		}
		stream, err := hex.DecodeString(test.stream)
		if err != nil {
			t.Fatal(err)
		}
		for _, strides := range [][]int{{test.t.Size()}, {2 * test.t.Size()}} {
			wide := ndarray.New(test.t, []int{8})
			dst := ndarray.Array{Type: test.t, Shape: []int{4}, Strides: strides, Data: wide.Data}
			if err := chain.Decode(&ndarray.Pool{}, dst, stream); err != nil {
				t.Errorf("%s of %s: %v", test.codec, test.t.Name(), err)
				continue
			}
			got := ""
			for item := range dst.Items() {
				got += hex.EncodeToString(item)
			}
			if got != test.elementBits {
				t.Errorf("%s of %s: %s, want %s", test.codec, test.t.Name(), got, test.elementBits)
			}
		}
	}
}
