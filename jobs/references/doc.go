// Package references makes the table of references of a job: a virtual Zarr v2 hierarchy whose
// chunks are those of the source's files. [New] decides for each array of a plan whether its
// chunks are referred to or are in the table, [Run] writes the table.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	urls.go       URLs of files as fsspec reads them
//	fill.go       fill values, as readers of Zarr v2 understand them
//	inline.go     the elements of arrays that are in the table
//	references.go Table and New
//	write.go      the entries of a table
//	compare.go    a table that exists already
//	place.go      the file or the folder of a table
//	run.go        Run
package references
