// Package ipc reads the metadata of Arrow's IPC format: schemas, record batches and
// footers, as the Arrow Columnar Format and its files Schema.fbs, Message.fbs and
// File.fbs describe them. It parses bytes and tells what a file contains and where. The
// caller reads the buffers of the columns.
//
// A stream is a sequence of messages. A file is the same sequence between a magic
// number and a footer, which tells where the messages are:
//
//	file:    | "ARROW1" 0 0 | stream | footer | its length (4) | "ARROW1" |
//	stream:  | schema | dictionary or record batch | … | end: ff ff ff ff 00 00 00 00 |
//	message: | ff ff ff ff | length of the metadata (4) | metadata | body |
//
// Before Arrow 0.15, a message began with the length, without ff ff ff ff. Metadata are
// FlatBuffers; all numbers are little-endian.
//
// The functions never panic and never allocate more than the given bytes can describe.
// They are safe for concurrent use.
package ipc
