// Package journal keeps the state of a job: which units of a plan are done, whether the
// job is complete, and which run is working on it. The state lies in a folder of its own
// beside the target, the checkpoint.
//
// # Layout
//
//	plan.json                               the manifest of the plan, JSON of the caller
//	segments/0f3a9c2b1d4e-000001.jsonl      receipts, one JSON object a line; never changed
//	segments/0f3a9c2b1d4e-000002.jsonl      …
//	done.json                               the completion record, JSON of the caller
//	objects/000001.jsonl.zst                the stored objects of a finished job
//	lock/000001.json                        a marker of the lock
//	campaign.json                           says that several processes work on the plan
//	work/0f3a9c2b1d4e/RUN/                  what one of these processes leaves, see below
//
// The name of a segment begins with a digest of the plan. A request that writes a segment
// may arrive late, when the checkpoint belongs to another plan already. The digest shows
// that the segment is not one of the other plan. Segments of earlier versions of this
// program have no digest.
//
// A receipt is one line:
//
//	{"a":0,"u":17,"n":4096,"c":3735928559,"v":"\"9b2cf5\""}
//	{"a":0,"u":18,"e":true}
//	{"a":0,"u":19,"e":true,"m":4096}
//
// The fields are:
//
//	a   the index of the array in the plan
//	u   the number of the unit in the array
//	n   the size of the object in bytes
//	c   the checksum of the object: its CRC-32C, or the one at its end
//	d   the digest of the values of the chunk
//	v   the version of the object, as the store lists it
//	e   true: nothing is stored, because the chunk holds only the fill value
//	m   how many chunks directly after this one are empty, too
//	k   the key of the object in the target; only in the list of objects, which has n, c, v and k
//
// # Campaigns
//
// Several processes may work on one plan at the same time: a campaign. Each does bundles of
// units, and has a folder of its own below work/, named by the digest of the plan and by the
// run of the process:
//
//	work/0f3a9c2b1d4e/RUN/000001-0-40.begun        attempt 1 of the process, at the units 0 to 39
//	work/0f3a9c2b1d4e/RUN/000001-0-40.jsonl        its receipts, in the form of a segment
//	work/0f3a9c2b1d4e/RUN/000001-0-40.failed.json  why it has failed
//	work/0f3a9c2b1d4e/RUN/lock/000001.json         a marker of the lock of the process
//
// No object is ever changed, except the marker. The receipts of bundles count like those of
// segments. Each process holds only the lock of its own folder. Who takes the lock of the
// checkpoint also takes the locks of all processes with an attempt that has not ended. So
// such a process cannot write any more, and a process that is alive keeps others away.
//
// # Durability
//
// A segment is created under the next free number, whole or not at all. It is
// durable when Append returns. The objects of the receipts must be durable before
// Append: it is called after the target's Sync. So a crash loses only receipts that
// were not yet appended. Their units are done again, with the same result.
//
// Three rules make every moment between two steps safe. Segments count only
// while plan.json exists. If done.json exists, nothing else counts. The next Begin,
// Succeed, Tidy or Reset removes what does not count.
//
// # Lock
//
// The lock is a series of numbered markers. A marker names its owner and has a
// heartbeat. The marker with the highest number is the one that counts. Numbers are never
// used twice, and a marker is created exclusively, so one of several contenders wins. A
// run that finds the lock released, or its owner dead, creates the marker with the next
// number. Then it makes sure that there is no higher one, and removes the lower ones except the
// first. So the first marker can be created only once, and who creates it has no owner before him.
//
// Clocks of other machines are not trusted. The system tells whether an owner is alive if
// its process can be seen: on the same host, since the same start of the machine and in
// the same namespace of processes. Any other owner is watched. It counts as dead if its
// heartbeat does not change during its whole time to live (TTL), by the clock of the
// observer. The first look ends before that time begins, and the last look begins after
// that time has ended.
//
//	TTL × 1/6   from heartbeat to heartbeat
//	TTL × 1/2   after the beginning of its last proof an owner stops writing
//	TTL         after it first saw that proof, another run may take the lock over
//	TTL × 1/4   after taking over, at the earliest, that run shows what it has made
//
// A proof is a heartbeat after which there is still no higher marker. The owner's clock
// counts the time in which the machine is suspended (CLOCK_BOOTTIME). An owner whose
// last proof is too old waits: its requests are cancelled, and repeated after the next
// proof. It ends only when it sees a higher marker. An observer that has created
// its own marker looks at the old one once more. If there was a heartbeat since the last
// look, the old owner may have a proof that the observer has not seen. Then the observer
// waits for a whole TTL.
//
// When an owner loses the lock, its last requests may still arrive. Before tells the
// next owner so, and Settle waits for them. model_test.go visits every state of this
// protocol.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	clock.go        the time since this process began
//	clock_linux.go  the time since the machine was started, suspension included
//	clock_other.go  what takes its place on other systems
//	numbered.go     objects whose keys are numbers
//	process.go      Owner, and whether its process is alive
//	lock.go         Lock, its times and its markers
//	proof.go        heartbeats, and what the owner of a lock may do
//	acquire.go      Acquire
//	lines.go        lines of receipts and of objects in their usual form
//	segment.go      receipts as segments
//	objects.go      lists of objects
//	attempts.go     campaigns, and the keys of attempts at bundles
//	read_ahead.go   many objects, in order
//	journal.go      Journal
//	receipts.go     the receipts of a journal
//	stored.go       a journal's list of the objects of a finished job
//	transitions.go  from one plan to its record of completion, and to the next plan
//	open.go         Open, Peek and Glance
//	bundles.go      what a journal has of a campaign
//	ledger.go       the expected objects of a target
package journal
