// Package draft writes a first job file for a source.
//
// [New] finds the format of the source, and how several files become one. It tries codec chains
// on samples. The text that it returns is a job that validates and runs, with comments that
// explain its choices and say what may be deleted.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	files.go      the files of the source, and a glob that names them
//	options.go    Options, and what follows from the files
//	joining.go    along which dimension several files are joined
//	decisions.go  what is decided about the arrays
//	text.go       the decisions as the text of a job file
//	draft.go      New
package draft
