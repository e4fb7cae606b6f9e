// Package dtype is the model of Zarr data types and of their scalars: how a
// type is named in Zarr v2 and v3 metadata, how many bytes an element has, how
// its fill values are written as JSON in both formats, and the arithmetic of
// floats of up to 16 bits.
//
// # Elements in memory
//
// An element is Size bytes in the host's byte order: integers in two's
// complement, floats as their bit patterns, complex numbers as the real part
// followed by the imaginary part, bool as one byte 0 or 1, text as UTF-32
// filled up with zeros, records as their fields one behind the other without
// gaps. Numbers of less than a byte lie in the low bits of one; the bits above
// repeat the sign of signed integers and are 0 otherwise, so that equal values
// are equal bytes.
//
// Byte order is no part of a type: Zarr v3 puts it into the bytes codec and
// Zarr v2 into the type's name, so reading a v2 name gives a Type and an
// [Order]. A record of Zarr v2 may have one for each field: the order is then
// Mixed, and the fields remember theirs.
//
// # Fill values
//
// Zarr v3 core specification, "Fill value", and for the other types the
// registry of Zarr extensions: booleans are true and false; integers are JSON
// numbers without fraction or exponent, never read through a float64, so all
// 64 bits survive; floats are numbers, "NaN", "Infinity", "-Infinity" or, for
// any bit pattern, "0x" and the digits of the bits, most significant first, as
// far as the type has such values; complex numbers are [real, imaginary]; r*
// is an array of byte values, other bytes are base64; times are integers or
// "NaT"; text is a string; a struct is an object with a value for every field.
// Zarr v2 spells r* and records in base64 and has no hex form. It leaves the
// rest to NumPy, so more is read there: integers with a fraction or an exponent,
// such as -9999.0 and 1e3; true and false as integers, and 1 and 0 as booleans;
// 0 as an element of zero bytes of every type that is no number; and "" as one
// of opaque bytes. Its null, no fill value, is for [ParseFill] alone: it is no
// scalar of any type.
//
// Formatting gives the shortest text that reads back to the same bits, and
// "NaN" only for the NaN that the specification gives the name to. Floats
// narrower than 64 bits are written with the digits of their float64 value, as
// NumPy-based programs do, so that a reader which parses JSON numbers as
// float64 sees exactly the stored value. "Not a time" is written as the
// smallest integer, which more readers know than "NaT".
//
// # Registries
//
// [Standard] returns a [Registry] with the types of this package. A program
// adds types of its own to the value it was handed; there is no global list.
// What codecs want to know of a type beyond its size they ask through small
// interfaces, such as [Ordered] for bytes and [Packed] for packbits, which a
// type from outside implements as well as those of this package.
//
// # Types of other formats
//
// The packages below this one map the types of Arrow, HDF5 and NetCDF to those
// of Zarr and back.
package dtype
