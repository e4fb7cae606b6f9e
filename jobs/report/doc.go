// Package report keeps the report of a job, for whoever signs off a migration, and makes a
// page of it.
//
// Each run and each verification adds to the document report.json in the checkpoint of the
// job. [Run], [Finish] and [Verify] do what the functions of the same names in other
// packages do, and add to that document. docs/report.md describes its layout.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	document.go  Document
//	leave.go     what writes the document
//	sample.go    a slice of an array of the target, as numbers
//	picture.go   a slice as a picture
//	chart.go     histograms, lines and bars
//	page.go      the page
package report
