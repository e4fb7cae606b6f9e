package dtype_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

// int24 is a type written without any of the package's types, with words of three
// bytes: the samples of a sound card.
type int24 struct{}

var _ interface {
	dtype.Ordered
	dtype.Numeric
	dtype.Packed
} = int24{}

func (int24) Name() string                 { return "example.int24" }
func (int24) Size() int                    { return 3 }
func (int24) Kind() dtype.Kind             { return dtype.Int }
func (int24) Default() dtype.Scalar        { return make(dtype.Scalar, 3) }
func (int24) V3() (json.RawMessage, error) { return json.RawMessage(`"example.int24"`), nil }
func (int24) SwapInto(dst, src []byte)     { dtype.SwapWords(3, dst, src) }
func (int24) Packing() dtype.Packing       { return dtype.Packing{Components: 1, Bits: 24, Signed: true} }

func (int24) V2(order dtype.Order) (json.RawMessage, error) {
	if order == dtype.Big {
		return json.RawMessage(`">z3"`), nil
	}
	return json.RawMessage(`"<z3"`), nil
}

func (int24) ParseScalar(_ dtype.Format, text json.RawMessage) (dtype.Scalar, error) {
	v, err := strconv.ParseInt(string(text), 10, 24)
	if err != nil {
		return nil, fmt.Errorf("%s is not an example.int24 value: %w", text, dtype.ErrOutOfRange)
	}
	s := dtype.Scalar{byte(v), byte(v >> 8), byte(v >> 16)}
	if dtype.Native == dtype.Big {
		slices.Reverse(s)
	}
	return s, nil
}

func (int24) FormatScalar(_ dtype.Format, s dtype.Scalar) json.RawMessage {
	if dtype.Native == dtype.Big {
		s = dtype.Scalar{s[2], s[1], s[0]}
	}
	return strconv.AppendInt(nil, int64(int32(s[0])<<8|int32(s[1])<<16|int32(s[2])<<24)>>8, 10)
}

// A type from outside the package can be a field of records, as our own types can, in
// both formats and byte orders.
func TestTypeFromNothing(t *testing.T) {
	types := dtype.Standard()
	err := types.Register(dtype.Family{
		Name: "example.int24", Summary: "a signed integer of 24 bits", Example: int24{}, FillValue: "an integer",
		ParseV3: func(json.RawMessage) (dtype.Type, error) { return int24{}, nil },
		ParseV2: func(code string) (dtype.Type, bool, error) { return int24{}, code == "z3", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for order, text := range map[dtype.Order]string{dtype.Little: `">z3"`, dtype.Big: `"<z3"`} {
		got, read, err := types.ParseV2([]byte(text), "")
		if err != nil || got != dtype.Type(int24{}) || read == order || read == dtype.NoOrder {
			t.Errorf("%s: %v in order %v (%v)", text, got, read, err)
		}
	}
	v2, order, err := types.ParseV2([]byte(`[["n",">u2"],["x",">z3"],["b","|u1"],["y",">z3",[2]]]`), "")
	if err != nil || order != dtype.Big {
		t.Fatalf("%v (%v)", order, err)
	}
	stored := []byte{1, 2, 0xff, 0xff, 0xfe, 9, 0, 0, 1, 0x12, 0x34, 0x56}
	fill, err := v2.ParseScalar(dtype.V2, []byte(`"AQL///4JAAABEjRW"`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(v2.FormatScalar(dtype.V3, fill)), `{"n":258,"x":-2,"b":9,"y":[1,1193046]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if dtype.Native == dtype.Little {
		dst := make([]byte, 2*len(stored))
		dtype.Swapper(v2, dtype.Big).SwapInto(dst, slices.Repeat(stored, 2))
		if !slices.Equal(dst, slices.Repeat([]byte(fill), 2)) {
			t.Errorf("two elements become % x", dst)
		}
	}

	v3, err := types.ParseV3([]byte(`{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"example.int24"}]}}`))
	if err != nil || v3.Size() != 3 {
		t.Fatalf("%v (%v)", v3, err)
	}
	if s, err := v3.ParseScalar(dtype.V3, []byte(`{"x":-8388608}`)); err != nil || string(v3.FormatScalar(dtype.V3, s)) != `{"x":-8388608}` {
		t.Errorf("% x (%v)", s, err)
	}
	if s, err := v3.ParseScalar(dtype.V3, []byte(`{"x":8388608}`)); !errors.Is(err, dtype.ErrOutOfRange) {
		t.Errorf("% x (%v)", s, err)
	}
}
