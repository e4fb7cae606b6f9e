package dtype

import (
	"fmt"
	"strconv"
	"strings"
)

// spelledElsewhere maps names of other programs and formats to the names in Zarr v3.
var spelledElsewhere = map[string]string{
	"bool_": "bool", "boolean": "bool", "?": "bool",
	"byte": "int8", "short": "int16", "int": "int32", "long": "int64", "longlong": "int64", "integer": "int64",
	"ubyte": "uint8", "ushort": "uint16", "uint": "uint32", "ulong": "uint64",
	"half": "float16", "halffloat": "float16", "float": "float32", "single": "float32", "double": "float64", "real": "float32",
	"complex": "complex128", "complex_": "complex128", "csingle": "complex64", "cdouble": "complex128",
	"complex32": "complex_float16", "complex_complex64": "complex64",
	"str": "string", "utf8": "string", "vlen-utf8": "string", "variable_length_utf8": "string", "unicode": "string", "object": "string",
	"vlen-bytes": "bytes", "binary": "bytes", "fixed_length_ucs4": "fixed_length_utf32",
	"fixed_length_ascii": "null_terminated_bytes", "void": "raw_bytes", "opaque": "raw_bytes",
	"record": "struct", "datetime64": "numpy.datetime64", "timedelta64": "numpy.timedelta64",
	"timestamp": "numpy.datetime64", "duration": "numpy.timedelta64", "bf16": "bfloat16",
}

// differentNames are names that resemble names of ours and mean another layout, each
// with the hint that the error gives.
var differentNames = map[string]string{
	"float8_e4m3fn":         ` (not registered: it has no infinities; "float8_e4m3" has them and gives other values to the same bytes)`,
	"complex_float8_e4m3fn": ` (not registered: its parts have no infinities; those of "complex_float8_e4m3" have them and give other values to the same bytes)`,
	"float128":              ` (Zarr has no float wider than "float64")`,
	"longdouble":            ` (Zarr has no float wider than "float64")`,
	"complex256":            ` (Zarr has no complex number wider than "complex128")`,
	"decimal128":            ` (Zarr has no decimals: convert to "float64" or to integers with a scale)`,
}

// hint says which name to use instead of an unknown one; "" if there is no such name.
func (r *Registry) hint(name string) string {
	low := strings.ToLower(name)
	if text, ok := differentNames[low]; ok {
		return text
	}
	if text := r.v2Name(strings.TrimLeft(name, "<>|=")); text != "" {
		return text
	}
	known := spelledElsewhere[strings.TrimLeft(low, "<>|=")]
	if _, ok := r.byName[known]; ok {
		return didYouMean(known)
	}
	best, least := "", 1+max(1, min(3, len(low)/3))
	for known, i := range r.byName {
		if !r.families[i].parsesV3() || otherWidth(low, known) {
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

// v2Name returns the Zarr v3 name for a name of Zarr v2 or NumPy without its byte
// order, and "" if code is no such name. Capital letters have meanings of their own:
// "U4" is text and "u4" a number.
func (r *Registry) v2Name(code string) string {
	for long, letter := range map[string]string{"datetime64[": "M8[", "timedelta64[": "m8["} {
		if unit, ok := strings.CutPrefix(code, long); ok {
			code = letter + unit
		}
	}
	for _, f := range r.families {
		if f.ParseV2 == nil {
			continue
		}
		t, ok, err := f.ParseV2(code)
		if !ok || err != nil {
			continue
		}
		if text, err := t.V3(); err == nil {
			return fmt.Sprintf(" (a name of NumPy and Zarr v2; in v3 it is %s)", text)
		}
	}
	return ""
}

func didYouMean(name string) string { return fmt.Sprintf(" (did you mean %q?)", name) }

// v2Hint says what to write instead of a NumPy type string that no registered type
// matches. The mark of the byte order is in name and not in code.
func v2Hint(name, code string) string {
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
	case strings.HasPrefix(name, "="):
		return ": = is the byte order of the machine that wrote it, which is unknown: say < (little-endian) or > (big-endian)"
	case code == "b2" || code == "b4" || code == "b8":
		return fmt.Sprintf(": a bool is \"|b1\", an integer of %[1]s bytes \"<i%[1]s\"", code[1:])
	}
	if letters, unit, ok := strings.Cut(code, "["); ok && (letters == "M8" || letters == "m8") {
		return fmt.Sprintf(`: want a unit in the brackets, with a number of them or without, such as "<%[1]s[s]" or "<%[1]s[10us]": [%[2]s`, letters, clip([]byte(unit)))
	}
	return ""
}

// otherWidth reports whether an unknown name differs from a known one in its number of
// bits. A number of bits that no type has, such as 31, is taken for a slip.
func otherWidth(name, known string) bool {
	isLetter := func(r rune) bool { return r < '0' || r > '9' }
	want, have := strings.FieldsFunc(name, isLetter), strings.FieldsFunc(known, isLetter)
	for i, group := range want {
		if i < len(have) && have[i] == group {
			continue
		}
		if n, err := strconv.Atoi(group); err == nil && (n < 8 || n%8 == 0) {
			return true
		}
	}
	return false
}

// distance returns the number of single-letter edits between two short names.
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
