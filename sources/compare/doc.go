// Package compare has the one answer to "is this the same": for the values of
// elements, their order, attributes, units and calendars. Joining files and appending
// rows both ask it, so that they cannot disagree.
//
//	Values        which elements are one value: both zeros are, and all NaNs
//	First         the first element in which two arrays have other values
//	Digest        one digest of all arrays with the same values
//	Order         the order of numbers and times; NaN and NaT have no place in it
//	Trend         whether values rise, or fall, throughout
//	Attributes    the attributes in which two arrays differ, and how much each matters
//	Descriptions  that, and types, shapes, packing and fill values
//	Calendars     calendars that differ in times before 1582-10-15 alone
//	BoundsOf      which arrays are the bounds of others, and inherit from them
//	CoordinatesOf which arrays say where the elements of another are
//
// # Values
//
// Two elements are the same value where no reader of numbers could tell them apart:
// -0 is 0, and a NaN is a NaN whatever its sign and payload. That goes for floats of
// all widths, for each part of a complex number and for each field of a record. All
// other elements are the same where their bytes are. What is stored stays bit for bit
// what it is; only the question whether two arrays hold the same data is answered so.
//
// # Differences
//
// A difference has a [Weight], which says what happens to data if it is overlooked.
// What follows from the weight, an error or a note, is for the caller: a job that
// joins files may say that the first one is right, and one that appends rows may not.
package compare
