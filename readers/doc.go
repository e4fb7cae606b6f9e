// Package readers knows which programs read which Zarr v3 arrays: the codecs, data types,
// fill values, layouts and attributes that each of them opens.
//
// [All] is the table. Most of its entries are tried: `make interop` writes every codec with
// every data type that it takes, every pair of codecs, every data type with several fill
// values, and some layouts and attributes, and lets the programs read them. testdata/matrix.txt has the results, and
// a test compares the table with it. The other entries are taken from what a program's
// documentation says; such a [Reader] has no release in Tried.
package readers
