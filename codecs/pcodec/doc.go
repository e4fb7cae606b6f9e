// Package pcodec decodes and encodes Pco ("pcodec"), a lossless compression of numbers,
// in its standalone form: the one that the Zarr codecs numcodecs.pcodec and
// zarrs.pcodec store. DecodeInto knows every standalone version from 0 to 3 and every
// format version from 0 to 4.1, except the GCD mode of the withdrawn format 0.
// AppendEncode knows one mode, classic, and one delta encoding, consecutive.
//
// The format is described in docs/format.md of the Pco project. All bit fields are
// little-endian, the first field in the lowest bits:
//
//	"pco!"                          magic
//	u8   standalone version         absent below 2: it is the format version
//	u8   type of all chunks, or 0   since standalone version 3
//	u6+… hint of the total count    since standalone version 2
//	u8   format version             and since 4 another u8, the minor version
//	a chunk, any number of times:
//	  u8   type                     0 ends the stream
//	  u24  count of numbers - 1
//	  mode                          4 bits and its parameters
//	  delta encoding                4 bits and its parameters; 3 bits before format 3
//	  bins                          for each latent variable
//	  page                          for each latent variable: delta state, 4 tANS states;
//	                                then batches of up to 256 numbers
//
// A decoder makes a number in three steps, which undo the steps of the compressor.
// There are one to three latent variables, which are sequences of unsigned integers.
// First, for each integer, a tANS state selects a bin, and an offset within the bin
// follows in plain bits. Second, a delta encoding turns differences into values. One
// delta encoding, lookback, has a latent variable of its own, which tells to which
// latent each difference refers. Third, a mode joins the primary and the secondary
// variable into numbers, such as multiplier × base + remainder.
//
// The encoder sorts the latents of a chunk and divides them into bins such that the
// bits for choosing bins and for offsets are fewest in total.
//
// Functions may be called concurrently; nothing is kept between calls.
package pcodec
