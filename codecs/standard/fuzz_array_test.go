package standard_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// fuzzArrayConfig checks a codec of arrays. A configuration is refused, or its spec
// parses to the same configuration. Elements are refused, or encoding what they decode
// to gives the same encoding. If exact is true, they decode to the same elements.
func fuzzArrayConfig(f *testing.F, name string, exact bool, types []dtype.Type, configurations ...string) {
	for _, text := range append(configurations, `{}`, `[]`, `null`) {
		for i := range types {
			f.Add([]byte(text), uint8(i), uint8(3), uint8(5), []byte("some elements of any type, \x00\x80\xff\x7f"))
		}
	}
	registry := standard.Registry(dtype.Standard())
	f.Fuzz(func(t *testing.T, text []byte, typ, rows, columns uint8, data []byte) {
		in := of(types[int(typ)%len(types)], int(rows%20), int(columns%20))
		chain, err := registry.Bind([]codecs.Spec{{Name: name, Configuration: text}, {Name: "bytes"}}, in)
		if err != nil {
			return
		}
		again, err := registry.Bind(chain.Specs(), in)
		if err != nil {
			t.Fatalf("%s: its own spec is refused: %v", text, err)
		}
		first, err := json.Marshal(chain.Specs())
		if err != nil {
			t.Fatal(err)
		}
		second, err := json.Marshal(again.Specs())
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s becomes %s (%v)", first, second, err)
		}
		var pool ndarray.Pool
		a, b := ndarray.New(in.Type, in.Shape), ndarray.New(in.Type, in.Shape)
		for i := range a.Data {
			if len(data) > 0 {
				a.Data[i] = data[i%len(data)]
			}
			if in.Type == dtype.BoolType {
				a.Data[i] &= 1
			}
		}
		ndarray.ClearUnused(a)
		stored, err := chain.AppendEncode(&pool, nil, a)
		if err != nil {
			if !errors.Is(err, dtype.ErrOutOfRange) {
				t.Fatal(err)
			}
			return
		}
		if err := chain.Decode(&pool, b, stored); err != nil {
			if exact || !errors.Is(err, codecs.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		if exact && !bytes.Equal(a.Data, b.Data) {
			t.Fatalf("%s loses elements", text)
		}
		if n := pool.Lent(); n != 0 {
			t.Fatalf("%d buffers were not released", n)
		}
	})
}

var (
	fuzzIntegers = []dtype.Type{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64}
	fuzzFloats   = []dtype.Type{dtype.Float16, dtype.Float32, dtype.Float64}
	fuzzNumbers  = append(append([]dtype.Type{dtype.BoolType, dtype.Complex64, dtype.Int4, dtype.BFloat16}, fuzzIntegers...), fuzzFloats...)
)

func FuzzBitroundConfig(f *testing.F) {
	fuzzArrayConfig(f, "bitround", false, fuzzNumbers, `{"keepbits":3}`, `{"keepbits":0}`, `{"keepbits":-1}`, `{"keepbits":99}`)
}

func FuzzNumcodecsBitroundConfig(f *testing.F) {
	fuzzArrayConfig(f, "numcodecs.bitround", false, fuzzNumbers, `{"keepbits":3}`, `{"keepbits":0}`, `{"keepbits":99}`)
}

func FuzzReshapeConfig(f *testing.F) {
	fuzzArrayConfig(f, "reshape", true, fuzzIntegers, `{"shape":[-1]}`, `{"shape":[[0,1]]}`, `{"shape":[[0],1,-1]}`, `{"shape":[5,3]}`,
		`{"shape":[[1],[0]]}`, `{"shape":[0]}`, `{"shape":[4611686018427387904,4]}`, `{"shape":[[1,1]]}`)
}

func FuzzZarrsSqueezeConfig(f *testing.F) {
	fuzzArrayConfig(f, "zarrs.squeeze", true, fuzzIntegers, `{"x":1}`)
}

func FuzzNumcodecsDeltaConfig(f *testing.F) {
	fuzzArrayConfig(f, "numcodecs.delta", true, fuzzIntegers, `{"dtype":"<i2"}`, `{"dtype":"<i4","astype":"|i1"}`, `{"astype":"<u8"}`, `{"astype":"<M8[s]"}`)
}

func FuzzNumcodecsAstypeConfig(f *testing.F) {
	fuzzArrayConfig(f, "numcodecs.astype", false, fuzzNumbers, `{"encode_dtype":"<i2"}`, `{"encode_dtype":"<f2"}`, `{"encode_dtype":"<c16"}`, `{"encode_dtype":"|b1"}`, `{"encode_dtype":"<u8"}`)
}

func FuzzNumcodecsFixedscaleoffsetConfig(f *testing.F) {
	fuzzArrayConfig(f, "numcodecs.fixedscaleoffset", false, fuzzNumbers, `{"offset":1,"scale":10}`, `{"offset":0.5,"scale":1e-3,"astype":"<u8"}`,
		`{"offset":1,"scale":0}`, `{"offset":1e400,"scale":1}`, `{"offset":-1e300,"scale":1e300,"astype":"<f4"}`)
}

func FuzzScaleOffsetConfig(f *testing.F) {
	fuzzArrayConfig(f, "scale_offset", false, realTypes(), `{"offset":1,"scale":3}`, `{"offset":-128,"scale":-1}`, `{"scale":0.1}`,
		`{"offset":1e300,"scale":"0x7e37e43c8800759c"}`, `{"scale":9223372036854775808}`, `{"offset":"NaN"}`, `{"scale":-0.0}`)
}

func FuzzNumcodecsQuantizeConfig(f *testing.F) {
	fuzzArrayConfig(f, "numcodecs.quantize", false, fuzzFloats, `{"digits":2}`, `{"digits":-3,"astype":"<f2"}`, `{"digits":307}`, `{"digits":9999999999}`)
}

// fuzzArrayDecode checks the decoder of an array → bytes codec. Decoding returns one of
// the two errors, or an array. Encoding and decoding that array again must give the
// same array.
func fuzzArrayDecode(f *testing.F, types []dtype.Type, specs []codecs.Spec, seeds ...[]byte) {
	for i := range types {
		for _, seed := range seeds {
			f.Add(seed, uint8(i), uint8(2), uint8(3))
		}
	}
	registry := standard.Registry(dtype.Standard())
	f.Fuzz(func(t *testing.T, data []byte, typ, rows, columns uint8) {
		in := of(types[int(typ)%len(types)], int(rows%20), int(columns%20))
		chain, err := registry.Bind(specs, in)
		if err != nil {
			t.Fatal(err)
		}
		var pool ndarray.Pool
		a, b := ndarray.New(in.Type, in.Shape), ndarray.New(in.Type, in.Shape)
		before := bytes.Clone(data)
		err = chain.Decode(&pool, a, data)
		if !bytes.Equal(before, data) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			if !errors.Is(err, codecs.ErrCorrupt) && !errors.Is(err, codecs.ErrTooLarge) {
				t.Fatal(err)
			}
			return
		}
		stored, err := chain.AppendEncode(&pool, nil, a)
		if err == nil {
			err = chain.Decode(&pool, b, stored)
		}
		if err != nil || len(stored) > chain.Size().Max || !bytes.Equal(a.Data, b.Data) {
			t.Fatalf("a second round differs: %v", err)
		}
	})
}

func FuzzPackbitsDecode(f *testing.F) {
	types := append([]dtype.Type{dtype.Uint2, dtype.Float6E2M3FN, dtype.ComplexFloat4E2M1FN, twelveBits{}}, fuzzNumbers...)
	fuzzArrayDecode(f, types, []codecs.Spec{spec("packbits", `{"padding_encoding":"first_byte"}`)},
		[]byte{2, 0xff}, []byte{4, 1, 2, 3}, []byte{0, 1, 2, 3, 4, 5, 6}, []byte{})
}

func FuzzNumcodecsPackbitsDecode(f *testing.F) {
	fuzzArrayDecode(f, []dtype.Type{dtype.BoolType}, []codecs.Spec{spec("numcodecs.packbits", ``), spec("bytes", ``)},
		[]byte{2, 0xfc}, []byte{2, 0xff}, []byte{0, 1}, []byte{})
}

func FuzzN5DefaultDecode(f *testing.F) {
	fuzzArrayDecode(f, []dtype.Type{dtype.Int8, dtype.Int16, dtype.Float64},
		[]codecs.Spec{spec("n5_default", `{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}},{"name":"gzip","configuration":{"level":1}}]}`)},
		[]byte{0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3}, []byte{0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, []byte{0, 1, 0, 2}, []byte{})
}

// FuzzZfpConfig checks that a configuration is refused, or that what it stores can be
// read.
func FuzzZfpConfig(f *testing.F) {
	types := append([]dtype.Type{dtype.Int2, dtype.Uint4, dtype.BFloat16}, append(fuzzIntegers, fuzzFloats...)...)
	configurations := []string{
		`{"mode":"reversible"}`, `{"mode":"fixed_accuracy","tolerance":0.01,"verify_bound":true}`, `{"mode":"fixed_rate","rate":3.7}`,
		`{"mode":"fixed_rate","rate":0.1}`, `{"mode":"fixed_precision","precision":11}`, `{"mode":"expert","minbits":9,"maxbits":70,"maxprec":20,"minexp":-20}`,
		`{"mode":"expert","minbits":0,"maxbits":4294967295,"maxprec":64,"minexp":-2000}`,
	}
	for _, text := range configurations {
		for i := range types {
			f.Add([]byte(text), uint8(i), uint8(3), uint8(5), []byte("some elements, \x00\x80\xff\x7f"), []byte("not a stream"))
		}
	}
	registry := standard.Registry(dtype.Standard())
	f.Fuzz(func(t *testing.T, text []byte, typ, rows, columns uint8, elements, damaged []byte) {
		in := of(types[int(typ)%len(types)], int(rows%20), int(columns%20))
		chain, err := registry.Bind([]codecs.Spec{{Name: "zfp", Configuration: text}}, in)
		if err != nil {
			return
		}
		if _, err := registry.Bind(chain.Specs(), in); err != nil {
			t.Fatalf("%s: its own spec is refused: %v", text, err)
		}
		var pool ndarray.Pool
		a := ndarray.New(in.Type, in.Shape)
		if err := chain.Decode(&pool, a, damaged); err != nil && !errors.Is(err, codecs.ErrCorrupt) {
			t.Fatal(err)
		}
		for i := range a.Data {
			if len(elements) > 0 {
				a.Data[i] = elements[i%len(elements)]
			}
		}
		ndarray.ClearUnused(a)
		stored, err := chain.AppendEncode(&pool, nil, a)
		if err == nil {
			err = chain.Decode(&pool, a, stored)
			if size := chain.Size(); len(stored) > size.Max || size.Fixed && len(stored) != size.Max {
				t.Fatalf("%s: %d bytes, promised %+v", text, len(stored), size)
			}
		}
		if err != nil && (stored != nil || !errors.Is(err, dtype.ErrOutOfRange)) && !bytes.Contains(text, []byte("verify_bound")) {
			t.Fatal(err)
		}
		if n := pool.Lent(); n != 0 {
			t.Fatalf("%d buffers were not released", n)
		}
	})
}

// FuzzNumcodecsZfpyDecode checks that a stream is refused, or that the lossless mode
// keeps its elements.
func FuzzNumcodecsZfpyDecode(f *testing.F) {
	in := of(dtype.Float32, 3, 5)
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("numcodecs.zfpy", `{}`)}, in)
	if err != nil {
		f.Fatal(err)
	}
	for _, configuration := range []string{`{}`, `{"tolerance":0.1}`, `{"mode":3,"precision":9}`, `{"mode":2,"rate":5}`} {
		var pool ndarray.Pool
		writer, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("numcodecs.zfpy", configuration)}, in)
		if err != nil {
			f.Fatal(err)
		}
		a := ndarray.New(in.Type, in.Shape)
		for i := range a.Data {
			a.Data[i] = byte(i*i) & 0x3f
		}
		stored, err := writer.AppendEncode(&pool, nil, a)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(stored)
		f.Add(stored[:len(stored)-9])
	}
	f.Fuzz(func(t *testing.T, data []byte) { decodeAgain(t, chain, data) })
}
