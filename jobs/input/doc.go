// Package input opens the source of a job: its files or hierarchies, the arrays that the job
// selects with their coordinates, and the parts of these arrays.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	cf_modes.go     what becomes of packed arrays
//	combining.go    how the files of a source become one
//	kept_chunks.go  arrays whose chunks and codecs the target may keep
//	open.go         opening the source by its driver
//	faults.go       arrays that cannot be opened
//	arrays.go       the arrays that the job selects, and their coordinates
//	selection.go    the parts of arrays that the job selects
package input
