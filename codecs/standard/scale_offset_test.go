package standard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/codectest"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// realTypes are the data types of scale_offset and cast_value.
func realTypes() []dtype.Type {
	return slices.Concat(integers(), floats(), []dtype.Type{
		dtype.Int2, dtype.Int4, dtype.Uint2, dtype.Uint4, dtype.BFloat16,
		dtype.Float8E3M4, dtype.Float8E4M3, dtype.Float8E4M3B11FNUZ, dtype.Float8E4M3FNUZ, dtype.Float8E5M2, dtype.Float8E5M2FNUZ,
		dtype.Float8E8M0FNU, dtype.Float6E2M3FN, dtype.Float6E3M2FN, dtype.Float4E2M1FN,
	})
}

func scaleOffsetCases(t *testing.T) []codectest.Case {
	t.Helper()
	refused := []codectest.Refused{
		{Configuration: `{"Offset":1}`, Field: "Offset"},
		{Configuration: `{"offset":null}`, Field: "offset"},
		{Configuration: `{"offset":true}`, Field: "offset"},
		{Configuration: `{"offset":"5"}`, Field: "offset"},
		{Configuration: `{"offset":1.5}`, Field: "offset"},
		{Configuration: `{"offset":5.0}`, Field: "offset"},
		{Configuration: `{"offset":3000000000}`, Field: "offset"},
		{Configuration: `{"scale":0}`, Field: "scale"},
		{Configuration: `{"scale":[1]}`, Field: "scale"},
		{Configuration: `{"scale":0}`, Chunk: of(dtype.Uint2, 3), Field: "scale"},
		{Configuration: `{"scale":4}`, Chunk: of(dtype.Uint2, 3), Field: "scale"},
		{Configuration: `{"offset":-1}`, Chunk: of(dtype.Uint64, 3), Field: "offset"},
		{Configuration: `{"offset":0}`, Chunk: of(dtype.Float8E8M0FNU, 3), Field: "offset"},
		{Configuration: `{"offset":"Infinity"}`, Chunk: of(dtype.Float8E4M3FNUZ, 3), Field: "offset"},
	}
	for _, scale := range []string{`0`, `-0.0`, `1e-60`, `"NaN"`, `"-Infinity"`, `"0x7fc00000"`, `"0x80000000"`, `"1"`, `1e39`} {
		refused = append(refused, codectest.Refused{Configuration: `{"scale":` + scale + `}`, Chunk: of(dtype.Float32, 3), Field: "scale"})
	}
	for _, typ := range slices.Concat(bools(), times(t), []dtype.Type{dtype.Complex64, dtype.ComplexBFloat16, dtype.FixedUTF32(2), dtype.RawBits(2), dtype.StringType}) {
		refused = append(refused, codectest.Refused{Configuration: `{}`, Chunk: of(typ, 3)})
	}
	return []codectest.Case{
		{Spec: spec("scale_offset", ``), Types: realTypes(), Refused: refused},
		{Spec: spec("scale_offset", `{"offset":0,"scale":1}`), Types: slices.Concat(integers(), floats())},
		{Spec: spec("scale_offset", `{"scale":-1}`), Types: []dtype.Type{dtype.Int4, dtype.Int16, dtype.Float8E5M2, dtype.BFloat16, dtype.Float64}, Shapes: withoutElements()},
		{Spec: spec("scale_offset", `{"offset":0.25,"scale":"0x3c00"}`), Types: []dtype.Type{dtype.Float16}, Shapes: withoutElements()},
	}
}

// TestScaleOffsetSpec checks the spec that is written to metadata.
func TestScaleOffsetSpec(t *testing.T) {
	for _, c := range []struct {
		typ           dtype.Type
		given, writes string
	}{
		{dtype.Float64, ``, ``},
		{dtype.Float64, `{}`, ``},
		{dtype.Float32, `{"offset":0.0,"scale":1}`, ``},
		{dtype.Float32, `{"offset":-0.0}`, `{"offset":-0.0}`},
		{dtype.Float32, `{"scale":0.1}`, `{"scale":0.1}`},
		{dtype.Float32, `{"scale": "0x3f800000", "offset": 5}`, `{"offset":5}`},
		{dtype.Int8, `{"scale":2,"offset":-0}`, `{"scale":2}`},
		{dtype.Int8, `{"scale":-1,"offset":7}`, `{"offset":7,"scale":-1}`},
		{dtype.Float8E8M0FNU, `{"scale":4}`, `{"scale":4}`},
	} {
		b := bindArray(t, spec("scale_offset", c.given), codecs.Chunk{Type: c.typ, Shape: []int{1}})
		if got := b.Spec(); got.Name != "scale_offset" || string(got.Configuration) != c.writes {
			t.Errorf("%s of %s is written as %s %s", c.given, c.typ.Name(), got.Name, got.Configuration)
		}
	}
}

func TestScaleOffsetFill(t *testing.T) {
	for _, c := range []struct {
		typ                         dtype.Type
		configuration, fill, stored string // stored is "" if the fill value is refused
	}{
		{dtype.Uint16, `{"offset":1000}`, `1000`, `0`},
		{dtype.Uint16, `{"offset":1000}`, `999`, ``},
		{dtype.Int8, `{"scale":2}`, `64`, ``},
		{dtype.Int8, `{"scale":2}`, `-64`, `-128`},
		{dtype.Float32, `{"offset":5,"scale":0.1}`, `"NaN"`, `"NaN"`},
		{dtype.Float32, `{"scale":-1}`, `"Infinity"`, `"-Infinity"`},
		{dtype.Float32, `{"scale":1e30}`, `16777216.0`, `1.677721625245459e+37`},
		{dtype.Float32, `{"scale":1e35}`, `16777216.0`, ``},
		{dtype.Float4E2M1FN, `{"scale":2}`, `3`, `6.0`},
		{dtype.Float4E2M1FN, `{"scale":2}`, `6`, ``},
		{dtype.Float8E8M0FNU, `{"offset":2}`, `2`, ``}, // the type has no zero
		{dtype.Float64, ``, `-0.0`, `-0.0`},
	} {
		fill, err := c.typ.ParseScalar(dtype.V3, json.RawMessage(c.fill))
		if err != nil {
			t.Fatal(err)
		}
		chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("scale_offset", c.configuration), {Name: "bytes"}}, codecs.Chunk{Type: c.typ, Shape: []int{2}, Fill: fill})
		name := fmt.Sprintf("%s%s, fill value %s", c.typ.Name(), c.configuration, c.fill)
		if c.stored == "" {
			if !errors.Is(err, dtype.ErrOutOfRange) || !strings.Contains(err.Error(), "fill value "+c.fill) || !strings.Contains(err.Error(), c.typ.Name()) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b := bindArray(t, chain.Specs()[0], chain.Chunk())
		if got := c.typ.FormatScalar(dtype.V3, b.Encoded().Fill); string(got) != c.stored {
			t.Errorf("%s: stored as %s, want %s", name, got, c.stored)
		}
	}
	b := bindArray(t, spec("scale_offset", `{"offset":1000}`), codecs.Chunk{Type: dtype.Uint16, Shape: []int{2}})
	if b.Encoded().Fill != nil {
		t.Error("no fill value was encoded as a value")
	}
}

// TestScaleOffsetErrors checks that errors name the element, the value and the reason.
func TestScaleOffsetErrors(t *testing.T) {
	for _, c := range []struct {
		typ                   dtype.Type
		configuration, values string
		encode                bool
		want                  string
	}{
		{dtype.Uint16, `{"offset":1000}`, `2000 5`, true, "element [1], 5: (5 − 1000) × 1 is out of range of uint16"},
		{dtype.Int64, `{"scale":3}`, `1 4611686018427387904`, true, "element [1], 4611686018427387904: (4611686018427387904 − 0) × 3 is out of range of int64"},
		{dtype.Int8, `{"offset":-100,"scale":-1}`, `0 1 27 28`, true, "element [3], 28: (28 − -100) × -1 is out of range of int8"},
		{dtype.Float32, `{"offset":-3e38}`, `0 3e38`, true, "element [1], 3.0000000054977558e+38: (3.0000000054977558e+38 − -3.0000000054977558e+38) × 1 is out of range of float32"},
		{dtype.Int16, `{"scale":-6}`, `12 -6 9`, false, "element [2], 9: ÷ -6 + 0: the division has a remainder"},
		{dtype.Int16, `{"offset":32767,"scale":2}`, `-2 0 2`, false, "element [2], 2: ÷ 2 + 32767 is out of range of int16"},
		{dtype.Float64, `{"scale":1e-300}`, `1e-300 1e300`, false, "element [1], 1e+300: ÷ 1e-300 + 0 is out of range of float64"},
	} {
		b := bindArray(t, spec("scale_offset", c.configuration), codecs.Chunk{Type: c.typ, Shape: []int{strings.Count(c.values, " ") + 1}})
		src := ndarray.New(c.typ, b.Encoded().Shape)
		for i, text := range strings.Fields(c.values) {
			value, err := c.typ.ParseScalar(dtype.V3, json.RawMessage(text))
			if err != nil {
				t.Fatal(err)
			}
			copy(src.Data[i*c.typ.Size():], value)
		}
		run, cause := b.Encode, dtype.ErrOutOfRange
		if !c.encode {
			run, cause = b.Decode, codecs.ErrCorrupt
		}
		err := run(ndarray.New(c.typ, src.Shape), src)
		if !errors.Is(err, cause) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s%s: %v, want %q", c.typ.Name(), c.configuration, err, c.want)
		}
	}
}
