// Package cf reads the attributes by which a NetCDF variable says that its values are
// packed, and turns them into codecs or into values. It also tells whether two
// spellings of units or of a calendar mean the same, see [SameMeaning], and counts times
// from another moment, see [Clock] and [Rebase].
//
// The rules are in the CF conventions (section 2.5.1, missing data; section 8.1, packed
// data), and in the attribute conventions of the NetCDF User's Guide (NUG), on which CF
// builds. A variable is packed when it has scale_factor or add_offset:
//
//	physical value = stored value × scale_factor + add_offset
//
// A variable with neither of them is not packed: its _FillValue, missing_value,
// valid_range and _Unsigned stay attributes.
//
// # Types
//
// _Unsigned "true" says that the integers of a signed type are unsigned, and "false"
// that the integers of an unsigned type are signed. The bits stay the same, in the
// elements and in attributes of the variable's type.
//
// Physical values are float32 under two conditions, which CF states: scale_factor and
// add_offset, as far as they exist, are float32; and the stored type is float32, or an
// integer of at most 16 bits. Otherwise physical values are float64, as CF advises for
// variables that break its rules. xarray differs where only one of the attributes
// exists: an add_offset alone makes its values float64, and a float32 scale_factor
// alone makes them float32, whatever the stored type. Attributes in JSON do not tell
// float32 from float64; they count as float64, as in xarray.
//
// # Missing values
//
// Missing data becomes NaN when it is unpacked. It is stored as _FillValue, as any
// value of missing_value, or as any value outside of valid_range, valid_min and
// valid_max. These attributes have stored values, with one exception: a limit of the
// valid range is in physical units if the stored type is an integer and the limit has
// the type of scale_factor or add_offset, whichever is wider (NUG, "valid_range"). A
// variable without _FillValue has none: the default fill values of the NetCDF library
// do not count as missing data.
//
// # Files
//
// The files, bottom up. Each uses only files above it in this list:
//
//	attribute_numbers.go  numbers of attributes
//	units.go              units that mean the same
//	calendar_reform.go    dates around 1582-10-15
//	clock.go              times of CF
//	packing.go            Packing: what the attributes of a variable say
//	valid_range.go        the stored values of a valid range
//	unpack.go             physical values
//	read.go               Read: a Packing from attributes
//	codec_arithmetic.go   what readers of the codecs compute
//	outcome.go            a Packing as codecs, and what that changes
//	period.go             the years and days that a text names
//	rebase.go             times from another moment
//	rebase_limits.go      the limits of such times
//	joined_limits.go      limits of several arrays as one
package cf
