// Package cf reads the attributes by which a NetCDF variable says that its
// values are packed, and turns them into codecs or into values. It also tells
// whether two spellings of units and calendar mean the same, see [SameMeaning].
//
// The rules are those of the CF conventions (section 2.5.1, missing data;
// section 8.1, packed data) and of the attribute conventions of the NetCDF
// User's Guide that they build on. A variable is packed when it has
// scale_factor or add_offset:
//
//	physical value = stored value × scale_factor + add_offset
//
// Without both there is nothing to do, and _FillValue, missing_value,
// valid_range and _Unsigned stay the attributes that they are.
//
// # Types
//
// _Unsigned "true" makes the integers of a signed type unsigned, "false" those
// of an unsigned one signed: the bits are the same, in the elements and in the
// attributes of the variable's type.
//
// Physical values are float32 where all of scale_factor and add_offset that
// exist are float32 and the stored type is an integer of at most 16 bits, as
// CF asks for, or float32 itself. They are float64 in all other cases, which is
// CF's advice for variables that break its rules. xarray differs in one of
// them: an add_offset alone makes its values float64, and a float32
// scale_factor alone makes them float32 whatever the stored type. Attributes
// in JSON do not tell float32 from float64; they count as float64, as in
// xarray.
//
// # Missing values
//
// _FillValue, every value of missing_value, and stored values outside of
// valid_range, valid_min and valid_max stand for missing data, NaN once
// unpacked. They are stored values; only a valid_… of the wider of the types
// of scale_factor and add_offset, where the stored type is an integer, is in
// physical units (NUG, "valid_range"). The default fill values of the NetCDF
// library are not taken for missing data when the variable does not name one.
package cf
