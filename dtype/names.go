package dtype

import (
	"fmt"
	"strings"
)

// spelledElsewhere are names of other programs and formats for types that Zarr
// v3 calls otherwise.
var spelledElsewhere = map[string]string{
	"bool_": "bool", "boolean": "bool", "b1": "bool", "?": "bool",
	"byte": "int8", "short": "int16", "int": "int32", "long": "int64", "longlong": "int64", "integer": "int64",
	"ubyte": "uint8", "ushort": "uint16", "uint": "uint32", "ulong": "uint64",
	"i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64",
	"half": "float16", "halffloat": "float16", "float": "float32", "single": "float32", "double": "float64", "real": "float32",
	"f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128",
	"complex": "complex128", "complex_": "complex128", "csingle": "complex64", "cdouble": "complex128",
	"complex32": "complex_float16", "complex_complex64": "complex64",
	"str": "string", "utf8": "string", "vlen-utf8": "string", "variable_length_utf8": "string", "unicode": "string", "object": "string",
	"vlen-bytes": "bytes", "binary": "bytes", "fixed_length_ucs4": "fixed_length_utf32",
	"fixed_length_ascii": "null_terminated_bytes", "void": "raw_bytes", "opaque": "raw_bytes",
	"record": "struct", "datetime64": "numpy.datetime64", "timedelta64": "numpy.timedelta64",
	"timestamp": "numpy.datetime64", "duration": "numpy.timedelta64", "bf16": "bfloat16",
}

// differentNames are spellings that look like one of ours and mean another
// layout, with what to say about them.
var differentNames = map[string]string{
	"float8_e4m3fn": ` (not registered: it has no infinities; "float8_e4m3" has them and gives other values to the same bytes)`,
	"float8_e5m2fn": ` (not registered; "float8_e5m2" has infinities and gives other values to the same bytes)`,
	"float128":      ` (Zarr has no float wider than "float64")`,
	"longdouble":    ` (Zarr has no float wider than "float64")`,
	"complex256":    ` (Zarr has no complex number wider than "complex128")`,
	"decimal128":    ` (Zarr has no decimals: convert to "float64" or to integers with a scale)`,
}

// hint says which name to use instead of an unknown one, or "".
func (r *Registry) hint(name string) string {
	low := strings.ToLower(name)
	if text, ok := differentNames[low]; ok {
		return text
	}
	if code := strings.TrimLeft(name, "<>|="); code != "" {
		if known, ok := spelledElsewhere[strings.ToLower(code)]; ok {
			return didYouMean(known)
		}
		for _, f := range r.families { // a name of Zarr v2
			if f.ParseV2 == nil {
				continue
			}
			t, ok, err := f.ParseV2(code)
			if !ok || err != nil {
				continue
			}
			if text, err := t.V3(); err == nil {
				return fmt.Sprintf(" (a name of Zarr v2; in v3 it is %s)", text)
			}
		}
	}
	best, least := "", 4
	for known, i := range r.byName {
		if r.families[i].ParseV3 == nil {
			continue
		}
		if d := distance(low, known); d < least || d == least && known < best {
			best, least = known, d
		}
	}
	if best == "" {
		return ""
	}
	if family := r.families[r.byName[best]].Name; family != best {
		return fmt.Sprintf(" (did you mean %q, or its canonical name %q?)", best, family)
	}
	return didYouMean(best)
}

func didYouMean(name string) string { return fmt.Sprintf(" (did you mean %q?)", name) }

// v2Hint says what stands in the way of a NumPy type that Zarr v2 stores may
// have and no registered type matches.
func v2Hint(code string) string {
	if text, ok := differentNames[code]; ok {
		return text
	}
	switch {
	case code == "f16" || code == "f12" || code == "c32" || code == "c24":
		return ": Zarr v3 has no type for extended precision: rewrite the array as float64 or complex128"
	case strings.HasPrefix(code, "a"):
		return " (did you mean \"|S" + clip([]byte(code[1:])) + "\"?)"
	case strings.HasPrefix(code, "t"):
		return ": Zarr v3 has no type for bit fields: rewrite the array as bool or uint8"
	}
	return ""
}

// distance is the number of single-letter edits between two short names.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost = 1 + min(last, row[j], row[j+1])
			}
			last, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
