// Package stages runs a migration: plan → read → transform → write → commit.
//
//	          one budget of bytes
//	┌────────────────────────────────────────────┐
//	plan ──block──▶ read ──unit──▶ transform ──object──▶ write ──receipt──▶ commit
//	reserves        fills a        encodes one          puts it and         makes it
//	the block's     buffer         unit (a stored       gives the           durable, tells
//	bytes           once           object)              bytes back          the journal
//
// A unit is one stored object: a chunk of one array, with a number that never
// changes. A block is a box of neighbouring units whose source bytes are read
// together, so that reads are long; a block of one unit is the common case. A
// block enters the pipeline only when the most bytes that it can ever hold,
// its buffer and what its units, or so many of them as there are at once, need to
// be encoded, are reserved from one weighted semaphore; what an encoded unit no longer needs is given back at
// once. How many workers there are and how deep a channel is has no say in
// memory. Buffers have one owner, handed over with the channel send.
//
// A block of elements of variable size reserves an allowance instead, and is read
// again alone where it outgrows that: see variable.go.
//
// Objects of a Zarr source that are carried through (Task.Stored) are units
// without a transform: whoever reads one hands it to a writer as it is.
//
// All goroutines that chunk data pass through are in this package. The first
// error stops everything; what was stored before is still committed.
package stages
