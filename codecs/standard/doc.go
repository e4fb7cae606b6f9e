// Package standard has the codecs of the program, one a file, named as in Zarr.
//
// [Registry] returns them all. A program adds its own to that registry, or makes one
// of its own with some of the definitions; see package codecs for what a codec can
// be asked.
//
// Names of codecs stand in the files of these codecs and nowhere else: other
// packages use the constants, such as [BytesName].
package standard
