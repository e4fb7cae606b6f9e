// Package verify compares the target of a completed job with the record of the job.
//
// A completed job leaves a record in its checkpoint: the digests of all documents, and a
// list of the stored objects with their sizes, checksums and digests of values. [Verify]
// compares the target with that record. Only the level [Source] also reads the source. Verify
// takes no lock, and it never writes to the target.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	result.go      levels, differences, and the result
//	part.go        the name of a part of a verification
//	record.go      the record of the completed job
//	pieces.go      an object read in pieces
//	decode.go      the views of an array by which its objects are decoded
//	progress.go    how far a verification is
//	state.go       options, and the state of a verification
//	documents.go   the published documents compared with the record
//	resume.go      going on where a verification was interrupted
//	listing.go     a list of the target compared with the record
//	decoders.go    a decoder for each array, made from its published document
//	digests.go     the digests of whole arrays
//	objects.go     the objects compared with the record
//	source.go      the elements compared with the source
//	gather.go      parts of a verification, which several machines do, and their sum
//	verify.go      Verify
package verify
