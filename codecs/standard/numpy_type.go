package standard

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

// number is one of the types that NumPy computes with.
type number uint8

const (
	noNumber number = iota
	boolNumber
	int8Number
	int16Number
	int32Number
	int64Number
	uint8Number
	uint16Number
	uint32Number
	uint64Number
	float16Number
	float32Number
	float64Number
	complex64Number
	complex128Number
)

// numberOf returns NumPy's number for the elements of a type, by kind and size. Times
// are int64.
func numberOf(t dtype.Type) number {
	if _, ok := t.(dtype.Temporal); ok {
		return int64Number
	}
	n, ok := t.(dtype.Numeric)
	if !ok {
		return noNumber
	}
	if p, ok := t.(dtype.Packed); ok && n.Kind() != dtype.Bool {
		if packing := p.Packing(); packing.Bits*packing.Components != 8*n.Size() {
			return noNumber
		}
	}
	if narrow, ok := t.(dtype.Narrow); ok {
		if n.Kind() == dtype.Float && narrow.Layout() == dtype.Float16Layout {
			return float16Number
		}
		return noNumber
	}
	type form struct {
		kind dtype.Kind
		size int
	}
	switch (form{n.Kind(), n.Size()}) {
	case form{dtype.Bool, 1}:
		return boolNumber
	case form{dtype.Int, 1}:
		return int8Number
	case form{dtype.Int, 2}:
		return int16Number
	case form{dtype.Int, 4}:
		return int32Number
	case form{dtype.Int, 8}:
		return int64Number
	case form{dtype.Uint, 1}:
		return uint8Number
	case form{dtype.Uint, 2}:
		return uint16Number
	case form{dtype.Uint, 4}:
		return uint32Number
	case form{dtype.Uint, 8}:
		return uint64Number
	case form{dtype.Float, 4}:
		return float32Number
	case form{dtype.Float, 8}:
		return float64Number
	case form{dtype.Complex, 8}:
		return complex64Number
	case form{dtype.Complex, 16}:
		return complex128Number
	}
	return noNumber
}

func (n number) integer() bool { return n >= int8Number && n <= uint64Number }
func (n number) float() bool   { return n >= float16Number && n <= float64Number }
func (n number) signed() bool  { return n >= int8Number && n <= int64Number }
func (n number) complex() bool { return n >= complex64Number }

// numpyTypes parses the fields of numcodecs' codecs that hold a NumPy data type, such
// as "<f4", "f4" or "float32". The byte order in such a field has no meaning for an
// array in memory: these codecs receive the host's order, and the array → bytes codec
// behind them states the order that is stored.
type numpyTypes struct{ registry *dtype.Registry }

// parse returns nil for a field that is not given.
func (n numpyTypes) parse(name string, text *string) (dtype.Type, error) {
	if text == nil {
		return nil, nil
	}
	code := *text
	if code != "" && strings.ContainsRune("<>|=", rune(code[0])) {
		code = code[1:]
	}
	for _, spelling := range []string{"<" + code, "|" + code} {
		quoted, err := json.Marshal(spelling)
		if err != nil {
			return nil, codecs.Fieldf(name, "%.60q: %w", *text, err)
		}
		if t, _, err := n.registry.ParseV2(quoted, ""); err == nil && isNumber(t) {
			return t, nil
		}
	}
	quoted, err := json.Marshal(*text)
	if err != nil {
		return nil, codecs.Fieldf(name, "%.60q: %w", *text, err)
	}
	t, err := n.registry.ParseV3(quoted)
	if err != nil || !isNumber(t) {
		const wanted = `%.60q: want a NumPy type of numbers such as "<f4"`
		if _, _, err := n.registry.ParseV2(quoted, ""); err == nil { // such as times
			return nil, codecs.InField(name, unsuited(fmt.Sprintf(wanted, *text)))
		}
		return nil, codecs.Fieldf(name, wanted, *text)
	}
	return t, nil
}

// isNumber excludes times, with which numcodecs does not compute.
func isNumber(t dtype.Type) bool {
	_, ok := t.(dtype.Numeric)
	return ok && numberOf(t) != noNumber
}

// numpyName spells a number type as NumPy does, little-endian. Readers of Zarr v3 apply
// the codec to arrays in the byte order of their machine.
func numpyName(t dtype.Type) json.RawMessage {
	order := dtype.NoOrder
	if _, ok := t.(dtype.Ordered); ok {
		order = dtype.Little
	}
	text, err := t.V2(order)
	if err != nil {
		return json.RawMessage(`"` + t.Name() + `"`)
	}
	return text
}

// decodedType checks the optional field that repeats the type of the decoded array.
// Times are accepted as int64.
func decodedType(name string, given, in dtype.Type) (dtype.Type, error) {
	n := numberOf(in)
	if n == noNumber {
		return nil, codecs.Fieldf("", "data type %s: want numbers that NumPy has", in.Name())
	}
	if given == nil {
		given = in
	}
	if numberOf(given) != n {
		return nil, codecs.Fieldf(name, "%s: the array's data type is %s", given.Name(), in.Name())
	}
	return given, nil
}
