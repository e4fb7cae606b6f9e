// Package netcdftype has the external types of NetCDF and their Zarr data types. The
// types have the numbers of files in the classic formats (NetCDF Classic and 64-bit
// Offset Format Specification, nc_type; CDF-5 adds [UByte] to [UInt64]) and of the
// programming interface of NetCDF-4.
//
//	NetCDF           Zarr
//	byte             int8
//	char             uint8: a byte of text, of no stated encoding
//	short, int       int16, int32
//	float, double    float32, float64
//	ubyte, ushort, uint, int64, uint64
//	                 uint8, uint16, uint32, int64, uint64
//	string           string
//
// Types that a NetCDF-4 file defines itself (variable-length, opaque, enum, compound)
// have no numbers of their own. Package hdf5type has them as HDF5 datatypes.
package netcdftype

import (
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
)

// Type is an nc_type. A file may hold any number; a number without a meaning is not
// [Type.In] any format.
type Type uint32

// The types, with their numbers in files.
const (
	Byte   Type = iota + 1 // NC_BYTE
	Char                   // NC_CHAR
	Short                  // NC_SHORT
	Int                    // NC_INT
	Float                  // NC_FLOAT
	Double                 // NC_DOUBLE
	UByte                  // NC_UBYTE
	UShort                 // NC_USHORT
	UInt                   // NC_UINT
	Int64                  // NC_INT64
	UInt64                 // NC_UINT64
	String                 // NC_STRING
)

// Format is a format of NetCDF files. The numbers are those of libnetcdf's NC_FORMAT
// constants. For the classic formats the number is also the version, the byte behind
// "CDF" at the beginning of a file.
type Format byte

// Formats. NetCDF4Classic is a NetCDF-4 file restricted to the classic model.
const (
	CDF1           Format = 1
	CDF2           Format = 2
	NetCDF4        Format = 3
	NetCDF4Classic Format = 4
	CDF5           Format = 5
)

// external describes a type: its name in CDL, its data type, and its size in bytes in a
// file of the classic formats.
type external struct {
	cdl  string
	data dtype.Type
	size int
}

// describe returns the zero value for numbers that are no types.
func (t Type) describe() external {
	switch t {
	case Byte:
		return external{"byte", dtype.Int8, 1}
	case Char:
		return external{"char", dtype.Uint8, 1}
	case Short:
		return external{"short", dtype.Int16, 2}
	case Int:
		return external{"int", dtype.Int32, 4}
	case Float:
		return external{"float", dtype.Float32, 4}
	case Double:
		return external{"double", dtype.Float64, 8}
	case UByte:
		return external{"ubyte", dtype.Uint8, 1}
	case UShort:
		return external{"ushort", dtype.Uint16, 2}
	case UInt:
		return external{"uint", dtype.Uint32, 4}
	case Int64:
		return external{"int64", dtype.Int64, 8}
	case UInt64:
		return external{"uint64", dtype.Uint64, 8}
	case String:
		return external{"string", dtype.StringType, 0}
	default:
		return external{}
	}
}

// String returns the name of the type in CDL, the language of ncdump.
func (t Type) String() string {
	if name := t.describe().cdl; name != "" {
		return name
	}
	return fmt.Sprintf("type number %d", uint32(t))
}

// Size returns the bytes of one value in a file. It is 0 for String, whose values have
// different lengths, and for numbers that are no types.
func (t Type) Size() int { return t.describe().size }

// In reports whether files of a format may have the type.
func (t Type) In(f Format) bool {
	last := Type(0)
	switch f {
	case CDF1, CDF2, NetCDF4Classic:
		last = Double
	case CDF5:
		last = UInt64
	case NetCDF4:
		last = String
	}
	return Byte <= t && t <= last
}

// Of returns the Zarr data type of values of an external type. It returns an error if
// the number is none of the twelve.
func Of(t Type) (dtype.Type, error) {
	if data := t.describe().data; data != nil {
		return data, nil
	}
	const firstDefined, lastDefined = 13, 16 // NC_VLEN, NC_OPAQUE, NC_ENUM, NC_COMPOUND
	if firstDefined <= t && t <= lastDefined {
		return nil, fmt.Errorf("NetCDF type number %d is a class of types that a file defines, not a type: %w", uint32(t), errors.ErrUnsupported)
	}
	return nil, fmt.Errorf("NetCDF type number %d: want %d to %d", uint32(t), Byte, String)
}

// To returns the external type for values of a data type. It never returns Char,
// because Char and UByte both are uint8. The error, which wraps
// [errors.ErrUnsupported], names the type to choose instead.
func To(t dtype.Type) (Type, error) {
	for nc := Byte; nc <= String; nc++ {
		if nc != Char && dtype.Same(nc.describe().data, t) {
			return nc, nil
		}
	}
	return 0, fmt.Errorf("data type %s has no NetCDF type: %s: %w", t.Name(), instead(t), errors.ErrUnsupported)
}

// instead says what to choose instead of a type that NetCDF does not have.
func instead(t dtype.Type) string {
	switch t := t.(type) {
	case dtype.Numeric:
		return insteadOf(t)
	case dtype.Temporal:
		if t.Span() {
			return `choose int64 and an attribute units, such as "seconds"`
		}
		return `choose int64 and an attribute units, such as "seconds since 1970-01-01"`
	case dtype.Record:
		return "make a variable of each field"
	case dtype.Object:
		return "choose uint8 with one more dimension, padded to the longest"
	}
	switch t.Name() {
	case "null_terminated_bytes":
		return fmt.Sprintf("choose string, or uint8 with one more dimension of length %d", t.Size())
	case "fixed_length_utf32":
		return "choose string"
	default:
		return fmt.Sprintf("choose uint8 with one more dimension of length %d", t.Size())
	}
}

// insteadOf is instead for types of numbers.
func insteadOf(t dtype.Numeric) string {
	switch t.Kind() {
	case dtype.Bool, dtype.Int:
		return "choose int8, or a wider integer"
	case dtype.Uint:
		return "choose uint8, or a wider unsigned integer"
	case dtype.Float:
		return "choose float32, which has all of its values"
	case dtype.Complex:
		if t.Size() > dtype.Complex64.Size() {
			return "choose float64 with one more dimension of length 2"
		}
		return "choose float32 with one more dimension of length 2"
	default:
		return "choose a number of 8, 16, 32 or 64 bits"
	}
}
