// Package preview tells what a plan would do: it describes arrays, estimates what a run takes, and
// compares the plan with what the target has now. It writes nothing.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	readers.go      who reads an array
//	description.go  an array of a plan for people and other programs
//	figures.go      objects, bytes, memory and requests of a run
//	difference.go   what the target has now, and what the plan makes
package preview
