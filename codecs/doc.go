// Package codecs turns chunks of arrays into stored bytes and back.
//
// A [Spec] is a codec as metadata state it: a name and JSON. A [Registry] finds the
// codec's [Definition] and parses the configuration into a [Codec]. A Codec is then
// bound to its input, which a [Chunk] or a [Size] describes. The result of binding is
// an immutable value that encodes and decodes. It is safe for concurrent use.
//
//	Spec ──Parse──▶ Codec ──Bind──▶ ArrayToArray | ArrayToBytes | BytesToBytes
//
// Binding refuses everything that can be refused without data. So validating a chain
// means binding it, and nothing else. A [Chain] binds a whole list of codecs: data
// type, shape and fill value flow from each codec to the next:
//
//	array ─▶ array→array … ─▶ array→bytes ─▶ bytes→bytes … ─▶ stored bytes
//
// Abilities that only some codecs have are small optional interfaces, called traits.
// The chain probes for them. Examples are [View] (transpose copies nothing), [Verifier]
// (a checksum is verified without decoding) and [Container] (shards have inner chunks);
// all of them are in traits.go. A chain knows its codecs by their traits alone. So a
// codec of another program can do everything that a codec of this program can.
//
// Encoders append to a slice. Decoders know how many bytes they must produce. They
// refuse more bytes with [ErrTooLarge] and fewer with [ErrCorrupt], before they
// allocate memory for the result.
//
// The specifications are Zarr v3 core, "Codecs", and the page of each codec, which its
// definition names.
package codecs
