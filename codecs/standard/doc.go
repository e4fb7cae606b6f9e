// Package standard has the codecs of the program. Each file has one codec and is named
// as the codec is in Zarr.
//
// [Registry] returns all of them. A program adds codecs of its own to that registry. It
// may also build a registry from some of the definitions. Package codecs says what a
// codec can do.
//
// The name of a codec occurs only in the codec's own file, and in examples of other
// codecs. Other packages use constants such as [BytesName].
package standard
