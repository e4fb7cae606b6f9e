// Package trial tries codec chains on some chunks of an array, without writing anything.
//
// [Read] reads chunks that are well spread over the array of a plan. [Measured.Try] encodes
// a chunk, decodes it again and compares the two. [Array] does both for an array as its plan
// has it, and says what the whole array would take.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	spread.go    which chunks are tried
//	cells.go     chunks of a plan's array, read as a run reads them
//	measured.go  chunks encoded and decoded with one chain
//	estimate.go  the whole array, by its sample
package trial
