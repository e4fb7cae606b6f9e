package cf

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

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
