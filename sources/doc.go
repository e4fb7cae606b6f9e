// Package sources reads data sets. A [Source] is an opened data set. It has groups and
// arrays, and an [Array] reads its elements region by region.
//
// Each format has a package of its own below this one. A program that knows the format
// of its data calls Open of that package: zarr.Open, netcdf.Open, arrow.Open or
// raw.Open. A [Driver] describes a format for programs that find the format themselves.
//
// This package has what the formats share:
//
//	NewStrided   an array whose elements lie at regular distances in one file
//	Join         arrays laid end to end along one of their dimensions
//	Stack        arrays of one shape laid along a new, first dimension
//	Texts        the texts of an array of characters
//	Packed       the physical values of an array that is packed by the CF conventions
//	OpenFiles    the files behind a source
//	CheckRegion  refuses regions that no array can read
//
// A damaged or hostile file causes an error. It causes neither a panic nor an
// allocation beyond the documented bounds. When an array is opened, its extents are
// compared with the size of the file, so reading cannot run past the end.
package sources
