package cf

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// Mode says what becomes of packed variables.
type Mode string

// The modes. The zero value means Keep.
const (
	Keep   Mode = "keep"   // stored values and attributes stay unchanged
	Codecs Mode = "codecs" // stored values stay, and codecs replace the attributes
	Unpack Mode = "unpack" // physical values replace stored values and attributes
)

// Names lists the attributes that say what a stored value means, including the
// attributes of missing data.
func Names() []string {
	return []string{scaleFactor, addOffset, fillValue, missingValue, unsigned, validRange, validMin, validMax}
}

// The attributes of packed and missing data.
const (
	scaleFactor  = "scale_factor"
	addOffset    = "add_offset"
	fillValue    = "_FillValue"
	missingValue = "missing_value"
	unsigned     = "_Unsigned"
	validRange   = "valid_range"
	validMin     = "valid_min"
	validMax     = "valid_max"
)

// Finding is a fact about a packed variable that its user should know before anything
// is written.
type Finding struct {
	Code    string // names the kind of finding for programs
	Message string
	Hint    string // what to do about it, "" if nothing
}

// Codes of findings.
const (
	IgnoredAttribute = "cf-ignored-attribute" // an attribute has no usable value
	ValidSentinel    = "cf-valid-sentinel"    // a value for missing data is within the valid range
	MergedSentinels  = "cf-merged-sentinels"  // several values for missing data are read as NaN
	OutsideRange     = "cf-outside-range"     // readers see values outside of the valid range
	NoReturn         = "cf-no-return"         // a stored value does not come back when the value that was read is written again
	Inexact          = "cf-inexact"           // integers are rounded to floats, or scaled to infinity
)

// Packing describes how the stored values of one variable are packed, as its attributes
// say. It is immutable and safe for concurrent use.
type Packing struct {
	Type     dtype.Type // of the variable
	Stored   dtype.Type // Type, or the integer type of the same width to which _Unsigned changes it
	Physical dtype.Type // Float32 or Float64
	// Findings has the findings that do not depend on the Mode.
	Findings []Finding

	attributes    zarr.Attributes
	typeOf        func(name string) dtype.Type
	scale, offset *number // scale_factor and add_offset, nil where absent
	// sentinels are the stored values for missing data, without repetition. The one of
	// _FillValue comes first.
	sentinels []dtype.Scalar
	valid     interval
	unpack    func(dst, src ndarray.Array)
}

// counterpart returns the signed and the unsigned integer of t's width.
func counterpart(t dtype.Type) (signed, unsigned dtype.Type, ok bool) {
	for _, pair := range [][2]dtype.Type{
		{dtype.Int8, dtype.Uint8}, {dtype.Int16, dtype.Uint16}, {dtype.Int32, dtype.Uint32}, {dtype.Int64, dtype.Uint64},
	} {
		if t == pair[0] || t == pair[1] {
			return pair[0], pair[1], true
		}
	}
	return nil, nil, false
}

func (p *Packing) find(code, hint, format string, args ...any) {
	p.Findings = append(p.Findings, Finding{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// ignore adds the finding about an attribute that has no usable value.
func (p *Packing) ignore(name, why string) {
	p.find(IgnoredAttribute, "", "the attribute %s (%s) is ignored: %s", name, show(p.attributes.Get(name)), why)
}

// widest returns the wider of the types of scale_factor and add_offset.
func (p *Packing) widest() numericType {
	widest := integer
	for _, n := range p.parameters() {
		widest = max(widest, n.typ)
	}
	return widest
}

// distinct appends a value to a list, unless the list has it.
func distinct(list []dtype.Scalar, s dtype.Scalar) []dtype.Scalar {
	if slices.ContainsFunc(list, func(o dtype.Scalar) bool { return string(o) == string(s) }) {
		return list
	}
	return append(list, s)
}

func (p *Packing) isInteger() bool {
	_, _, ok := counterpart(p.Stored)
	return ok
}

// storedScalar returns a number as a stored value. If that is not possible, why says so. If
// _Unsigned changes the type, a number of the variable's own type keeps its bits.
func (p *Packing) storedScalar(n number) (s dtype.Scalar, why string) {
	if !p.isInteger() {
		var err error
		switch {
		case math.IsNaN(n.float):
			s, err = p.Stored.ParseScalar(dtype.V3, json.RawMessage(`"NaN"`))
		case math.IsInf(n.float, 0):
			s, err = p.Stored.ParseScalar(dtype.V3, fmt.Appendf(nil, `"%sInfinity"`, map[bool]string{true: "-"}[n.float < 0]))
		default:
			s, err = p.Stored.ParseScalar(dtype.V3, dtype.AppendFloat(nil, n.float))
		}
		if err != nil {
			return nil, p.Stored.Name() + " has no value near it"
		}
		return s, ""
	}
	if n.exact != nil && n.exact.IsInt() {
		text := json.RawMessage(n.exact.Num().String())
		for _, t := range []dtype.Type{p.Type, p.Stored} {
			if s, err := t.ParseScalar(dtype.V3, text); err == nil {
				return s, ""
			}
		}
	}
	return nil, "no stored " + p.Stored.Name() + " value can be equal to it"
}

// physical returns the physical value of a stored value that float64 holds.
func (p *Packing) physical(v float64) float64 {
	if p.Physical == dtype.Float32 {
		scale, offset := parametersOf[float32](p)
		return float64(float32(float32(v)*scale) + offset)
	}
	scale, offset := parametersOf[float64](p)
	return float64(v*scale) + offset
}

// Outcome describes the array that replaces a packed array, as its readers see it.
type Outcome struct {
	Type       dtype.Type   // the physical type
	Fill       dtype.Scalar // fill value, of the physical type
	Attributes zarr.Attributes
	// Codecs encode physical values as stored values. In the array's metadata they come
	// before all other codecs. nil: physical values are stored.
	Codecs []codecs.Spec
	// StoredFill is Fill as encoded by Codecs. nil: there are no Codecs.
	StoredFill dtype.Scalar
	Notes      []string  // decisions, for the plan
	Findings   []Finding // including those of the packing
}

func (o *Outcome) note(format string, args ...any) {
	o.Notes = append(o.Notes, fmt.Sprintf(format, args...))
}

func (o *Outcome) find(code, hint, format string, args ...any) {
	o.Findings = append(slices.Clip(o.Findings), Finding{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// formula writes down what CF computes from a stored value.
func (p *Packing) formula() string {
	text := "stored value"
	if p.scale != nil {
		text += " × " + decimal(p.scale.float)
	}
	if p.offset != nil {
		text += " + " + decimal(p.offset.float)
	}
	return text
}

// nan returns the physical value of missing data.
func (p *Packing) nan() dtype.Scalar {
	s, err := p.Physical.ParseScalar(dtype.V3, json.RawMessage(`"NaN"`))
	if err != nil {
		panic(err) // both physical types have NaN
	}
	return s
}

// format writes a finite value of the physical type.
func (p *Packing) format(x float64) json.RawMessage {
	return p.Physical.FormatScalar(dtype.V3, p.physicalScalar(x))
}

// physicalScalar returns x, a finite value of the physical type, as it lies in memory.
func (p *Packing) physicalScalar(x float64) dtype.Scalar {
	s, err := p.Physical.ParseScalar(dtype.V3, dtype.AppendFloat(nil, x))
	if err != nil {
		panic(err) // x is finite, and a value of the type
	}
	return s
}

// interval is the range of valid stored values. Integers are numbered from the smallest
// value of their type, which is number 0, so that one form serves all types. Floats are
// not numbered.
type interval struct {
	given      bool    // an attribute gives the range
	empty      bool    // no value is valid
	low, high  uint64  // numbers of the first and the last valid integer
	lowF, topF float64 // the least and the greatest valid float
	limits     []limit // in the form that the attributes have
}

// decimal writes a float for a message.
func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// parametersOf returns scale_factor and add_offset. An absent attribute is replaced by
// a number that changes no value: x + -0 is x, also for both zeros.
func parametersOf[P float32 | float64](p *Packing) (scale, offset P) {
	scale, offset = 1, P(math.Copysign(0, -1))
	if p.scale != nil {
		scale = P(p.scale.float)
	}
	if p.offset != nil {
		offset = P(p.offset.float)
	}
	return scale, offset
}

func (p *Packing) parameters() []*number {
	return slices.DeleteFunc([]*number{p.scale, p.offset}, func(n *number) bool { return n == nil })
}

// limit is one end of the valid range.
type limit struct {
	upper    bool
	value    float64 // in physical units, or a stored value
	physical bool
}
