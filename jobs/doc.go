// Package jobs turns a job file into a migration.
//
//	job file ──Load──▶ Job ──NewPlan──▶ Plan ──Run──▶ Result
//	                    │                 │
//	                  Check            Manifest ──▶ checkpoint (package journal)
//
// [Load] reads the file, which package jobfile describes. [NewPlan] opens the
// sources and decides the rest, see package plan. [Run] does what the plan says, see
// package run. [ReadStatus] tells what a checkpoint holds, and [Inspect] what lies at a
// URL.
package jobs
