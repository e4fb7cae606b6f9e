package arrowtype

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/dtype"
)

// To returns the Arrow type of columns that hold elements of t; see the package
// documentation for the types. [Of] maps this Arrow type back to t; for a type of
// opaque bytes other than raw_bytes it gives raw_bytes. Where Arrow has no such type,
// the error names the data type to choose instead.
func To(t dtype.Type) (arrow.DataType, error) {
	if t == nil {
		return nil, errors.New("no data type given")
	}
	for _, p := range plain() {
		if p.zarr == t {
			return p.arrow, nil
		}
	}
	switch t := t.(type) {
	case dtype.Temporal:
		return toTemporal(t)
	case dtype.Record:
		return toStruct(t)
	}
	if !dtype.Opaque(t) && t.Name() != "null_terminated_bytes" {
		return nil, fmt.Errorf("data type %s has no arrow type: choose %s", t.Name(), substitute(t))
	}
	return &arrow.FixedSizeBinaryType{ByteWidth: t.Size()}, nil
}

func toTemporal(t dtype.Temporal) (arrow.DataType, error) {
	if t.Scale() == 1 {
		switch {
		case t.Unit() == "D" && !t.Span():
			return arrow.FixedWidthTypes.Date32, nil
		case t.Unit() == "M" && t.Span():
			return arrow.FixedWidthTypes.MonthInterval, nil
		}
		for _, unit := range arrow.TimeUnitValues {
			switch {
			case unit.String() != t.Unit():
			case t.Span():
				return &arrow.DurationType{Unit: unit}, nil
			default:
				return &arrow.TimestampType{Unit: unit}, nil
			}
		}
	}
	if t.Unit() == "generic" {
		return nil, fmt.Errorf("data type %s without a unit has no arrow type: choose int64, or a unit", t.Name())
	}
	return nil, fmt.Errorf("data type %s in units of %d %s has no arrow type: choose the unit %q with scale_factor 1",
		t.Name(), t.Scale(), t.Unit(), nearestUnit(t.Unit(), t.Span()))
}

// nearestUnit returns the name of the unit of an Arrow type that counts in the given
// NumPy unit, or in the nearest unit that Arrow has.
func nearestUnit(unit string, span bool) string {
	switch unit {
	case "s", "ms", "us", "ns":
		return unit
	case "ps", "fs", "as":
		return "ns"
	case "Y", "M":
		if span {
			return "M"
		}
		return "D"
	case "W", "D":
		if !span {
			return "D"
		}
	}
	return "s"
}

// toStruct makes fields of times nullable: Arrow has no other "not a time".
func toStruct(t dtype.Record) (arrow.DataType, error) {
	fields := make([]arrow.Field, 0, len(t.Fields()))
	for _, f := range t.Fields() {
		inner, err := To(f.Type)
		if err != nil {
			return nil, fmt.Errorf("field %.64q: %w", f.Name, err)
		}
		_, nullable := f.Type.(dtype.Temporal)
		fields = append(fields, arrow.Field{Name: f.Name, Type: inner, Nullable: nullable})
	}
	return arrow.StructOf(fields...), nil
}

// substitute names a data type that holds all values of t, which has no Arrow type, and
// has an Arrow type itself.
func substitute(t dtype.Type) string {
	numeric, ok := t.(dtype.Numeric)
	switch {
	case !ok && t.Size() == 0:
		return "string or bytes"
	case !ok:
		return fmt.Sprintf("string for text, or raw_bytes with length_bytes %d", t.Size())
	}
	bits := 8 * t.Size()
	if packed, ok := t.(dtype.Packed); ok {
		bits = packed.Packing().Bits
	} else if numeric.Kind() == dtype.Complex {
		bits /= 2
	}
	width := 8
	if numeric.Kind() == dtype.Float || numeric.Kind() == dtype.Complex {
		width = 32
	}
	for width < bits {
		width *= 2
	}
	digits := strconv.Itoa(width)
	switch kind := numeric.Kind(); {
	case kind == dtype.Bool:
		return "bool"
	case width > 64:
		return fmt.Sprintf("raw_bytes with length_bytes %d", t.Size())
	case kind == dtype.Int:
		return "int" + digits
	case kind == dtype.Uint:
		return "uint" + digits
	case kind == dtype.Float:
		return "float" + digits
	default:
		return "a struct of two float" + digits + ", or an array of float" + digits + " for each part"
	}
}
