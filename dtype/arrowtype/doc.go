// Package arrowtype states the types of Apache Arrow columns as Zarr data types, and
// the other way round. Its functions look at types alone and are safe for concurrent
// use. The caller converts the values, as the table says, and replaces nulls: any Arrow
// column may hold nulls, and no Zarr element can be one.
//
// # From Arrow
//
// [Of] follows the columnar format's logical types (Apache Arrow, format/Schema.fbs):
//
//	Arrow                              data type                 values
//	bool                               bool                      a bit becomes a byte, 0 or 1
//	int8 … int64, uint8 … uint64       the same name             unchanged
//	float16 (halffloat), float32,
//	float64                            the same name             unchanged, NaN payloads too
//	utf8, large_utf8, string_view      string                    unchanged
//	binary, large_binary, binary_view  bytes                     unchanged
//	fixed_size_binary(n)               raw_bytes, n bytes        unchanged; n is 1 to 1 MiB
//	timestamp(unit)                    numpy.datetime64[unit]    unchanged
//	timestamp(unit, zone)              numpy.datetime64[unit]    unchanged: instants in UTC; see Zone
//	date32                             numpy.datetime64[D]       widened from 32 bits
//	date64                             numpy.datetime64[ms]      unchanged
//	time32(unit), time64(unit)         numpy.timedelta64[unit]   since midnight; time32 is widened
//	duration(unit)                     numpy.timedelta64[unit]   unchanged
//	decimal(p, s), p up to 18          int64                     times 10 to the power of s; see Decimal
//	decimal(p, s), p from 19 on        string                    digits, with s of them behind a point
//	month_interval                     numpy.timedelta64[M]      widened from 32 bits
//	struct                             struct                    fields packed, in their order
//	fixed_size_list(n)                 type of its elements     in C order; n is an axis of a row
//	dictionary                         type of its values       indices become values
//	run_end_encoded                    type of its values       runs become values
//	extension                          type of its storage      as those of the storage
//
// Units are s, ms, us and ns, with a scale_factor of 1. In temporal columns, the
// smallest int64 is an ordinary value in Arrow, and "not a time" in Zarr.
//
// The storage of the canonical extension arrow.fixed_shape_tensor is a list of fixed
// size. So [Of] gives its shape as one number, the number of elements of the tensor.
// The tensor's own shape and the permutation of its axes are in the metadata of the
// column's field, which are no part of an Arrow type.
//
// Refused, each with a way out in the error: null, lists of variable length and maps,
// unions, intervals of days and of parts of days, structs with fields of variable size or
// of several elements.
//
// # To Arrow
//
// [To] gives the first type of each line of the table: for datetime64 a timestamp
// without a zone, and for timedelta64 a duration. The types r* and
// null_terminated_bytes become fixed_size_binary, as raw_bytes does, and read back as
// raw_bytes. Days (numpy.datetime64[D]) become date32 and months (numpy.timedelta64[M])
// month_interval: counts that need more than 32 bits do not fit, and the caller, who
// writes the values, must refuse them. The caller also writes "not a time" as null.
//
// Other types have no Arrow type, and the error names the one to choose: a wider
// integer or float for those of less than a byte and for the floats of machine
// learning, a struct of two floats for complex numbers, string for fixed_length_utf32,
// the nearest of Arrow's units for a unit that Arrow does not have.
package arrowtype
