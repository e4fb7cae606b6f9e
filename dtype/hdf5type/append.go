package hdf5type

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
)

// maxTag is the most bytes of a tag: the length has eight bits and is a multiple of 8.
const maxTag = 248

// Append appends the message of the datatype. Version is that of the message; 0 stands
// for the lowest version that can express the datatype. [Parse] reads the same model
// back. If the message cannot express the datatype, the error says why, and dst is
// returned as it was.
func (d *Datatype) Append(dst []byte) ([]byte, error) {
	out, err := d.append(dst, 0)
	if err == nil {
		// Parse alone knows the rules, so it checks the message.
		_, _, err = Parse(out[len(dst):])
	}
	if err != nil {
		return dst, fmt.Errorf("HDF5 datatype %v: %w", d.Class, err)
	}
	return out, nil
}

func (d *Datatype) append(dst []byte, depth int) ([]byte, error) {
	switch {
	case depth == maxDepth:
		return nil, fmt.Errorf("more than %d datatypes within each other", maxDepth)
	case d == nil:
		return nil, errors.New("a datatype within it is missing")
	case d.Class > Complex:
		return nil, fmt.Errorf("class %d, known are 0 to %d", d.Class, Complex)
	case d.Size < 1 || d.Size > math.MaxUint32:
		return nil, fmt.Errorf("%v elements of %d bytes", d.Class, d.Size)
	}
	copied := *d
	d = &copied
	if d.Version == 0 {
		d.Version = d.needed()
	}
	if d.Version < d.needed() || d.Version > maxVersion {
		return nil, fmt.Errorf("version %d cannot say this %v: want %d to %d", d.Version, d.Class, d.needed(), maxVersion)
	}
	if err := d.fits(); err != nil {
		return nil, err
	}
	flags, err := d.flags()
	if err != nil {
		return nil, err
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(d.Class)|uint32(d.Version)<<4|flags<<8)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(d.Size))
	return d.appendProperties(dst, depth)
}

// needed returns the lowest version of the message that can express the datatype.
func (d *Datatype) needed() int {
	switch {
	case d.Class == FloatingPoint && d.Order == dtype.Mixed:
		return 3
	case d.Class == Reference && d.Reference > RegionAddress:
		return 4
	default:
		return d.least()
	}
}

// fits refuses numbers that are too large for their places in the message.
func (d *Datatype) fits() error {
	f := d.Float
	for _, field := range []struct {
		name        string
		value, most int
	}{
		{"bit offset", d.BitOffset, math.MaxUint16},
		{"precision", d.Precision, math.MaxUint16},
		{"sign location", f.Sign, math.MaxUint8},
		{"exponent location", f.ExponentLocation, math.MaxUint8},
		{"exponent size", f.ExponentSize, math.MaxUint8},
		{"mantissa location", f.MantissaLocation, math.MaxUint8},
		{"mantissa size", f.MantissaSize, math.MaxUint8},
		{"normalisation", int(f.Norm), int(NormImplied)},
		{"padding", int(d.Padding), int(SpacePadded)},
		{"character set", int(d.CharSet), int(UTF8)},
		{"kind of reference", int(d.Reference), int(AttributeReference)},
		{"version of a reference", d.ReferenceVersion, 15},
		{"number of members", len(d.Members), math.MaxUint16},
		{"number of names", len(d.Names), math.MaxUint16},
		{"number of dimensions", len(d.Dims), maxRank},
		{"length of a tag", len(d.Tag), maxTag},
	} {
		if field.value < 0 || field.value > field.most {
			return fmt.Errorf("%s %d: want 0 to %d", field.name, field.value, field.most)
		}
	}
	for _, n := range d.Dims {
		if n < 1 || n > math.MaxUint32 {
			return fmt.Errorf("dimensions %v: want 1 to %d", d.Dims, math.MaxUint32)
		}
	}
	return nil
}

func flag(set bool, bit uint32) uint32 {
	if set {
		return bit
	}
	return 0
}

// flags returns the 24 bits of the message that depend on the class.
func (d *Datatype) flags() (uint32, error) {
	bits := flag(d.Order != dtype.Little, 1) | flag(d.LowPad, 2) | flag(d.HighPad, 4)
	text := uint32(d.Padding) | uint32(d.CharSet)<<4
	switch d.Class {
	case FixedPoint, Bitfield, FloatingPoint, Time:
		if d.Order != dtype.Little && d.Order != dtype.Big && (d.Order != dtype.Mixed || d.Class != FloatingPoint) {
			return 0, fmt.Errorf("byte order %v", d.Order)
		}
	}
	switch d.Class {
	case FixedPoint:
		return bits | flag(d.Signed, 8), nil
	case Bitfield:
		return bits, nil
	case FloatingPoint:
		return bits | flag(d.Float.InnerPad, 8) | uint32(d.Float.Norm)<<4 | flag(d.Order == dtype.Mixed, 0x40) |
			uint32(d.Float.Sign)<<8, nil
	case Time:
		return bits & 1, nil
	case String:
		return text, nil
	case Opaque:
		if strings.Contains(d.Tag, "\x00") {
			return 0, fmt.Errorf("tag %.60q has a zero byte", d.Tag)
		}
		return uint32(len(d.Tag)+7) &^ 7, nil
	case Compound:
		return uint32(len(d.Members)), nil
	case Enumeration:
		return uint32(len(d.Names)), nil
	case Reference:
		return uint32(d.Reference) | uint32(d.ReferenceVersion)<<4, nil
	case VariableLength:
		if d.Text {
			return 1 | text<<4, nil
		}
		return 0, nil
	case Complex:
		return 1, nil
	default:
		return 0, nil
	}
}

func (d *Datatype) appendProperties(dst []byte, depth int) ([]byte, error) {
	switch d.Class {
	case FixedPoint, Bitfield, FloatingPoint:
		dst = binary.LittleEndian.AppendUint16(dst, uint16(d.BitOffset))
		dst = binary.LittleEndian.AppendUint16(dst, uint16(d.Precision))
		if f := d.Float; d.Class == FloatingPoint {
			dst = append(dst, byte(f.ExponentLocation), byte(f.ExponentSize), byte(f.MantissaLocation), byte(f.MantissaSize))
			dst = binary.LittleEndian.AppendUint32(dst, f.Bias)
		}
	case Time:
		dst = binary.LittleEndian.AppendUint16(dst, uint16(d.Precision))
	case Opaque:
		dst = append(dst, d.Tag...)
		dst = append(dst, make([]byte, -len(d.Tag)&7)...)
	case Compound:
		return d.appendMembers(dst, depth)
	case Enumeration:
		return d.appendNames(dst, depth)
	case Array:
		return d.Base.append(d.appendDims(dst), depth+1)
	case VariableLength, Complex:
		return d.Base.append(dst, depth+1)
	}
	return dst, nil
}

func appendName(dst []byte, name string, version int) ([]byte, error) {
	if strings.Contains(name, "\x00") {
		return nil, fmt.Errorf("name %.60q has a zero byte", name)
	}
	dst = append(dst, name...)
	n := 1
	if version < 3 {
		n = 8 - len(name)%8
	}
	return append(dst, make([]byte, n)...), nil
}

func (d *Datatype) appendMembers(dst []byte, depth int) (_ []byte, err error) {
	for _, m := range d.Members {
		if m.Offset < 0 || m.Offset >= d.Size {
			return nil, fmt.Errorf("member %.60q at byte %d of %d", m.Name, m.Offset, d.Size)
		}
		if dst, err = appendName(dst, m.Name, d.Version); err != nil {
			return nil, err
		}
		offset := binary.LittleEndian.AppendUint32(nil, uint32(m.Offset))
		dst = append(dst, offset[:offsetBytes(d)]...)
		if d.Version == 1 {
			dst = append(dst, make([]byte, 28)...)
		}
		if dst, err = m.Type.append(dst, depth+1); err != nil {
			return nil, fmt.Errorf("member %.60q: %w", m.Name, err)
		}
	}
	return dst, nil
}

func (d *Datatype) appendNames(dst []byte, depth int) (_ []byte, err error) {
	if dst, err = d.Base.append(dst, depth+1); err != nil {
		return nil, err
	}
	for _, n := range d.Names {
		if len(n.Value) != d.Size {
			return nil, fmt.Errorf("the value of name %.60q has %d bytes, want %d", n.Name, len(n.Value), d.Size)
		}
		if dst, err = appendName(dst, n.Name, d.Version); err != nil {
			return nil, err
		}
	}
	for _, n := range d.Names {
		dst = append(dst, n.Value...)
	}
	return dst, nil
}

func (d *Datatype) appendDims(dst []byte) []byte {
	dst = append(dst, byte(len(d.Dims)))
	if d.Version == 2 {
		dst = append(dst, 0, 0, 0)
	}
	for _, n := range d.Dims {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	if d.Version == 2 {
		for i := range d.Dims {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(i))
		}
	}
	return dst
}
