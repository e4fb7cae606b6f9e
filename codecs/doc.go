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
// (a checksum is verified without decoding) and [Container] (shards have inner chunks).
// All traits are in traits.go, except those of containers, which are in chain.go. A chain
// knows its codecs by their traits alone. So a codec of another program can do everything
// that a codec of this program can.
//
// Encoders append to a slice. Decoders know how many bytes they must produce. They
// refuse more bytes with [ErrTooLarge] and fewer with [ErrCorrupt], before they
// allocate memory for the result.
//
// The specifications are Zarr v3 core, "Codecs", and the page of each codec, which its
// definition names.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	errors.go         causes of errors, and the codec, field or element at fault
//	codec.go          Spec, Chunk and Size, and the contracts of the three kinds of codecs
//	spec_text.go      a Spec in short form, as text
//	input.go          stored objects that are read in parts
//	hazard.go         Hazard and its codes
//	loss.go           Loss
//	account.go        memory for elements of variable size
//	traits.go         the optional interfaces of codecs
//	registry.go       definitions by name, and codecs as JSON
//	shard_index.go    the places of inner chunks in a shard
//	elementwise.go    several elementwise codecs as one loop
//	parse.go          specs to codecs, in an order that a chain can have
//	chain.go          Chain and Shards, each of which contains the other
//	passes.go         the array → array codecs that run in one go
//	buffers.go        the memory between codecs, lent and counted
//	variable.go       sizes of elements of variable size
//	chain_run.go      Encode and Decode of a chain
//	shards.go         inner chunks in a shard: layout, index, Encode and Decode
//	names.go          the other names of codecs
//	padding.go        elements of a chunk that lie outside of the array
//	partial.go        what decoding a part of a chunk takes
//	object.go         opened chunks and shards, and boxes of them
//	boxes.go          whole chunks in boxes that need little memory
//	verify.go         verification without decoding
//	verify_shards.go  the same for shards
//	bind.go           Bind
//	layers.go         the chain of a layer of a chunk
//	chains.go         chains that equal arrays share
//	chain_losses.go   the losses of a chain
//	chain_hazards.go  the hazards of a chain
//	exact.go          the elements that come back from a chain as they are
package codecs
