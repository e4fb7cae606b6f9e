package hdf5type

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
)

const (
	maxVersion = 5
	maxDepth   = 32 // datatypes within datatypes
	maxRank    = 32 // the library's H5S_MAX_RANK
)

// Parse reads a datatype message and returns it with the number of bytes that it takes;
// other bytes may follow in message. The result shares no memory with the message, and
// takes memory in proportion to it. An error about an impossible message wraps
// [ErrCorrupt]. An error about a feature that no version up to 5 defines wraps
// [errors.ErrUnsupported].
func Parse(message []byte) (*Datatype, int, error) {
	p := &parser{data: message}
	d, err := p.datatype(0)
	if err != nil {
		return nil, 0, fmt.Errorf("HDF5 datatype message: %w", err)
	}
	return d, p.at, nil
}

// parser reads a message from its beginning.
type parser struct {
	data []byte
	at   int
}

func (p *parser) corrupt(format string, args ...any) error {
	return fmt.Errorf("byte %d: %s: %w", p.at, fmt.Sprintf(format, args...), ErrCorrupt)
}

// take returns the next n bytes.
func (p *parser) take(n int) ([]byte, error) {
	if n > len(p.data)-p.at {
		return nil, p.corrupt("the message ends where %d bytes are missing", n-(len(p.data)-p.at))
	}
	b := p.data[p.at : p.at+n]
	p.at += n
	return b, nil
}

// number reads a little-endian number of n bytes, at most 4.
func (p *parser) number(n int) (int, error) {
	b, err := p.take(n)
	v := 0
	for i, c := range b {
		v |= int(c) << (8 * i)
	}
	return v, err
}

// name reads a name up to its zero byte, and the padding of versions 1 and 2.
func (p *parser) name(version int) (string, error) {
	n := bytes.IndexByte(p.data[p.at:], 0)
	if n < 0 {
		return "", p.corrupt("the name has no end")
	}
	whole := n + 1
	if version < 3 {
		whole = (whole + 7) &^ 7
	}
	b, err := p.take(whole)
	if err != nil {
		return "", err
	}
	return string(b[:n]), nil
}

func (p *parser) datatype(depth int) (*Datatype, error) {
	if depth == maxDepth {
		return nil, p.corrupt("more than %d datatypes within each other", maxDepth)
	}
	start := p.at
	head, err := p.take(8)
	if err != nil {
		return nil, err
	}
	word := binary.LittleEndian.Uint32(head)
	d := &Datatype{Class: Class(word & 15), Version: int(word >> 4 & 15), Size: int(binary.LittleEndian.Uint32(head[4:]))}
	flags := word >> 8
	switch {
	case d.Version < 1:
		return nil, p.corrupt("version 0")
	case d.Version > maxVersion:
		return nil, fmt.Errorf("byte %d: version %d, known are 1 to %d: %w", start, d.Version, maxVersion, errors.ErrUnsupported)
	case d.Size == 0:
		return nil, p.corrupt("%v elements of no bytes", d.Class)
	case d.Version < d.least() && d.Class != Array: // see array, which accepts version 1
		return nil, p.corrupt("%v in version %d, which does not have it", d.Class, d.Version)
	}
	if err := p.properties(d, flags, depth); err != nil {
		return nil, err
	}
	return d, nil
}

// least returns the lowest version of the message that knows the class.
func (d *Datatype) least() int {
	switch d.Class {
	case Array:
		return 2
	case Complex:
		return 5
	default:
		return 1
	}
}

func (p *parser) properties(d *Datatype, flags uint32, depth int) (err error) {
	switch d.Class {
	case FixedPoint, Bitfield:
		d.Signed = d.Class == FixedPoint && flags&8 != 0
		return p.bits(d, flags)
	case FloatingPoint:
		return p.float(d, flags)
	case Time:
		d.Order = orderOf(flags)
		d.Precision, err = p.number(2)
	case String:
		return p.text(d, flags)
	case Opaque:
		return p.tag(d, int(flags&0xff))
	case Compound:
		return p.compound(d, int(flags&0xffff), depth)
	case Reference:
		return p.reference(d, flags)
	case Enumeration:
		return p.enumeration(d, int(flags&0xffff), depth)
	case VariableLength:
		return p.variable(d, flags, depth)
	case Array:
		return p.array(d, depth)
	case Complex:
		return p.complex(d, flags, depth)
	default:
		return fmt.Errorf("byte %d: class %d, known are 0 to %d: %w", p.at, d.Class, Complex, errors.ErrUnsupported)
	}
	return err
}

func orderOf(flags uint32) dtype.Order {
	if flags&1 != 0 {
		return dtype.Big
	}
	return dtype.Little
}

// bits reads the properties that all numbers have.
func (p *parser) bits(d *Datatype, flags uint32) (err error) {
	d.Order = orderOf(flags)
	d.LowPad, d.HighPad = flags&2 != 0, flags&4 != 0
	if d.BitOffset, err = p.number(2); err != nil {
		return err
	}
	if d.Precision, err = p.number(2); err != nil {
		return err
	}
	if d.Precision == 0 || d.BitOffset+d.Precision > 8*d.Size {
		return p.corrupt("%d bits from bit %d on in an element of %d bytes", d.Precision, d.BitOffset, d.Size)
	}
	return nil
}

func (p *parser) float(d *Datatype, flags uint32) error {
	if err := p.bits(d, flags); err != nil {
		return err
	}
	if d.Version >= 3 && flags&0x40 != 0 {
		if flags&1 == 0 {
			return p.corrupt("a byte order that is neither VAX's nor any other")
		}
		d.Order = dtype.Mixed
	}
	b, err := p.take(8)
	if err != nil {
		return err
	}
	d.Float = FloatFields{
		Sign:             int(flags >> 8 & 0xff),
		ExponentLocation: int(b[0]), ExponentSize: int(b[1]),
		MantissaLocation: int(b[2]), MantissaSize: int(b[3]),
		Bias: binary.LittleEndian.Uint32(b[4:]), Norm: Norm(flags >> 4 & 3), InnerPad: flags&8 != 0,
	}
	f := d.Float
	switch {
	case f.Norm > NormImplied:
		return p.corrupt("mantissa normalisation %d", f.Norm)
	case f.ExponentSize == 0 || f.MantissaSize == 0:
		return p.corrupt("a float without exponent or mantissa")
	case max(f.Sign+1, f.ExponentLocation+f.ExponentSize, f.MantissaLocation+f.MantissaSize) > 8*d.Size:
		return p.corrupt("a float of %d bytes with sign bit %d, exponent bits %d+%d, mantissa bits %d+%d", d.Size,
			f.Sign, f.ExponentLocation, f.ExponentSize, f.MantissaLocation, f.MantissaSize)
	}
	return nil
}

// text reads padding and character set of a string from the flags of the message.
func (p *parser) text(d *Datatype, flags uint32) error {
	d.Padding, d.CharSet = Padding(flags&15), CharSet(flags>>4&15)
	if d.Padding > SpacePadded || d.CharSet > UTF8 {
		return p.corrupt("a string with padding %d in character set %d", d.Padding, d.CharSet)
	}
	return nil
}

func (p *parser) tag(d *Datatype, n int) error {
	if n%8 != 0 {
		return p.corrupt("a tag of %d bytes, want a multiple of 8", n)
	}
	b, err := p.take(n)
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	d.Tag = string(b)
	return err
}

func (p *parser) reference(d *Datatype, flags uint32) error {
	d.Reference = ReferenceKind(flags & 15)
	most := RegionAddress
	if d.Version >= 4 {
		most, d.ReferenceVersion = AttributeReference, int(flags>>4&15)
	}
	if d.Reference > most {
		return p.corrupt("reference of kind %d", d.Reference)
	}
	return nil
}
