// Package jobfile reads and checks job files.
//
//	YAML ──yaml──▶ node tree ──override──▶ node tree ──parse──▶ Job ──check──▶ Problems
//
// [Load] reads a file and reports everything that is wrong with it. Each [Problem]
// has line, column and field. [Job.Check] adds what can be told without opening a
// source: codec chains, data types, fill values, shapes and names.
//
// A [Job] describes; it opens nothing. [Job.Options] and [Job.Selected] say what
// the file says of one array, and [Job.Normalised] is the text by which a
// checkpoint recognises the job.
package jobfile
