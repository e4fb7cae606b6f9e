// Package journal keeps what a job must not forget: which units of a plan are
// done, that the job is complete, and who is working on it. It lives in a
// folder of its own, the checkpoint, beside the target.
//
// # Layout
//
//	plan.json                               the manifest that the checkpoint belongs to, JSON of the caller
//	segments/0f3a9c2b1d4e-000001.jsonl      receipts, one JSON object a line; never changed once there
//	segments/0f3a9c2b1d4e-000002.jsonl      …
//	done.json                               the completion record, JSON of the caller
//	objects/000001.jsonl.zst                the stored objects of a finished job
//	lock/000001.json                        a marker of the lock
//
// The name of a segment begins with a digest of the plan. A segment that arrives late,
// when the checkpoint belongs to another plan, is thus not taken for one of that. Those
// of earlier versions of this program have no digest.
//
// A receipt is one line:
//
//	{"a":0,"u":17,"n":4096,"c":3735928559,"v":"\"9b2cf5\""}
//	{"a":0,"u":18,"e":true}
//	{"a":0,"u":19,"e":true,"m":4096}
//
// with the array (a) and the unit (u) in the plan, and the size in bytes (n), the
// CRC-32C (c) and the version (v, as the store tells it in lists) of the object; e tells
// that nothing is stored because the chunk holds only the fill value, and m how many
// chunks right behind it are as empty. A line of the list of objects has the same n, c
// and v, and the key (k) of the object in the target.
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
// exclusively, so one of several contenders wins. Whoever finds the lock released,
// or its owner dead, creates the next number.
//
// No clock of another machine is believed. An owner whose process can be seen, on
// the same host, since the same start of the machine and in the same namespace of
// processes, is alive or dead as the system says. Any other owner is watched: it
// counts as dead when its heartbeat does not change during its whole time to live
// (TTL), by the clock of the observer. The first look ends before that time begins,
// and the last look begins after the time is over.
//
//	TTL × 1/6   from heartbeat to heartbeat
//	TTL × 1/2   after the beginning of its last proof an owner stops writing
//	TTL         after it first saw that proof, another run may take the lock over
//	TTL × 1/4   later at the earliest that run shows what it has made
//
// A proof is a heartbeat after which there is still no higher marker. The owner's clock
// counts the time in which the machine is suspended (CLOCK_BOOTTIME). An owner that
// has no proof waits: what it writes is cancelled, held up, and goes on with the next
// proof. It ends only when it sees a higher marker. An observer that has created
// its marker looks at the old one once more: a heartbeat that came after its last
// look is a proof that it has not seen, and makes it wait for a whole TTL.
//
// What is on its way when an owner loses the lock may still arrive. Before tells the
// next owner so, and Settle lets it wait. model_test.go visits every state of all this.
package journal
