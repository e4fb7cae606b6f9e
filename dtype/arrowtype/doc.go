// Package arrowtype states the types of Apache Arrow columns as Zarr data
// types, and the other way round. Its functions look at types alone and are
// safe for concurrent use; the values are the caller's to convert, as the table
// says. A null, which any Arrow column may hold and no Zarr element can be, is
// the caller's to replace as well.
//
// # From Arrow
//
// [Of] follows the columnar format's logical types (Apache Arrow,
// format/Schema.fbs):
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
//	month_interval                     numpy.timedelta64[M]      widened from 32 bits
//	struct                             struct                    fields packed, in their order
//	fixed_size_list(n)                 that of its elements      in C order; n is an axis of a row
//	dictionary                         that of its values        indices become values
//	run_end_encoded                    that of its values        runs become values
//	extension                          that of its storage       those of the storage
//
// Units are s, ms, us and ns, with a scale_factor of 1. In temporal columns the
// smallest int64 is a value like others to Arrow and "not a time" to Zarr.
//
// The storage of the canonical extension arrow.fixed_shape_tensor is a list of
// fixed size: its shape here is one number, the product of the tensor's. The
// tensor's own shape and the permutation of its axes stand in the metadata of
// the column's field, which are no part of an Arrow type.
//
// Refused, each with a way out in the error: decimals, null, lists of variable
// length and maps, unions, intervals of days and of parts of days, structs with
// fields of variable size or of several elements.
//
// # To Arrow
//
// [To] gives the first type of each line of the table, of timestamps the one
// without a zone, and for timedelta64 duration. The types r* and
// null_terminated_bytes become fixed_size_binary as raw_bytes does, and read
// back as that. Days (numpy.datetime64[D]) become date32 and months
// (numpy.timedelta64[M]) month_interval: counts that need more than 32 bits do
// not fit, and the writer of the values must refuse them. "Not a time" is for
// that writer to make null.
//
// Other types have no Arrow type, and the error names the one to choose: a
// wider integer or float for those of less than a byte and for the floats of
// machine learning, a struct of two floats for complex numbers, string for
// fixed_length_utf32, the next of Arrow's units for those that it does not have.
package arrowtype
