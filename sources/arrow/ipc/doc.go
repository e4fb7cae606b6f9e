// Package ipc reads the metadata of Arrow's IPC format: schemas, record batches
// and footers, as the Arrow Columnar Format and its files Schema.fbs,
// Message.fbs and File.fbs describe them. It takes bytes and says what is in a
// file and where; the buffers of the columns are the caller's to read.
//
// A stream is messages one after the other, a file the same between a magic
// number and a footer that says where they are:
//
//	file:    | "ARROW1" 0 0 | stream | footer | its length (4) | "ARROW1" |
//	stream:  | schema | dictionary or record batch | … | end: ff ff ff ff 00 00 00 00 |
//	message: | ff ff ff ff | length of the metadata (4) | metadata | body |
//
// Before Arrow 0.15 a message began with the length. Metadata are FlatBuffers;
// all numbers are little-endian.
//
// The functions never panic and never allocate more than the bytes they are
// given can describe. They are safe for concurrent use.
package ipc
