// Package jobs turns a job file into a migration.
//
//	job file ──Load──▶ Job ──NewPlan──▶ Plan ──Run──▶ Result
//	                    │                 │
//	                  Check            Manifest ──▶ checkpoint (package journal)
//
// [Load] reads the file, which package jobfile describes. [NewPlan] opens the
// sources and decides the rest: shapes, chunks, bound codec chains, fill values. It
// writes nothing, and refuses everything that can be refused without data.
//
// [Run] takes the job's lock, compares the plan's [Manifest] with that of
// the checkpoint, goes on where an earlier run stopped or begins anew, and
// leaves a record of completion. A plan for target.existing: append is made from
// what the target holds, too: its arrays are the rows that come to those there,
// from the first object on that gets any, and they become part of the target when
// all of them are in place.
//
// [ReadStatus] tells what a checkpoint holds, and [Inspect] what lies at a URL.
package jobs
