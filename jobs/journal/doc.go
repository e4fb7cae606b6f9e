// Package journal keeps what a job must not forget: which units of a plan are
// done, that the job is complete, and who is working on it. It lives in a
// folder of its own, the checkpoint, beside the target.
//
// # Layout
//
//	plan.json                the manifest that the checkpoint belongs to, JSON of the caller
//	segments/000001.jsonl    receipts, one JSON object a line; never changed once there
//	segments/000002.jsonl    …
//	done.json                the completion record, JSON of the caller
//	lock/000001.json         a marker of the lock
//
// A receipt is one line:
//
//	{"a":0,"u":17,"k":"sst/c/0/17","n":4096,"c":3735928559}
//	{"a":0,"u":18,"e":true}
//	{"a":0,"u":19,"e":true,"m":4096}
//
// with the array (a) and the unit (u) in the plan, and the key (k, may be left
// out), size in bytes (n) and CRC-32C (c) of the object; e tells that nothing
// is stored because the chunk holds only the fill value, and m how many chunks right
// behind it are as empty.
//
// # Durability
//
// A segment is created under the next free number, whole or not at all, and is
// durable when Append returns. Append receipts only of objects that are durable
// themselves, that is after the target's Sync. A crash then costs the receipts
// that were not yet appended: their units are done again, with the same result.
//
// Three rules make every moment between two steps safe. Segments count only
// while plan.json is there. done.json counts above all else. What does not
// count is removed by Begin, Succeed, Complete or Reset, whichever comes next.
//
// # Lock
//
// A holder of the lock is a numbered marker with its owner and a heartbeat. The
// highest number decides, numbers are never used twice, and a marker is created
// exclusively, so one of several contenders wins. Whoever finds the highest
// marker released or stale creates the next number. A marker is stale when its
// heartbeat is older than the time to live that it states, or when its owner
// was a process of this machine that has ended. The clocks of machines that
// share a checkpoint must agree well within the time to live.
//
// A process that was suspended for longer can be overtaken without noticing at
// once; its Lock tells so through Lost with the next heartbeat, and Held tells
// so when it is asked, which a run does before each commit.
package journal
