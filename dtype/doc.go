// Package dtype is the model of Zarr data types and of their scalars: how a
// type is named in Zarr v2 and v3 metadata, how many bytes an element has, and
// how its fill values are written as JSON in both formats.
//
// # Elements in memory
//
// An element is Size bytes in the host's byte order: integers in two's
// complement, IEEE 754 floats, complex numbers as the real part followed by
// the imaginary part, bool as one byte 0 or 1. Byte order is no part of a
// type: Zarr v3 puts it into the bytes codec and Zarr v2 into the type's name,
// so reading a v2 name gives a Type and an [Order].
//
// # Fill values
//
// Zarr v3 core specification, "Fill value": booleans are true and false;
// integers are JSON numbers without fraction or exponent, never read through
// a float64, so all 64 bits survive; floats are numbers, "NaN", "Infinity",
// "-Infinity" or, for any bit pattern, "0x" and the digits of the bits, most
// significant first; complex numbers are [real, imaginary]; raw bits are an
// array of byte values. Zarr v2 spells raw bytes in base64 and has no hex
// form.
//
// Formatting gives the shortest text that reads back to the same bits, and
// "NaN" only for the quiet, positive NaN that the specification gives the
// name to. Floats narrower than 64 bits are written with the digits of their
// float64 value, as NumPy-based programs do, so that a reader which parses
// JSON numbers as float64 sees exactly the stored value.
//
// # Registries
//
// [Standard] returns a [Registry] with the types of this package. A program
// adds types of its own to the value it was handed; there is no global list.
package dtype
