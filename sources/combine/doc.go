// Package combine makes one source of many files. [Open] opens each file once and
// joins the arrays along a dimension that they have, or stacks them along a new one.
// Whatever differs between the files is found, and judged, before anything is written.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	combined.go  the source that is made, its variables, and spans and runs of members
//	bounds.go    bounds, which inherit from their coordinates
//	limits.go    limits of values that hold in all members
//	compare.go   descriptions of an array in the members
//	order.go     the values of the coordinate along which members are joined
//	overlap.go   members that overlap
//	pieces.go    values of arrays that are not joined, compared piece by piece
//	rebase.go    times of members that count from other origins
//	range.go     the order of members
//	remarks.go   notes and findings of members, told once
//	join.go      one variable, joined or stacked
//	combine.go   Open
//	sources.go   OpenAll: sources as members
package combine
