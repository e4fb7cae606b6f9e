package dtype_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
)

// uint12 is what a camera counts: twelve bits, kept in two bytes. It embeds uint16,
// which supplies the other methods, SwapInto among them.
type uint12 struct{ dtype.Ordered }

func (uint12) Name() string                 { return "example.uint12" }
func (uint12) V3() (json.RawMessage, error) { return json.RawMessage(`"example.uint12"`), nil }
func (uint12) Kind() dtype.Kind             { return dtype.Uint }
func (uint12) Packing() dtype.Packing       { return dtype.Packing{Components: 1, Bits: 12} }
func (uint12) V2(dtype.Order) (json.RawMessage, error) {
	return nil, errors.New("no example.uint12 in Zarr v2: choose uint16")
}

func (t uint12) ParseScalar(format dtype.Format, text json.RawMessage) (dtype.Scalar, error) {
	s, err := t.Ordered.ParseScalar(format, text)
	if err == nil && binary.NativeEndian.Uint16(s) >= 1<<12 {
		return nil, fmt.Errorf("%s is not an example.uint12 value: %w: want 0 to 4095", text, dtype.ErrOutOfRange)
	}
	return s, err
}

// A program adds a type of its own to the registry before it opens anything.
func Example() {
	types := dtype.Standard()
	t := uint12{dtype.Uint16.(dtype.Ordered)}
	err := types.Register(dtype.Family{
		Name: t.Name(), Summary: "unsigned integer of 12 bits", Example: t, FillValue: "an integer",
		ParseV3: func(json.RawMessage) (dtype.Type, error) { return t, nil },
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	read, err := types.ParseV3([]byte(`{"name":"struct","configuration":{"fields":[{"name":"counts","data_type":"example.uint12"}]}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fill, err := read.ParseScalar(dtype.V3, []byte(`{"counts": 4095}`))
	fmt.Println(read.Size(), string(read.FormatScalar(dtype.V3, fill)), err)
	_, err = read.ParseScalar(dtype.V3, []byte(`{"counts": 4096}`))
	fmt.Println(err)
	// Output: 2 {"counts":4095} <nil>
	// {"counts": 4096} is not a struct value: field "counts": 4096 is not an example.uint12 value: out of range: want 0 to 4095
}
