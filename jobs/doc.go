// Package jobs turns a job file into a migration.
//
//	job file ──Load──▶ Job ──NewPlan──▶ Plan ──Run──▶ Result
//	                    │                 │
//	                  Check            Manifest ──▶ checkpoint (package journal)
//
// [Load] reads the file, which package jobfile describes. [NewPlan] opens the sources and
// decides the rest, see package plan. [Run] does what the plan says, see package run.
// [Verify] reads a target back, see package verify. Both add to a report, which
// [ReadReport] reads, see package report. [ReadStatus] says what a checkpoint holds, and
// [Inspect] what lies at a URL.
//
// Several processes may work on one plan: one calls [Save], each of the others makes the plan by
// [ReadSaved] and works on it as a [Worker], and one calls [Finish].
//
// The files, bottom up. Each uses only files above it in this list:
//
//	jobs.go         jobs, plans and runs, from the rooms inside this folder
//	inspect_many.go many files shown as one source
//	inspect.go      Inspect
package jobs
