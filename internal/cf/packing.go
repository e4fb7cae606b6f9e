package cf

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

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

// Read returns how the elements of a variable of type t are packed, or nil if they are not.
// typeOf returns the type of an attribute in the source, or nil if Zarr has no such type.
// typeOf itself is nil if only the JSON of the attributes is known. An unintelligible
// attribute of packing is an error. An unintelligible attribute of missing data is a
// finding. A list of more than 256 values for missing data is an error.
func Read(t dtype.Type, attributes zarr.Attributes, typeOf func(name string) dtype.Type) (*Packing, error) {
	if attributes.Get(scaleFactor) == nil && attributes.Get(addOffset) == nil {
		return nil, nil
	}
	if typeOf == nil {
		typeOf = func(string) dtype.Type { return nil }
	}
	p := &Packing{Type: t, Stored: t, attributes: attributes, typeOf: typeOf}
	if !packable(t) {
		return nil, fmt.Errorf("%s values have scale_factor or add_offset, but only integers of 8 to 64 bits, float32 and float64 can be packed", t.Name())
	}
	var err error
	if p.scale, err = p.parameter(scaleFactor); err != nil {
		return nil, err
	}
	if p.offset, err = p.parameter(addOffset); err != nil {
		return nil, err
	}
	p.readUnsigned()
	p.choosePhysical()
	if err = p.readSentinels(); err != nil {
		return nil, err
	}
	p.readValid()
	p.unpack = p.unpacker()
	return p, nil
}

func packable(t dtype.Type) bool {
	_, _, ok := counterpart(t)
	return ok || t == dtype.Float32 || t == dtype.Float64
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

// parameter reads scale_factor or add_offset. It returns nil if the variable has no
// such attribute.
func (p *Packing) parameter(name string) (*number, error) {
	text := p.attributes.Get(name)
	if text == nil {
		return nil, nil
	}
	list, ok := numbers(text, p.typeOf(name))
	if !ok || len(list) != 1 || list[0].exact == nil {
		return nil, fmt.Errorf("the attribute %s is %s: want one finite number", name, show(text))
	}
	n := list[0]
	if new(big.Rat).SetFloat64(n.float).Cmp(n.exact) != 0 {
		return nil, fmt.Errorf("the attribute %s is %s, which float64 does not hold", name, show(text))
	}
	return &n, nil
}

func (p *Packing) find(code, hint, format string, args ...any) {
	p.Findings = append(p.Findings, Finding{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// ignore adds the finding about an attribute that has no usable value.
func (p *Packing) ignore(name, why string) {
	p.find(IgnoredAttribute, "", "the attribute %s (%s) is ignored: %s", name, show(p.attributes.Get(name)), why)
}

func (p *Packing) readUnsigned() {
	text := p.attributes.Get(unsigned)
	if text == nil {
		return
	}
	signedType, unsignedType, ok := counterpart(p.Type)
	switch value := strings.ToLower(strings.Trim(string(text), `"`)); {
	case !ok:
		p.ignore(unsigned, p.Type.Name()+" values are not integers")
	case value == "true":
		p.Stored = unsignedType
	case value == "false":
		p.Stored = signedType
	default:
		p.ignore(unsigned, `want "true" or "false"`)
	}
}

// choosePhysical sets the physical type by the rules of the package documentation.
func (p *Packing) choosePhysical() {
	p.Physical = dtype.Float64
	if p.widest() == single && p.narrowest() == single && (p.Stored.Size() <= 2 || p.Stored == dtype.Float32) {
		p.Physical = dtype.Float32
	}
}

func (p *Packing) parameters() []*number {
	return slices.DeleteFunc([]*number{p.scale, p.offset}, func(n *number) bool { return n == nil })
}

// widest returns the wider of the types of scale_factor and add_offset.
func (p *Packing) widest() numericType {
	widest := integer
	for _, n := range p.parameters() {
		widest = max(widest, n.typ)
	}
	return widest
}

func (p *Packing) narrowest() numericType {
	narrowest := double
	for _, n := range p.parameters() {
		narrowest = min(narrowest, n.typ)
	}
	return narrowest
}

// mostSentinels is the most values for missing data that an attribute may list, because
// every element is compared with each of them.
const mostSentinels = 256

// readSentinels collects the values for missing data.
func (p *Packing) readSentinels() error {
	for _, name := range []string{fillValue, missingValue} {
		text := p.attributes.Get(name)
		if text == nil {
			continue
		}
		list, ok := numbers(text, p.typeOf(name))
		if !ok && name == fillValue && !p.isInteger() {
			list, ok = floatFill(text)
		}
		switch {
		case !ok || len(list) == 0:
			p.ignore(name, "it is not a number")
			continue
		case len(list) > mostSentinels:
			return fmt.Errorf("the attribute %s lists %d values for missing data, but at most %d are supported", name, len(list), mostSentinels)
		}
		for _, n := range list {
			if p.isInteger() && math.IsNaN(n.float) {
				continue // as ECMWF writes it: no integer is missing
			}
			s, why := p.storedScalar(n)
			if why != "" {
				p.ignore(name, why)
				continue
			}
			p.sentinels = distinct(p.sentinels, s)
		}
	}
	return nil
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
