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

// Weight says what happens to data if a difference is overlooked. The greater the weight,
// the greater the harm.
type Weight int

// Weights of differences.
const (
	Spelling Weight = iota // nothing: the same is spelled in another way
	Remark                 // a remark on the array is lost
	Telling                // the array is another quantity, or readers look for it elsewhere
	Meaning                // the same stored values mean something else
	Naming                 // the same stored values have other names in the data type
	Breaking               // elements do not fit together: other types or shapes
)

// Difference is a difference between an array that is kept and an array that is joined or
// appended to it.
type Difference struct {
	Weight Weight
	// Attribute is the attribute that differs. If no attribute differs, it is the attribute
	// that settles the difference if the job gives it, or "" if none does.
	Attribute string
	What      string // what differs, such as "the attribute units"
	X, Y      string // its texts in the array that is kept and in the other array
}

// WeightOf returns the weight of a difference in an attribute, judged by the attribute's
// name alone.
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

// Attributes lists the attributes in which two arrays differ, in the order of their names.
// If the data types of an attribute's numbers are known in both arrays, a difference
// between these types counts, too.
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
		if cf.IsLimit(name) && (stays.Rebased != "" || comes.Rebased != "") {
			d.Weight = min(d.Weight, Remark) // each file has other limits once all count from one moment
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

// Attribute compares the values of an attribute in an array that is kept and in an array
// that is joined or appended to it. A value is nil if the array lacks the attribute. differ
// is false if the values are equal as JSON, see [SameJSON].
//
// Two spellings of the same have the weight Spelling: units and calendars, see
// [cf.SameMeaning], and a mark of missing values that is once a number and once in the form
// of [sources.FillAttribute]. If only one array has NaN as a mark, that is a Remark:
// writers such as xarray add it, and NaN is missing anyway. If only the kept array has a
// list of coordinates, that is a Remark, too, because readers go by the list that is kept.
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

// marksNothing reports whether an attribute, which marks missing values, marks none but
// NaN. NaN is missing anyway. value is nil if there is no such attribute.
func marksNothing(name string, value json.RawMessage) bool {
	number, text := markText(value)
	return isMark(name) && (value == nil || text && number != number)
}

// sameMark reports whether two values of an attribute mark the same number as missing. The
// values are not equal as JSON, so at least one of them must be a text that stands for the
// number.
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

// markText returns the number that a text marks as missing. The text is the name of a
// number that JSON lacks, such as "NaN", or it has the form of [sources.FillAttribute].
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

// SameJSON reports whether two values are equal as JSON: members of objects may have any
// order, and numbers any spelling. nil, which stands for no value, equals only nil.
// Integers that float64 does not hold are compared digit by digit, because marks of missing
// values may be such integers.
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
