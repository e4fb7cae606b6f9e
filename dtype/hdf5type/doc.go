// Package hdf5type is the model of HDF5 datatypes: it reads and writes the datatype
// message (HDF5 File Format Specification Version 3.0, section IV.A.2.d, "The Datatype
// Message", versions 1 to 4, and version 5 of HDF5 2.0), and says which Zarr data type
// the elements have and how their bytes in the file become elements in memory.
//
// # The message
//
// A message is a header of eight bytes, little-endian, and properties that depend on
// the class. The properties of a class that builds on other datatypes include the
// messages of these datatypes:
//
//	class | version<<4 | flags<<8   4 bytes
//	size of an element in bytes     4 bytes
//	fixed-point, bitfield           bit offset, precision (2 bytes each)
//	floating-point                  bit offset, precision (2 each), exponent location and size,
//	                                mantissa location and size (1 each), exponent bias (4)
//	time                            precision (2)
//	string, reference               nothing
//	opaque                          tag, padded with zero bytes to a multiple of 8
//	compound                        for each member: name, offset in bytes, datatype
//	enumeration                     base datatype, names, values
//	variable-length, complex        base datatype
//	array                           number of dimensions, their lengths (4 each), base datatype
//
// Names end with a zero byte; versions 1 and 2 pad them to a multiple of 8 bytes. The
// offset of a member has 4 bytes in versions 1 and 2, and from version 3 on as many as
// the size of the compound needs. In version 1 a member has dimensions; later versions
// use an array datatype instead.
//
// # From the file to memory
//
// [Datatype.Type] gives a [Native]: the Zarr data type, and the moves that bring the
// bytes of an element in the file to their places in memory. [Native.Decode] carries
// out these moves: it drops padding between members, turns words into the host's byte
// order, widens integers of reduced precision, and clears the bytes behind the end of a
// string.
//
//	HDF5                                      Zarr
//	fixed-point of 1, 2, 4, 8 bytes           int8 … int64, uint8 … uint64
//	floating-point, IEEE 754                  float16, float32, float64
//	floating-point, by its bit fields         bfloat16, float8_e3m4, float8_e4m3, float8_e5m2,
//	                                          float6_e2m3fn, float6_e3m2fn, float4_e2m1fn
//	string                                    null_terminated_bytes
//	string of variable length                 string
//	sequence of single bytes                  bytes
//	bitfield of 1, 2, 4, 8 bytes              uint8 … uint64
//	opaque                                    raw_bytes; the type in the tag if h5py wrote "NUMPY:…"
//	enumeration {FALSE: 0, TRUE: 1}, 1 byte   bool
//	other enumerations                        the base integer, see Native.Enum
//	compound {r, i} of two equal floats       complex64, complex128, complex_float16, …
//	other compounds                           struct
//	complex (HDF5 2.0)                        complex64, complex128, complex_float16, …
//	array                                     the type of its elements, see Native.Shape
//	reference to an object or a region        string: the path of the object
//
// Times, encoded references, other sequences, VAX and extended floats, integers of other sizes,
// and compounds with members of variable length have no counterpart. The error says
// what to do instead.
package hdf5type
