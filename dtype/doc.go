// Package dtype is the model of Zarr data types and of their scalars: how a type is
// named in Zarr v2 and v3 metadata, how many bytes an element has, how its fill values
// are written as JSON in both formats, and the arithmetic of floats of up to 16 bits.
//
// # Elements in memory
//
// An element is Size bytes in the host's byte order: integers in two's complement,
// floats as their bit patterns, complex numbers as the real part followed by the
// imaginary part, bool as one byte 0 or 1, text as UTF-32 filled up with zeros, records
// as their fields, one after the other without gaps. Numbers of less than a byte lie in
// the low bits of a byte. The bits above repeat the sign of signed integers and are 0
// for other numbers, so that equal values have equal bytes.
//
// Byte order is no part of a type: Zarr v3 puts it into the bytes codec and Zarr v2
// into the type's name, so reading a v2 name gives a Type and an [Order]. The fields of
// a Zarr v2 record may have different byte orders: the order is then Mixed, and each
// [Field] has its own.
//
// # Fill values
//
// The spellings in Zarr v3 follow the core specification, "Fill value", and for other
// types the registry of Zarr extensions:
//
//   - A boolean is true or false.
//   - An integer is a JSON number without fraction or exponent. It is never read
//     through a float64, so all 64 bits survive.
//   - A float is a number, "NaN", "Infinity", "-Infinity" or, for any bit pattern,
//     "0x" and the digits of the bits, most significant first; as far as the type has
//     such values.
//   - A complex number is [real, imaginary].
//   - An element of r* is an array of byte values; other bytes are base64.
//   - A time is an integer or "NaT".
//   - Text is a string.
//   - A struct is an object with a value for every field.
//
// Zarr v2 spells r* and records in base64 and has no hex form. It leaves the rest to
// NumPy, so more spellings are read in v2: integers with a fraction or an exponent,
// such as -9999.0 and 1e3; true and false as integers, and 1 and 0 as booleans; 0 as an
// element of zero bytes, for every type that is no number; and "" as an element of zero
// bytes, for opaque bytes. The null of Zarr v2 means that there is no fill value. Only
// [ParseFill] reads it, because null is no scalar of any type.
//
// Formatting gives the shortest text that reads back to the same bits, and "NaN" only
// for the bit pattern that the specification calls so. Floats narrower than 64 bits are
// written with the digits of their float64 value, as NumPy-based programs do, so that a
// reader which parses JSON numbers as float64 sees exactly the stored value. "Not a
// time" is written as the smallest integer, which more readers know than "NaT".
//
// # Registries
//
// [Standard] returns a [Registry] with the types of this package. A program adds types
// of its own to the value it was handed; there is no global list. What codecs want to
// know of a type beyond its size they ask through small interfaces, such as [Ordered]
// for bytes and [Packed] for packbits, which a type from outside implements as well as
// those of this package.
//
// # Types of other formats
//
// The packages below this one map the types of Arrow, HDF5 and NetCDF to those of Zarr
// and back.
package dtype
