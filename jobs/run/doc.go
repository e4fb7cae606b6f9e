// Package run does what a plan says.
//
// [Run] takes the job's lock, compares the manifest of the plan with that of the
// checkpoint, goes on where an earlier run stopped or begins anew, and leaves a record of
// completion. Rows that are appended become part of the target when all of them are in
// place.
//
// [ReadStatus] tells what a checkpoint holds.
package run
