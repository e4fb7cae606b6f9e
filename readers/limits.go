package readers

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

// noPayload refuses fill values that are NaNs with other bits than the usual ones.
func noPayload(name string) limit {
	return func(a *zarr.Array, _ []codecs.Spec) Refusal {
		if text := string(a.Type.FormatScalar(dtype.V3, a.Fill)); a.Type.Name() == name && strings.HasPrefix(text, `"0x`) {
			return Refusal{"fill_value", "the fill value " + text + ", a NaN with bits of its own", `"NaN"`}
		}
		return Refusal{}
	}
}

func noBytesFill(a *zarr.Array, _ []codecs.Spec) Refusal {
	if a.Type.Name() == "bytes" && len(a.Fill) > 0 {
		return Refusal{"fill_value", "a fill value of bytes", `""`}
	}
	return Refusal{}
}

// namedDimensions is what xarray demands of names of dimensions.
func namedDimensions(a *zarr.Array, _ []codecs.Spec) Refusal {
	if len(a.Grid.Shape) > 0 && a.DimensionNames == nil {
		return Refusal{"dimension_names", "dimensions without names", "dimension_names: one for each dimension"}
	}
	for i, name := range a.DimensionNames { // null is a name, too
		k := slices.Index(a.DimensionNames, name)
		if n, first := a.Grid.Shape[i], a.Grid.Shape[k]; n != first {
			return Refusal{"dimension_names", fmt.Sprintf("%s and the lengths %d and %d", twoOf(name), first, n), "dimension_names: another name for one of them"}
		}
	}
	return Refusal{}
}

// twoOf names two dimensions that share a name, or have none.
func twoOf(name string) string {
	if name == "" {
		return "two dimensions without a name"
	}
	return fmt.Sprintf("two dimensions of the name %q", name)
}

// decodedAttributes is what xarray demands of _FillValue, and of the attributes by which it scales
// values: one number, or a list of one.
func decodedAttributes(a *zarr.Array, _ []codecs.Spec) Refusal {
	if refused := UnreadFill(a); refused.What != "" {
		return refused
	}
	if n, ok := a.Type.(dtype.Numeric); !ok || n.Kind() == dtype.Complex {
		return Refusal{}
	}
	for _, name := range []string{"scale_factor", "add_offset"} {
		value := a.Attributes.Get(name)
		if value == nil {
			continue
		}
		var one any
		list := []any{}
		if json.Unmarshal(value, &list) == nil && len(list) == 1 {
			one = list[0]
		} else if json.Unmarshal(value, &one) != nil {
			continue
		}
		switch one.(type) {
		case float64, bool:
		default:
			return Refusal{"attributes." + name, fmt.Sprintf("the attribute %s: %.80s", name, value), "a number, or null to leave it out"}
		}
	}
	return Refusal{}
}

// UnreadFill says why xarray does not open an array because of its attribute _FillValue. The
// result is zero if it does. xarray knows this attribute for numbers and booleans alone.
func UnreadFill(a *zarr.Array) Refusal {
	value := a.Attributes.Get("_FillValue")
	if value == nil {
		return Refusal{}
	}
	unread := func(of, instead string) Refusal {
		return Refusal{"attributes._FillValue", fmt.Sprintf("the attribute _FillValue: %.80s of %s", value, of), instead}
	}
	n, ok := a.Type.(dtype.Numeric)
	if !ok {
		return unread("the data type "+a.Type.Name(), "null to leave it out")
	}
	var text string
	var pair []string
	var number float64
	switch n.Kind() {
	case dtype.Float:
		if json.Unmarshal(value, &text) != nil || !isDouble(text) {
			return unread("floats", "the base64 of a little-endian float64")
		}
	case dtype.Complex:
		if json.Unmarshal(value, &pair) != nil || len(pair) != 2 || !isDouble(pair[0]) || !isDouble(pair[1]) {
			return unread("complex numbers", "a list of two: real and imaginary part, each the base64 of a little-endian float64")
		}
	case dtype.Int, dtype.Uint:
		if json.Unmarshal(value, &number) != nil {
			return unread("integers", "a number, or null to leave it out")
		}
	}
	return Refusal{}
}

// isDouble reports whether a text is the base64 of a float64.
func isDouble(text string) bool {
	data, err := base64.StdEncoding.DecodeString(text)
	return err == nil && len(data) == 8
}

// decodedTimes refuses times that xarray does not decode.
func decodedTimes(a *zarr.Array, _ []codecs.Spec) Refusal {
	if why := UndecodedTime(a.Attributes); why != "" {
		return Refusal{"attributes.units", "the times in " + why, "attributes: {units: null}, or open it with decode_times=False"}
	}
	return Refusal{}
}

// oneNameEach refuses two dimensions of one name.
func oneNameEach(a *zarr.Array, _ []codecs.Spec) Refusal {
	for i, name := range a.DimensionNames {
		if name != "" && slices.Contains(a.DimensionNames[:i], name) {
			return Refusal{"dimension_names", twoOf(name), "dimension_names: another name for one of them"}
		}
	}
	return Refusal{}
}

// dimensionsExist refuses arrays without dimensions.
func dimensionsExist(a *zarr.Array, _ []codecs.Spec) Refusal {
	if len(a.Grid.Shape) == 0 {
		return Refusal{"exclude", "an array without dimensions", "exclude the array"}
	}
	return Refusal{}
}

// elementsExist refuses arrays without elements.
func elementsExist(a *zarr.Array, _ []codecs.Spec) Refusal {
	if slices.Contains(a.Grid.Shape, 0) {
		return Refusal{"exclude", "an array without elements", "exclude the array"}
	}
	return Refusal{}
}

// noScaleFill refuses fill values of float8_e8m0fnu that tensorstore takes for others.
func noScaleFill(a *zarr.Array, _ []codecs.Spec) Refusal {
	if a.Type.Name() == "float8_e8m0fnu" && a.Fill[0] != 0 && a.Fill[0] != 0xff {
		return Refusal{"fill_value", "a fill value of float8_e8m0fnu that is a number", `"NaN"`}
	}
	return Refusal{}
}

// flatStructs refuses structs that tensorstore does not open: those of one field, whose fill value it
// takes for that of the field, and those with a field of structs or of raw_bytes.
func flatStructs(a *zarr.Array, _ []codecs.Spec) Refusal {
	record, ok := a.Type.(dtype.Record)
	if !ok {
		return Refusal{}
	}
	fields := record.Fields()
	if len(fields) == 1 {
		return Refusal{"data_type", "a struct of one field", otherTypes["struct"][0]}
	}
	for _, f := range fields {
		if name := f.Type.Name(); name == "struct" || name == "raw_bytes" {
			return Refusal{"data_type", "a struct with a field of " + name, otherTypes["struct"][0]}
		}
	}
	return Refusal{}
}

// exactInDoubles refuses fill values that JavaScript rounds.
func exactInDoubles(a *zarr.Array, _ []codecs.Spec) Refusal {
	var far bool
	switch a.Type.Name() {
	case "int64":
		n := int64(binary.NativeEndian.Uint64(a.Fill))
		far = n > 1<<53 || n < -1<<53
	case "uint64":
		far = binary.NativeEndian.Uint64(a.Fill) > 1<<53
	case "float64":
		bits := binary.NativeEndian.Uint64(a.Fill)
		far = math.IsNaN(math.Float64frombits(bits)) && bits != 0x7ff8<<48
	}
	if far {
		return Refusal{"fill_value", "a fill value that JavaScript rounds", "a fill value of at most 2^53"}
	}
	return Refusal{}
}
