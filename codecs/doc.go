// Package codecs turns chunks of arrays into stored bytes and back.
//
// A [Spec] is a codec as it stands in metadata: a name and JSON. A [Registry]
// finds its [Definition] and reads the configuration into a [Codec], which is
// then bound to what it will receive, a [Chunk] or a [Size], and becomes an
// immutable value that encodes and decodes, safe for concurrent use:
//
//	Spec ──Parse──▶ Codec ──Bind──▶ ArrayToArray | ArrayToBytes | BytesToBytes
//
// Binding is where everything is refused that can be refused without data, so
// validating a chain is binding it and nothing else. A [Chain] binds a whole
// list, data type, shape and fill value flowing from each codec to the next:
//
//	array ─▶ array→array … ─▶ array→bytes ─▶ bytes→bytes … ─▶ stored bytes
//
// What only some codecs can do is in small optional interfaces, their traits, for
// which the chain probes: [View] (transpose copies nothing), [Verifier] (a checksum
// is verified without decoding), [Container] (shards have inner chunks) and others
// in traits.go. The chain knows codecs by their traits alone, so those of other
// programs can do all that those of this one can.
//
// Encoders append to a slice. Decoders know how many bytes they must produce;
// they refuse more with [ErrTooLarge] and less with [ErrCorrupt], before they
// allocate for them.
//
// The specifications: Zarr v3 core, "Codecs", and the pages of the single
// codecs, named at each definition.
package codecs
