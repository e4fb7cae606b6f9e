// Package target tells whether incoming rows belong behind those of an existing array.
//
// An [Existing] is an array that the target already holds, with the array of the source
// that meets it. A coordinate is compared by [Existing.CheckCoordinate]: it finds out
// whether the incoming rows are known, are new, or are neither. Rows that are known are
// compared by [Existing.CheckRows], and an array that does not grow by
// [Existing.CheckValues]. What is the same is said by package compare.
//
// The package reads elements and writes nothing.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	attributes.go       the way out for an attribute that differs
//	existing.go         Existing
//	calendar.go         calendars that agree from some time on
//	values.go           arrays that do not grow
//	coordinate.go       the values of a coordinate, and the order of texts
//	coordinate_first.go the coordinate of a new target
//	rows.go             rows that are known
package target
