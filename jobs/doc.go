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
// Several processes may work on one plan: each makes it by [ReadPlan] from the text that
// [Plan.Manifest] returns, see [Begin], [Work] and [Finish].
//
// The files, bottom up. Each uses only files above it in this list:
//
//	jobs.go         jobs, plans and runs, from the rooms inside this folder
//	inspect_many.go many files shown as one source
//	inspect.go      Inspect
package jobs
