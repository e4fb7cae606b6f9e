// Package advise compares codec chains and chunk shapes on samples of the arrays of a plan.
//
// [Array] tries the candidates of package standard, and says which of them are on the Pareto
// front of size, speed of encoding and decoding, error and readers: no other chain is better in
// one of these and worse in none. It recommends one of them.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	values.go  what the values of a sample are
//	row.go     a chain with what came of it
//	front.go   the Pareto front, and the choice
//	shapes.go  chunk shapes, and what they cost to read
//	advise.go  Array
//	page.go    the advice as a page
package advise
