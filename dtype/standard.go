package dtype

import (
	"encoding/json"
	"fmt"
)

// Standard returns a new registry with the data types of the Zarr v3 core specification
// and of the registry of Zarr extensions. It also has two types that are not registered
// and that zarr-python writes: null_terminated_bytes and raw_bytes.
func Standard() *Registry {
	r := &Registry{}
	for _, t := range coreNumbers() {
		r.mustRegister(numberFamily(t))
	}
	r.mustRegister(Family{
		Name: "r*", Summary: "opaque bits, a multiple of 8: r8, r16, …", Example: RawBits(2), FillValue: "an array of byte values",
		SizeVaries: true, ParseName: parseRawBits,
		Note: "zarr-python does not read r*, and tensorstore reads it only with another fill value: both read raw_bytes",
	})
	for _, t := range extensionNumbers() {
		r.mustRegister(numberFamily(t))
	}
	r.mustRegister(temporalFamily(false, "a point in time, counted from 1970 in a unit"))
	r.mustRegister(temporalFamily(true, "a length of time, counted in a unit"))
	r.mustRegister(objectFamily(StringType, "text of any length", "a string"))
	bytesFamily := objectFamily(BytesType, "bytes of any length", "base64 or an array of byte values")
	bytesFamily.Aliases = []string{"variable_length_bytes"} // zarr-python's name
	r.mustRegister(bytesFamily)
	r.mustRegister(sized(Family{
		Name: "fixed_length_utf32", Summary: "text of at most a fixed number of code points", Example: FixedUTF32(4), FillValue: "a string",
	}, "U", 4, func(bytes int) Type { return FixedUTF32(bytes / 4) }))
	r.mustRegister(sized(Family{
		Name: "null_terminated_bytes", Summary: "bytes of at most a fixed length, filled up with zero bytes", Example: NullTerminated(4), FillValue: "base64",
		Note: "not in the registry of Zarr extensions; zarr-python writes and reads it. Registered types for the same data: string for text, r* for bytes",
	}, "S", 1, NullTerminated))
	r.mustRegister(sized(Family{
		Name: "raw_bytes", Summary: "opaque bytes of a fixed length", Example: RawBytes(2), FillValue: "base64",
		Note: "not in the registry of Zarr extensions; zarr-python and tensorstore read it. The core type for the same data is r*",
	}, "V", 1, RawBytes))
	example, _ := Struct(Field{Name: "x", Type: Float32}, Field{Name: "n", Type: Int16})
	r.mustRegister(Family{
		Name: "struct", Summary: "a record of named fields, packed", Example: example, SizeVaries: true,
		FillValue: "an object with a value for every field", ParseNested: recordParser("struct", false),
		Note: "zarr-python reads it from version 3.2 on; earlier versions only know the older name, structured",
	})
	r.mustRegister(Family{
		Name: "structured", Summary: "the older name of struct, only read", Example: example, WrittenAs: "struct", SizeVaries: true,
		FillValue: "base64 of the packed bytes, or an object", ParseNested: recordParser("structured", true),
		Note: "written as struct",
	})
	return r
}

// numberFamily returns the family of one type without configuration.
func numberFamily(t Numeric) Family {
	f := Family{
		Name: t.Name(), Summary: summary(t), Example: t, FillValue: fillValue(t),
		ParseV3: plain(t),
	}
	switch t {
	case Complex64:
		f.Aliases = []string{"complex_float32"}
	case Complex128:
		f.Aliases = []string{"complex_float64"}
	}
	v2 := numberOf(t).v2
	if v2 != "" {
		f.ParseV2 = func(code string) (Type, bool, error) { return t, code == v2, nil }
	}
	return f
}

// numberOf returns the number behind one of this package's numeric types.
func numberOf(t Numeric) *number {
	switch t := t.(type) {
	case *ordered:
		return &t.number
	case *narrowNumber:
		return &t.number
	case *orderedNarrow:
		return &t.number
	default:
		return t.(*number)
	}
}

func objectFamily(t Object, summary, fillValue string) Family {
	return Family{Name: t.Name(), Summary: summary, Example: t, FillValue: fillValue, ParseV3: plain(t)}
}

// plain returns the ParseV3 of a type without configuration.
func plain(t Type) func(json.RawMessage) (Type, error) {
	return func(configuration json.RawMessage) (Type, error) {
		if _, err := readConfiguration(t.Name(), configuration); err != nil {
			return nil, fmt.Errorf("%w (it takes no configuration)", err)
		}
		return t, nil
	}
}

func summary(t Numeric) string {
	n := numberOf(t)
	held := ""
	if n.bits < 8*n.word() {
		held = ", in a byte"
	}
	switch n.kind {
	case Bool:
		return "true or false, one byte"
	case Int:
		return fmt.Sprintf("a signed integer of %d bits%s", n.bits, held)
	case Uint:
		return fmt.Sprintf("an unsigned integer of %d bits%s", n.bits, held)
	case Float:
		return n.form().summary() + held
	default:
		return "a complex number of two, each " + n.form().summary() + held
	}
}

// fillValue describes the fill values of a numeric type in fewer words than errors do.
func fillValue(t Numeric) string {
	n := numberOf(t)
	switch n.kind {
	case Bool:
		return "true or false"
	case Int, Uint:
		return "an integer"
	}
	text := `a number or "0x…"`
	_, nan := n.form().nan()
	switch _, infinity := n.form().infinity(true); {
	case infinity:
		text = `a number, "NaN", "±Infinity" or "0x…"`
	case nan:
		text = `a number, "NaN" or "0x…"`
	}
	if n.kind == Complex {
		return "[real, imaginary], each " + text
	}
	return text
}
