// Package compare decides what is the same: values of elements, their order, attributes,
// units and calendars. Joining files and appending rows both use it, so that they cannot
// disagree.
//
//	Values        which elements are one value: both zeros are, and all NaNs
//	First         the first element in which two arrays have other values
//	Digest        one digest of all arrays with the same values
//	Order         the order of numbers and times; NaN and NaT have no place in it
//	Trend         whether values rise, or fall, throughout
//	Attributes    the attributes in which two arrays differ, and how much each matters
//	Descriptions  differences in attributes, types, shapes, packing and fill values
//	Calendars     calendars that differ in times before 1582-10-15 alone
//	BoundsOf      which arrays are the bounds of others, and inherit from them
//	CoordinatesOf which arrays say where the elements of another are
//
// # Values
//
// Two elements are the same value if arithmetic cannot tell them apart: -0 is 0, and each
// NaN is the same as any other, whatever its sign and payload. This rule is for floats of
// all widths, for both parts of a complex number and for each field of a record. All other
// elements are the same if their bytes are the same. The rule is for comparisons alone:
// stored bits never change because of it.
//
// # Differences
//
// A difference has a [Weight]: the harm that is done if the difference is overlooked. The
// caller decides whether a weight is an error or a note. A job that joins files may declare
// the first file right; a job that appends rows may not.
//
// # Files
//
// The files, bottom up. Each uses only files above it in this list:
//
//	values.go        values that are the same
//	attributes.go    attributes, and how much a difference matters
//	coordinates.go   which arrays attributes name
//	bounds.go        bounds, and what they inherit
//	order.go         the order of values
//	calendars.go     calendars that differ only in early times
//	descriptions.go  Descriptions
package compare
