// Package sources is what a migration reads from: a [Source] is an opened data
// set, an [Array] gives its elements region by region. Each format has a
// package of its own below this one; here is what they share.
//
//	NewStrided   an array whose elements lie at regular distances in one file
//	Join         arrays laid end to end along one of their dimensions
//	Stack        arrays of one shape laid along a new, first dimension
//	Packed       the physical values of an array that is packed by the CF conventions
//	OpenFiles    the files behind a source: one store a directory, sizes checked
//	CheckRegion  what every ReadRegion refuses
//
// Whatever a file says, a driver neither panics nor allocates beyond its
// documented bounds: extents are checked against the size of the file when an
// array is opened, so that reading cannot run past its end.
package sources
