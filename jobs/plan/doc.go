// Package plan decides everything about a job that can be decided before data move.
//
// [New] opens the sources of a job and makes a [Plan]: shapes, chunks, bound codec
// chains, fill values, and what becomes of the target. It writes nothing, and refuses
// everything that can be refused without data. A plan for target.existing: append is
// made from what the target holds, too: its arrays are the rows that come to those of
// the target, from the first object on that gets any.
//
// The [Manifest] of a plan is what a checkpoint remembers of it. The same job over the
// same sources has the same manifest, with the same hash.
package plan
