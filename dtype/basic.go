package dtype

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// basic is a core type: one number, or a pair of them, of a fixed width.
type basic struct {
	name string
	kind Kind
	size int // bytes of one element
	word int // bytes of the words that byte order applies to
	v2   string
}

// The core data types of Zarr v3.
var (
	BoolType   Type = &basic{"bool", Bool, 1, 1, "b1"}
	Int8       Type = &basic{"int8", Int, 1, 1, "i1"}
	Int16      Type = &ordered{basic{"int16", Int, 2, 2, "i2"}}
	Int32      Type = &ordered{basic{"int32", Int, 4, 4, "i4"}}
	Int64      Type = &ordered{basic{"int64", Int, 8, 8, "i8"}}
	Uint8      Type = &basic{"uint8", Uint, 1, 1, "u1"}
	Uint16     Type = &ordered{basic{"uint16", Uint, 2, 2, "u2"}}
	Uint32     Type = &ordered{basic{"uint32", Uint, 4, 4, "u4"}}
	Uint64     Type = &ordered{basic{"uint64", Uint, 8, 8, "u8"}}
	Float16    Type = &ordered{basic{"float16", Float, 2, 2, "f2"}}
	Float32    Type = &ordered{basic{"float32", Float, 4, 4, "f4"}}
	Float64    Type = &ordered{basic{"float64", Float, 8, 8, "f8"}}
	Complex64  Type = &ordered{basic{"complex64", Complex, 8, 4, "c8"}}
	Complex128 Type = &ordered{basic{"complex128", Complex, 16, 8, "c16"}}
)

func basics() []Type {
	return []Type{
		BoolType, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64,
		Float16, Float32, Float64, Complex64, Complex128,
	}
}

func (t *basic) Name() string        { return t.name }
func (t *basic) Size() int           { return t.size }
func (t *basic) Kind() Kind          { return t.kind }
func (t *basic) Default() Scalar     { return make(Scalar, t.size) }
func (t *basic) V3() json.RawMessage { return json.RawMessage(`"` + t.name + `"`) }
func (t *basic) String() string      { return t.name }

// V2 implements [Type]: a NumPy type string such as "<f4" or "|u1".
func (t *basic) V2(order Order) (json.RawMessage, error) {
	mark := "|"
	if t.word > 1 {
		switch order {
		case Little:
			mark = "<"
		case Big:
			mark = ">"
		default:
			return nil, fmt.Errorf("data type %s needs a byte order in Zarr v2", t.name)
		}
	}
	return json.RawMessage(`"` + mark + t.v2 + `"`), nil
}

// ParseScalar implements [Type].
func (t *basic) ParseScalar(format Format, text json.RawMessage) (Scalar, error) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil, fmt.Errorf("no value given for data type %s", t.name)
	}
	s := make(Scalar, t.size)
	var err error
	switch t.kind {
	case Bool:
		err = parseBool(format, s, text)
	case Int:
		err = parseInt(s, text)
	case Uint:
		err = parseUint(s, text)
	case Float:
		err = parseFloat(format, s, text)
	case Complex:
		err = parseComplex(format, s, text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a %s value: %w", clip(text), t.name, err)
	}
	return s, nil
}

// FormatScalar implements [Type].
func (t *basic) FormatScalar(format Format, value Scalar) json.RawMessage {
	switch t.kind {
	case Bool:
		if value[0] != 0 {
			return json.RawMessage("true")
		}
		return json.RawMessage("false")
	case Int:
		return formatInt(value)
	case Uint:
		return formatUint(value)
	case Float:
		return formatFloat(format, value)
	default:
		half := t.size / 2
		return bytes.Join([][]byte{
			[]byte("["), formatFloat(format, value[:half]),
			[]byte(","), formatFloat(format, value[half:]), []byte("]"),
		}, nil)
	}
}

// ordered is a basic type with a byte order.
type ordered struct{ basic }

// SwapInto implements [Ordered].
func (t *ordered) SwapInto(dst, src []byte) { SwapWords(t.word, dst, src) }

// clip shortens text from outside for use in a message.
func clip(text []byte) string {
	const most = 60
	if len(text) <= most {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:most]), "") + "…"
}
