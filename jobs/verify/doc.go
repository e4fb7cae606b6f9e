// Package verify reads a target back and compares it with what its job has recorded.
//
// A completed job leaves a record in its checkpoint: the digests of all documents, and a
// list of the stored objects with their sizes and checksums. [Verify] compares the target
// with that record. It needs neither the source nor the lock, and it never writes to the
// target.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	deviation.go   how far values are from those of the source
//	result.go      levels, differences and the result
//	record.go      the record of the completed job
//	pieces.go      one object, read in pieces
//	decode.go      one object decoded by the published document of its array
//	progress.go    how far a verification is
//	state.go       options, and one verification
//	documents.go   the published documents of the arrays
//	resume.go      going on where a verification was interrupted
//	listing.go     a list of the target compared with the record
//	decoders.go    what decodes the objects of each array
//	digests.go     the digests of whole arrays
//	objects.go     the objects, read and compared
//	source.go      the elements, compared with the source
//	verify.go      Verify
package verify
