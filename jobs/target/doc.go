// Package target decides whether incoming rows may be appended to an existing array.
//
// An [Existing] is a pair: an array that the target already holds, and the array of the
// source with the same path. It has three checks:
//
//	CheckCoordinate  are the incoming rows new, are they in the target already, or neither?
//	Overlap          which of the incoming rows does the target have already?
//	CheckOverlap     do these rows have the same values?
//	CheckRows        do rows that are in the target already have the same values?
//	CheckValues      does an array that does not grow have the same values?
//
// Package compare decides whether two values are the same.
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
//	gaps.go             steps that incoming rows break
//	rows.go             rows that are known
//	overlap.go          rows that are left out, because the target has them
package target
