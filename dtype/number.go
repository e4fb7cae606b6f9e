package dtype

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// number is a type of one number of a fixed width, or of a pair of such numbers.
type number struct {
	name   string
	kind   Kind
	size   int          // bytes of one element
	bits   int          // significant bits of each component
	layout *FloatLayout // of floats of up to 16 bits; nil for other types
	v2     string       // NumPy's code, such as "f4"; the v3 name where tensorstore uses it in v2; or ""
}

// The core data types of Zarr v3.
var (
	BoolType   = integer("bool", Bool, 8, "b1")
	Int8       = integer("int8", Int, 8, "i1")
	Int16      = integer("int16", Int, 16, "i2")
	Int32      = integer("int32", Int, 32, "i4")
	Int64      = integer("int64", Int, 64, "i8")
	Uint8      = integer("uint8", Uint, 8, "u1")
	Uint16     = integer("uint16", Uint, 16, "u2")
	Uint32     = integer("uint32", Uint, 32, "u4")
	Uint64     = integer("uint64", Uint, 64, "u8")
	Float16    = narrow("float16", Float16Layout, "f2")
	Float32    = wide("float32", Float, 32, "f4")
	Float64    = wide("float64", Float, 64, "f8")
	Complex64  = wide("complex64", Complex, 32, "c8")
	Complex128 = wide("complex128", Complex, 64, "c16")
)

// Numbers of the registry of Zarr extensions that need less than a byte, or are float
// formats of machine learning. In memory each element takes whole bytes.
var (
	Int2              = integer("int2", Int, 2, "")
	Int4              = integer("int4", Int, 4, "int4")
	Uint2             = integer("uint2", Uint, 2, "")
	Uint4             = integer("uint4", Uint, 4, "")
	BFloat16          = narrow("bfloat16", BFloat16Layout, "bfloat16")
	Float8E3M4        = narrow("float8_e3m4", Float8E3M4Layout, "")
	Float8E4M3        = narrow("float8_e4m3", Float8E4M3Layout, "")
	Float8E4M3B11FNUZ = narrow("float8_e4m3b11fnuz", Float8E4M3B11FNUZLayout, "float8_e4m3b11fnuz")
	Float8E4M3FNUZ    = narrow("float8_e4m3fnuz", Float8E4M3FNUZLayout, "float8_e4m3fnuz")
	Float8E5M2        = narrow("float8_e5m2", Float8E5M2Layout, "float8_e5m2")
	Float8E5M2FNUZ    = narrow("float8_e5m2fnuz", Float8E5M2FNUZLayout, "float8_e5m2fnuz")
	Float8E8M0FNU     = narrow("float8_e8m0fnu", Float8E8M0FNULayout, "")
	Float6E2M3FN      = narrow("float6_e2m3fn", Float6E2M3FNLayout, "")
	Float6E3M2FN      = narrow("float6_e3m2fn", Float6E3M2FNLayout, "")
	Float4E2M1FN      = narrow("float4_e2m1fn", Float4E2M1FNLayout, "")
)

// Complex numbers of narrow floats, real part first. Pairs of float32 and
// float64 are [Complex64] and [Complex128].
var (
	ComplexFloat16           = pair(Float16)
	ComplexBFloat16          = pair(BFloat16)
	ComplexFloat8E3M4        = pair(Float8E3M4)
	ComplexFloat8E4M3        = pair(Float8E4M3)
	ComplexFloat8E4M3B11FNUZ = pair(Float8E4M3B11FNUZ)
	ComplexFloat8E4M3FNUZ    = pair(Float8E4M3FNUZ)
	ComplexFloat8E5M2        = pair(Float8E5M2)
	ComplexFloat8E5M2FNUZ    = pair(Float8E5M2FNUZ)
	ComplexFloat8E8M0FNU     = pair(Float8E8M0FNU)
	ComplexFloat6E2M3FN      = pair(Float6E2M3FN)
	ComplexFloat6E3M2FN      = pair(Float6E3M2FN)
	ComplexFloat4E2M1FN      = pair(Float4E2M1FN)
)

func coreNumbers() []Numeric {
	return []Numeric{
		BoolType, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64,
		Float16, Float32, Float64, Complex64, Complex128,
	}
}

func extensionNumbers() []Numeric {
	return []Numeric{
		Int2, Int4, Uint2, Uint4, BFloat16,
		Float8E3M4, Float8E4M3, Float8E4M3B11FNUZ, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ, Float8E8M0FNU,
		Float6E2M3FN, Float6E3M2FN, Float4E2M1FN,
		ComplexFloat16, ComplexBFloat16,
		ComplexFloat8E3M4, ComplexFloat8E4M3, ComplexFloat8E4M3B11FNUZ, ComplexFloat8E4M3FNUZ,
		ComplexFloat8E5M2, ComplexFloat8E5M2FNUZ, ComplexFloat8E8M0FNU,
		ComplexFloat6E2M3FN, ComplexFloat6E3M2FN, ComplexFloat4E2M1FN,
	}
}

func integer(name string, kind Kind, bits int, v2 string) Numeric {
	return (&number{name: name, kind: kind, size: (bits + 7) / 8, bits: bits, v2: v2}).typ()
}

func wide(name string, kind Kind, bits int, v2 string) Numeric {
	size := bits / 8
	if kind == Complex {
		size *= 2
	}
	return (&number{name: name, kind: kind, size: size, bits: bits, v2: v2}).typ()
}

func narrow(name string, layout *FloatLayout, v2 string) Numeric {
	bits := layout.Bits()
	return (&number{name: name, kind: Float, size: (bits + 7) / 8, bits: bits, layout: layout, v2: v2}).typ()
}

func pair(component Numeric) Numeric {
	layout := component.(Narrow).Layout()
	return (&number{
		name: "complex_" + component.Name(), kind: Complex, size: 2 * component.Size(),
		bits: layout.Bits(), layout: layout,
	}).typ()
}

// typ returns the number as a type that has the methods it needs, and no others.
func (t *number) typ() Numeric {
	switch {
	case t.word() > 1 && t.layout != nil:
		return &orderedNarrow{ordered{*t}}
	case t.word() > 1:
		return &ordered{*t}
	case t.layout != nil:
		return &narrowNumber{*t}
	default:
		return t
	}
}

func (t *number) components() int {
	if t.kind == Complex {
		return 2
	}
	return 1
}

// word returns the number of bytes to which byte order applies.
func (t *number) word() int { return t.size / t.components() }

func (t *number) Name() string    { return t.name }
func (t *number) Size() int       { return t.size }
func (t *number) Kind() Kind      { return t.kind }
func (t *number) Default() Scalar { return make(Scalar, t.size) }
func (t *number) String() string  { return t.name }

func (t *number) V3() (json.RawMessage, error) { return json.RawMessage(`"` + t.name + `"`), nil }

// Packing implements [Packed].
func (t *number) Packing() Packing {
	bits := t.bits
	if t.kind == Bool {
		bits = 1
	}
	return Packing{Components: t.components(), Bits: bits, Signed: t.kind == Int}
}

// V2 implements [Type]. It gives a NumPy type string such as "<f4" or "|u1". A number
// that NumPy lacks has the name that tensorstore gives it, which means little-endian.
func (t *number) V2(order Order) (json.RawMessage, error) {
	switch t.v2 {
	case "":
		return nil, fmt.Errorf("data type %s has no name in Zarr v2: choose a wider core type there", t.name)
	case t.name:
		if t.word() > 1 && order != Little {
			return nil, fmt.Errorf("data type %s is always little-endian in Zarr v2", t.name)
		}
		return json.RawMessage(`"` + t.name + `"`), nil
	}
	if t.word() == 1 {
		return json.RawMessage(`"|` + t.v2 + `"`), nil
	}
	mark, err := order.mark(t)
	return json.RawMessage(`"` + mark + t.v2 + `"`), err
}

// mark returns NumPy's sign for the byte order of a type.
func (o Order) mark(t Type) (string, error) {
	switch o {
	case Little:
		return "<", nil
	case Big:
		return ">", nil
	default:
		return "", fmt.Errorf("data type %s needs a byte order in Zarr v2", t.Name())
	}
}

// ParseScalar implements [Type].
func (t *number) ParseScalar(format Format, text json.RawMessage) (Scalar, error) {
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
		err = parseInt(format, s, t.bits, text)
	case Uint:
		err = parseUint(format, s, t.bits, text)
	case Float:
		err = t.form().parse(format, s, text)
	case Complex:
		err = t.form().parsePair(format, s, text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a %s value: %w", clip(text), t.name, err)
	}
	return s, nil
}

// FormatScalar implements [Type].
func (t *number) FormatScalar(format Format, value Scalar) json.RawMessage {
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
		return t.form().format(format, value)
	default:
		half := t.size / 2
		return bytes.Join([][]byte{
			[]byte("["), t.form().format(format, value[:half]),
			[]byte(","), t.form().format(format, value[half:]), []byte("]"),
		}, nil)
	}
}

func (t *number) form() floatForm { return floatForm{bits: t.bits, layout: t.layout} }

func (t *number) words(at int, add func(swap)) {
	if word := t.word(); word > 1 {
		add(swap{offset: at, word: word, n: t.components()})
	}
}

// ordered is a number with a byte order.
type ordered struct{ number }

// SwapInto implements [Ordered].
func (t *ordered) SwapInto(dst, src []byte) { SwapWords(t.word(), dst, src) }

// narrowNumber is a number of floats of at most a byte.
type narrowNumber struct{ number }

// Layout implements [Narrow].
func (t *narrowNumber) Layout() *FloatLayout { return t.layout }

// orderedNarrow is a number of floats of two bytes.
type orderedNarrow struct{ ordered }

// Layout implements [Narrow].
func (t *orderedNarrow) Layout() *FloatLayout { return t.layout }

// clip shortens text from outside for use in a message, and makes it valid UTF-8.
func clip(text []byte) string {
	const most = 60
	if len(text) <= most {
		return strings.ToValidUTF8(string(text), "\uFFFD")
	}
	return strings.ToValidUTF8(string(text[:most]), "") + "…"
}
