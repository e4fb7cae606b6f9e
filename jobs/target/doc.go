// Package target decides whether incoming rows may be appended to an existing array.
//
// An [Existing] is a pair: an array that the target already holds, and the array of the
// source with the same path. Its checks answer these questions:
//
//	CheckCoordinate  are the incoming rows new, are they in the target already, or neither?
//	CheckFirst       may these values be the first ones of a coordinate?
//	CheckCalendar    do the times mean the same in both calendars?
//	Gaps             do rows seem to be missing before or between the incoming rows?
//	Overlap          which of the incoming rows does the target have already?
//	CheckOverlap     do these rows have the same values in source and target?
//	CheckRows        if the target has all incoming rows already, are the values the same?
//	CheckValues      does an array that does not grow have the same values?
//
// Package compare decides whether two values are the same.
//
// The package reads elements and writes nothing.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	attributes.go       the hint for an attribute that differs
//	existing.go         Existing
//	calendar.go         calendars that differ only in early times
//	values.go           arrays that do not grow
//	coordinate.go       the values of a coordinate, and the order of texts
//	coordinate_first.go the coordinate of a new target
//	gaps.go             gaps between rows
//	rows.go             incoming rows that the target has already
//	overlap.go          incoming rows of which the target has some already
package target
