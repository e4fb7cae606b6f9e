// Package run executes a plan.
//
// [Run] takes the job's lock and compares the manifest of the plan with that of the
// checkpoint. It goes on where an earlier run stopped, or begins anew. At the end it leaves
// a record of completion. Appended rows become visible in the target when all of them are
// stored.
//
// Several processes may work on one plan. [Save] makes the target and the checkpoint ready, a
// [Worker] does some units and leaves their receipts in the checkpoint, and [Finish] completes
// the target from the receipts of all units. Chunk data never travel between the processes.
//
// [ReadStatus] returns what a checkpoint holds.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	bitset.go         sets of chunk numbers
//	verified.go       the last verification of the target
//	result.go         Result
//	options.go        Options, and what a run tells while it works
//	outcome.go        what a run does at its target: the interface of creating and growing
//	state.go          one run, and how far its arrays are
//	completion.go     the record of completion
//	target_objects.go objects of the target: which chunk they are of, and removing them
//	ledger.go         the objects of the target compared with those on record
//	lock.go           the locks of the checkpoint and of the target
//	clean.go          what killed runs and workers have left
//	record.go         receipts that count
//	values.go         the digests of whole arrays
//	source_changes.go a source that changes during the run
//	commit.go         a batch of receipts, and the end of a run
//	settle.go         what an earlier owner of the lock may have left
//	earlier_run.go    the record of an earlier run compared with the plan
//	earlier_rows.go   chunks with rows of earlier runs that are to be written again
//	overwrite.go      what is in the way of a new target
//	restart.go        a run that forgets the earlier ones
//	creating.go       a new target
//	growing.go        a target to which rows are appended
//	resume.go         what earlier runs have done
//	sparse.go         chunks for which the source stores nothing
//	tasks.go          the arrays of a run for the stages
//	campaign.go       what keeps campaigns and runs apart
//	session.go        the target, the checkpoint and the lock, opened and closed
//	run.go            Run
//	save.go           Save and ReadSaved
//	work.go           Worker
//	finish.go         Finish
//	campaign_status.go how far a campaign is
//	status.go         ReadStatus
package run
