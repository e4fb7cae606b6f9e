// Package report writes the report of a job, and makes a page of it. The report is for
// whoever signs off a migration.
//
// The report is the document report.json in the checkpoint of the job. [Run], [Finish] and
// [Verify] do what the functions of the same names in packages run and verify do, and add
// their results to the report. docs/report.md describes its layout.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	document.go     Document
//	leave.go        adding to the document, and reading it
//	sample.go       a slice of an array of the target, as numbers
//	picture.go      a slice as a picture
//	chart.go        histograms, lines and bars
//	page_arrays.go  what the page says of an array
//	page.go         the page
package report
