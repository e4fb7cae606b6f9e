// Package szip decodes szip, the compression of HDF5's filter of this name: adaptive
// entropy coding as in CCSDS 121.0-B, "Lossless Data Compression".
//
// The content is a sequence of samples, which szip calls pixels. They are unsigned
// integers of 1 to 31 bits. Each sample takes 1, 2 or 4 bytes of the content. The stream
// is divided into scanlines, and a scanline into blocks:
//
//	stream     scanline scanline …
//	scanline   block block …       the last block is filled up with samples that are dropped
//	block      option [reference] samples
//
// Bits follow each other from the most significant one of each byte on. The option has 3,
// 4 or 5 bits, for samples of at most 8, 16 and 31 bits:
//
//	0…0 0   blocks of zeros follow; a unary number says how many
//	0…0 1   samples in pairs: each pair (a, b) is (a+b)(a+b+1)/2 + b, as a unary number
//	1…1     samples as they are
//	other   option-1 is the number of low bits of each sample. The high bits of all samples
//	        come first, as unary numbers, and then the low bits of all samples
//
// A unary number is as many zero bits as it states, and a one bit.
//
// With prediction (the option "nearest neighbour"), the first block of a scanline has a
// reference: the first sample, as it is. Each other sample is predicted to be the sample
// before it. The difference is mapped to an unsigned integer. As long as the prediction
// leaves as much room on either side, the difference e becomes 2e, or -2e-1 if it is
// negative. Beyond that, only one sign is possible, and the integer is the distance plus
// the room on the other side.
//
// Elements of 32 and 64 bits are not coded as such. Their bytes are regrouped first: the
// first bytes of all elements, then the second bytes, and so on. The result is coded as
// samples of 8 bits.
package szip

import "errors"

// ErrCorrupt means that a stream is damaged, or has other content than expected.
var ErrCorrupt = errors.New("szip: corrupt stream")

// Bits of Parameters.Options. The bits that are not listed have no influence on the
// decoder.
const (
	BigEndian = 16 // samples of more than 8 bits are big-endian
	Nearest   = 32 // samples are predicted from their neighbours
)

// MaxBlock is the most samples of a block.
const MaxBlock = 32

// Parameters are those of HDF5's filter. All decoders of a stream need the same.
type Parameters struct {
	Options  uint32
	Block    int // samples of a block ("pixels per block"): an even number up to MaxBlock
	Bits     int // of an element ("bits per pixel"): 1 to 32, or 64
	Scanline int // samples of a scanline ("pixels per scanline")
}
