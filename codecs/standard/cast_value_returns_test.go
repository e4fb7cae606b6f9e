package standard_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestCastValueReturns casts between all pairs of types, an element at a time. A chain
// encodes an element if the codec does, and if the result can be decoded.
func TestCastValueReturns(t *testing.T) {
	registry, pool := standard.Registry(dtype.Standard()), &ndarray.Pool{}
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for _, from := range castModels() {
		for _, to := range castModels() {
			if !from.float() && !to.float() {
				continue // integers of one type are integers of the other, or clamped or wrapped in both directions
			}
			list := from.elements(r, to)
			for _, rule := range []string{"", `,"out_of_range":"clamp"`, `,"out_of_range":"wrap"`} {
				configuration := fmt.Sprintf(`{"data_type":%q%s}`, to.typ.Name(), rule)
				if to.float() && strings.Contains(rule, "wrap") {
					continue
				}
				in := codecs.Chunk{Type: from.typ, Shape: []int{1}}
				alone := bindArray(t, spec("cast_value", configuration), in)
				chain, err := registry.Bind([]codecs.Spec{spec("cast_value", configuration), {Name: "bytes"}}, in)
				if err != nil {
					t.Fatal(err)
				}
				for _, element := range list {
					src, dst := ndarray.New(from.typ, []int{1}), ndarray.New(to.typ, []int{1})
					copy(src.Data, element)
					err := alone.Encode(dst, src)
					if err == nil {
						err = alone.Decode(ndarray.New(from.typ, []int{1}), dst)
						if err != nil {
							refused++
						}
					}
					object, got := chain.AppendEncode(pool, nil, src)
					if (got == nil) != (err == nil) {
						t.Fatalf("%s, %s: %x: the chain says %v, want %v", from.typ.Name(), configuration, element, got, err)
					}
					if got == nil {
						if err := chain.Decode(pool, ndarray.New(from.typ, []int{1}), object); err != nil {
							t.Fatalf("%s, %s: %x: %v", from.typ.Name(), configuration, element, err)
						}
					}
				}
			}
		}
	}
	if refused < 100 {
		t.Errorf("%d elements cannot be decoded: too few to learn from", refused)
	}
}

func TestCastValueReturnsErrors(t *testing.T) {
	for _, c := range []struct {
		configuration string
		in            ndarray.Array
		want          string
	}{
		{`{"data_type":"float32"}`, arrayOf[int32](t, dtype.Int32, 1, 1<<31-1), `element [1], 2147483647: stored as 2147483648.0, which cannot be decoded: out of range of int32, -2147483648 to 2147483647: set out_of_range to "clamp", or map it in scalar_map.encode`},
		{`{"data_type":"float16","out_of_range":"clamp"}`, arrayOf[int32](t, dtype.Int32, 1, -100000), `element [1], -100000: stored as "-Infinity", which cannot be decoded: out of range of int32, which has no such value: map it in scalar_map.encode`},
		{`{"data_type":"int8","scalar_map":{"encode":[[7,-1]]}}`, arrayOf[uint8](t, dtype.Uint8, 1, 7), `element [1], 7: stored as -1, which cannot be decoded: out of range of uint8, 0 to 255: set out_of_range to "clamp" or "wrap", or map it in scalar_map.encode`},
	} {
		chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("cast_value", c.configuration), {Name: "bytes"}}, codecs.Chunk{Type: c.in.Type, Shape: c.in.Shape})
		if err != nil {
			t.Fatal(err)
		}
		_, err = chain.AppendEncode(&ndarray.Pool{}, nil, c.in)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, dtype.ErrOutOfRange) || errors.Is(err, codecs.ErrCorrupt) {
			t.Errorf("%s: %v, want %s", c.configuration, err, c.want)
		}
	}
}
