// Package stages runs a migration: plan → read → transform → write → commit.
//
//	          one budget of bytes
//	┌────────────────────────────────────────────┐
//	plan ──block──▶ read ──unit──▶ transform ──object──▶ write ──receipt──▶ commit
//	reserves        fills one      encodes each         stores the          makes objects
//	the block's     buffer         unit                 object, gives       durable, tells
//	bytes           once                                the bytes back      the journal
//
// A unit is one stored object: a chunk of one array, with a number that never
// changes. A block is a box of neighbouring units whose source bytes are read
// together, so that reads are long; most blocks have one unit. A cell is a piece of a
// block that is encoded on its own: a unit or, if units are shards, an inner chunk.
//
// A weighted semaphore is the budget of bytes. A block enters the pipeline only when the
// budget has room for the most bytes that the block can ever hold: its buffer, and
// the memory in which its cells are encoded, or as many of them as are encoded at the
// same time. When a cell has been encoded, the memory that it no longer needs goes back
// to the budget. So memory depends neither on the number of workers nor on the depth of
// channels. A buffer has one owner; a channel send hands it over.
//
// The memory of elements of variable size is not known before they are read. Their block
// reserves an allowance. If it needs more, it is read again, alone: see variable.go.
//
// Objects of a Zarr source that are carried through (Task.Stored) are units
// without a transform: the reader hands the stored bytes to a writer.
//
// Uncompressed chunks may be written layer by layer (Task.Layer), if the source reads parts
// of its chunks. Then a block goes to a writer before it is read: the writer reads a layer of
// all chunks of the block, and appends it to their objects, while the layer is still in the
// processor's cache. See layers.go.
//
// This package has all goroutines and channels through which chunk data pass. The first
// error stops them all. Objects that were stored before the error are still committed.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	allotment.go     what each cell of a block gives back
//	task.go          Task: one array, with its source and its writer
//	block.go         which units are read together
//	layers.go        which units are written layer by layer, and in which layers
//	monitor.go       Monitor, and the budget that it watches
//	units.go         the pieces of a task on their way: blocks, shards, loads, parcels
//	pipeline.go      Config, and what all workers share
//	slabs.go         reading the source's chunks in parallel
//	carry.go         objects that are carried through
//	encode.go        the encoders
//	write_layers.go  blocks that are written layer by layer
//	shard.go         shards, which go to the store as streams
//	variable.go      elements of variable size
//	read.go          the readers
//	write.go         the writers
//	commit.go        receipts
//	run.go           Run, and the planner
//	sample.go        Sample: some units, encoded and thrown away
package stages
