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
//	JoinLists    lists of varying length, one file after the other
//	Stack        arrays of one shape laid along a new, first dimension
//	Texts        the texts of an array of characters
//	Packed       the physical values of an array that is packed by the CF conventions
//	OpenFiles    the files behind a source
//	CheckRegion  refuses regions that no array can read
//
// A damaged or hostile file causes an error. It causes neither a panic nor an
// allocation beyond the documented bounds. When an array is opened, its extents are
// compared with the size of the file, so reading cannot run past the end.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	source.go       Source, Array and Info
//	region.go       CheckRegion
//	array_error.go  errors about an array
//	details.go      what inspect shows of a format
//	names.go        names of internal types for other programs
//	nodes.go        the nodes of a hierarchy
//	report.go       problems that are gathered
//	described.go    an array with a description of its own
//	characters.go   Texts and Numbers
//	fill.go         the fill value of an array
//	infos.go        equal descriptions that share memory
//	files.go        OpenFiles
//	strided.go      NewStrided
//	reads.go        how many reads a region takes
//	converted.go    an array whose elements are converted
//	rebased.go      times that are brought to another origin
//	packed.go       Packed
//	sparse.go       arrays of which few chunks are stored
//	selected.go     a box of an array as an array
//	stored.go       chunks as they are stored
//	joined.go       the elements of joined arrays
//	pieces.go       Pieces
//	join_stored.go  the stored chunks of joined arrays
//	join.go         Join and Stack
//	lists.go        lists of varying length, and JoinLists
//	probe.go        Probe, with which drivers look at a place
//	resident.go     memory that sources keep
//	driver.go       Driver
//	formats.go      what a file is by its first bytes
//	detect.go       the driver for a place
package sources
