//go:build !purego

package zstd

import (
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// coding tells codeKernel and codeKernel512 what to do.
type coding struct {
	src     *sequence
	dst     *coded
	count   int // at least 1
	lengths *lengthCodes
	vectors *codeVectors
	// sets are the counts, which are zero before. Sequences use them in turn: a counter that is needed again at
	// once would have to be waited for.
	sets    *[codeKinds]codeCounts
	sums    *[codeKinds]codeCounts // become the sums of all sets
	history history
}

// countSets is the number of sets of counts that codeKernel512 uses. codeKernel uses two, and does not add them.
const countSets = 4

// codeCountsSize is the size of counts of one kind, in bytes.
const codeCountsSize = int(unsafe.Sizeof(codeCounts{}))

// codeKernel does the same as codePlain. It needs LZCNT and BMI2.
//
//go:noescape
func codeKernel(c *coding)

// atOnce is the number of sequences that codeKernel512 codes at a time.
const atOnce = 16

// codeKernel512 does the same for a multiple of atOnce sequences, and adds the counts. It needs AVX-512.
//
//go:noescape
func codeKernel512(c *coding)

// codeVectors are vectors for codeKernel512.
type codeVectors struct {
	take  [3][atOnce]uint32 // where in three vectors of sequences their literals, lengths and offsets are
	give  [3][atOnce]uint32 // where the parts of three vectors of codes are, see newCodeVectors
	codes [2][128]uint8     // of short lengths, of literals and of matches
	// By such a code: the number of bits that follow it, and the shortest length that has it.
	widths, bases [2][64]uint8
}

var vectors = newCodeVectors()

func newCodeVectors() (v codeVectors) {
	for i := range uint32(atOnce) {
		for part := range uint32(3) {
			v.take[part][i] = 3*i + part
			// A place is that of a sequence in the vector of codes; or 16, and twice the place in
			// one of two vectors of eight numbers with the bits that follow.
			place := 3*i + part
			at := &v.give[place/atOnce][place%atOnce]
			if part == 0 {
				*at = i
			} else {
				*at = atOnce + (2*i+part-1)%atOnce
			}
		}
	}
	for kind, codes := range []*codeRanges{&lengths.literals, &lengths.matches} {
		for length := range uint32(len(codes.short)) {
			entry := codes.of(length)
			code := uint8(entry >> (16 * kind))
			v.codes[kind][length] = code
			if entry>>32 == 0 {
				v.widths[kind][code], v.bases[kind][code] = uint8(entry>>24), uint8(length)
			}
		}
	}
	return v
}

// code turns sequences into codes, and counts the codes. counts is zero before.
func (h *history) code(dst []coded, src []sequence, counts *[codeKinds]codeCounts) {
	rest := 0
	switch level := cpu.Used(); {
	case len(src) >= atOnce && level >= cpu.AVX512:
		rest = len(src) &^ (atOnce - 1)
		var sets [countSets][codeKinds]codeCounts
		c := coding{src: &src[0], dst: &dst[:rest][0], count: rest, vectors: &vectors, sets: &sets[0], sums: counts, history: *h}
		codeKernel512(&c)
		*h = c.history
	case len(src) >= atOnce && level >= cpu.AVX2:
		rest = len(src)
		var sets [2][codeKinds]codeCounts
		c := coding{src: &src[0], dst: &dst[:rest][0], count: rest, lengths: &lengths, sets: &sets[0], history: *h}
		codeKernel(&c)
		*h = c.history
		for kind := range counts {
			for s := range counts[kind] {
				counts[kind][s] = sets[0][kind][s] + sets[1][kind][s]
			}
		}
	}
	h.codePlain(dst[rest:], src[rest:], counts)
}

// streamCursor tells putKernel where to read and write.
type streamCursor struct {
	*stream
	sequences *coded
	count     int   // at least 1
	out       *byte // where the stream goes on
}

// putKernel does the same as putPlain. It needs BMI2, and writes eight bytes at a time.
//
//go:noescape
func putKernel(c *streamCursor)

// put puts sequences into the stream, the last one first.
func (s *stream) put(sequences []coded) {
	if len(sequences) == 0 || cpu.Used() < cpu.AVX2 || len(s.out)-s.at < (len(sequences)+1)*mostSequence+8 {
		s.putPlain(sequences)
		return
	}
	c := streamCursor{s, &sequences[0], len(sequences), &s.out[s.at]}
	putKernel(&c)
	s.at = int(uintptr(unsafe.Pointer(c.out)) - uintptr(unsafe.Pointer(&s.out[0])))
}
