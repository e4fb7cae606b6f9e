package compare

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Weight says what happens to data if a difference is overlooked. A greater weight is more harm.
type Weight int

// Weights of differences.
const (
	Spelling Weight = iota // nothing: it is the same, spelled otherwise
	Remark                 // a remark on the array is lost
	Telling                // it is another quantity, or readers look for it elsewhere
	Meaning                // the same stored values mean something else
	Naming                 // the same stored values have other names in the data type
	Breaking               // elements do not fit together: other types or shapes
)

// Difference is one between an array that stays and one that comes to it.
type Difference struct {
	Weight Weight
	// Attribute is the one that differs, or that would settle the difference if it were
	// given; "" for none.
	Attribute string
	What      string // differs: "the attribute units"
	X, Y      string // what it is in the array that stays, and in the one that comes
}

// WeightOf is the weight of a difference in an attribute of which only the name is
// known.
func WeightOf(attribute string) Weight {
	switch attribute {
	case "units", "calendar", "_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned":
		return Meaning
	case "standard_name", "positive", "axis", "cell_methods", "flag_values", "flag_masks", "flag_meanings",
		"valid_range", "valid_min", "valid_max", // by which some readers take values for missing
		"formula_terms", "grid_mapping", "coordinates", "bounds", "climatology", "timezone":
		return Telling
	default:
		return Remark
	}
}

// Attributes lists the attributes in which two arrays differ, in the order of their
// names. Where the types of numbers in an attribute are known of both, these count, too.
func Attributes(stays, comes *sources.Info) (list []Difference) {
	names := map[string]bool{}
	for _, a := range slices.Concat(stays.Attributes, comes.Attributes) {
		names[a.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		x, y := stays.Attributes.Get(name), comes.Attributes.Get(name)
		s, t := stays.AttributeTypes[name], comes.AttributeTypes[name]
		d := Difference{Attribute: name, What: "the attribute " + name, X: AttributeText(name, x), Y: AttributeText(name, y)}
		differ := false
		if s != nil && t != nil && !dtype.Same(s, t) {
			d.Weight, differ = WeightOf(name), true
			if SameJSON(x, y) {
				d.X, d.Y = d.X+" of "+s.Name(), d.Y+" of "+t.Name()
			}
		} else {
			d.Weight, differ = Attribute(name, x, y)
		}
		if d.Weight == Telling && stays.Packing != nil && slices.Contains(cf.Names(), name) {
			d.Weight = Meaning
		}
		if differ {
			list = append(list, d)
		}
	}
	return list
}

// Attribute compares two values of an attribute, nil for none: that of an array which
// stays, and that of one which comes to it. differ is false where they are equal as
// JSON, see [SameJSON].
//
// The same otherwise spelled are units and calendars, see [cf.SameMeaning], and a mark
// of missing values as a number and in the form of [sources.FillAttribute]. NaN as the
// mark of one array alone is a remark: writers such as xarray add it, and NaN is missing
// anyway. So is a list of coordinates that the array which comes does not have, as
// readers go by the list that stays.
func Attribute(name string, stays, comes json.RawMessage) (w Weight, differ bool) {
	switch {
	case SameJSON(stays, comes):
		return Spelling, false
	case cf.SameMeaning(name, stays, comes), sameMark(name, stays, comes):
		return Spelling, true
	case marksNothing(name, stays) && marksNothing(name, comes), name == "coordinates" && comes == nil:
		return Remark, true
	default:
		return WeightOf(name), true
	}
}

// isMark reports whether an attribute marks missing values.
func isMark(name string) bool { return name == "_FillValue" || name == "missing_value" }

// marksNothing reports whether a value of an attribute, nil for none, marks no values
// as missing but those that are so anyway.
func marksNothing(name string, value json.RawMessage) bool {
	number, text := markText(value)
	return isMark(name) && (value == nil || text && number != number)
}

// sameMark reports whether two values of an attribute, which are not equal as JSON, mark
// one number as missing: at least one of them is a text that stands for it.
func sameMark(name string, x, y json.RawMessage) bool {
	a, textA := markText(x)
	b, textB := markText(y)
	if !isMark(name) || !textA && !textB {
		return false
	}
	for _, m := range []struct {
		number *float64
		text   bool
		value  json.RawMessage
	}{{&a, textA, x}, {&b, textB, y}} {
		if !m.text && json.Unmarshal(m.value, &m.number) != nil || m.number == nil {
			return false // null, or no number
		}
	}
	return a == b || a != a && b != b
}

// markText returns the number that a text stands for as a mark of missing values: by the
// name of one that JSON lacks, or in the form of [sources.FillAttribute].
func markText(value json.RawMessage) (number float64, ok bool) {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return 0, false
	}
	switch text {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) != 8 {
		return 0, false
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
}

// AttributeText spells the value of an attribute for a message.
func AttributeText(name string, value json.RawMessage) string {
	if value == nil {
		return "absent"
	}
	if number, ok := sources.FillText(value); ok && name == "_FillValue" {
		return number
	}
	var line bytes.Buffer
	if err := json.Compact(&line, value); err != nil {
		return clip(string(value), mostShown)
	}
	return clip(line.String(), mostShown)
}

// SameJSON reports whether two values, nil for none, are equal as JSON: members of
// objects may have any order, and numbers any spelling. Integers that float64 does not
// hold are compared digit by digit, as marks of missing values in 64 bits need it.
func SameJSON(x, y json.RawMessage) bool {
	if x == nil || y == nil {
		return x == nil && y == nil
	}
	if bytes.Equal(x, y) {
		return true
	}
	a, errA := parsed(x)
	b, errB := parsed(y)
	return errA == nil && errB == nil && sameParsed(a, b)
}

// parsed reads JSON, with the digits of its numbers.
func parsed(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func sameParsed(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok || a == b {
			return ok
		}
		x, errA := strconv.ParseFloat(string(a), 64)
		y, errB := strconv.ParseFloat(string(b), 64)
		whole := !strings.ContainsAny(string(a+b), ".eE")
		return errA == nil && errB == nil && x == y && (!whole || math.Abs(x) < 1<<53)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameParsed)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameParsed)
	default:
		return a == b
	}
}

// Inherit returns an attribute of bounds: their own, or else that of their coordinate.
func Inherit(name string, own, coordinate zarr.Attributes) json.RawMessage {
	if value := own.Get(name); value != nil {
		return value
	}
	return coordinate.Get(name)
}
