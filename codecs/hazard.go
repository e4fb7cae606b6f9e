package codecs

// Hazard is something that a bound codec may do to values, or that values may do to the
// codec, although nothing forbids it. Hazards are known before any data is read.
type Hazard struct {
	Codec int    // the codec's index in the chain
	Name  string // the codec's name; for a codec of an inner chain, the inner codec's name
	// Field is the field of the configuration that is concerned, or "" for the codec as
	// a whole. For a codec of an inner chain it is a path, such as
	// "codecs[1].data_type".
	Field string
	// Code identifies this kind of hazard for programs, such as "inexact-cast".
	Code    string
	Message string // what can happen, with the types and values concerned
	Hint    string // what to do about it
	// Fill means that the hazard is about the fill value. The chain then adds no hazard
	// of its own about the fill value.
	Fill bool
}

// InexactCast is the code of a hazard: integers pass through a float that cannot
// represent all of them.
const InexactCast = "inexact-cast"

// FillValueChanges is the code of a hazard: the fill value does not come back
// unchanged, or it cannot be encoded. Elements that were never written then have two
// values: one in chunks that are stored, where they lie beside other elements (as
// padding does), and another in chunks that are not stored.
const FillValueChanges = "fill-value-changes"

// FillValueLost is the code of a hazard: a codec cannot decode its encoding of the fill
// value, although the specification demands that, and the chain as a whole cannot
// either. Other programs write and read such arrays.
const FillValueLost = "fill-value-lost"

// LossyUndecodable is the code of a hazard: a lossy codec may make of an element what a codec
// in front of it cannot decode. No reader can read a chunk with such an element.
const LossyUndecodable = "lossy-undecodable"

// ShardedZero is the code of a hazard: the codecs of inner chunks cannot encode 0.
const ShardedZero = "sharded-zero"
