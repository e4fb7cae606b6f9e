// Package xz reads and writes byte strings in the three forms of the LZMA library: the
// .xz container (version 1.1.0 of its specification), the older .lzma file, and filters
// without any container. The compressors are those of github.com/ulikunitz/xz; this
// package adds the delta filter, the container around filters, and limits. It never
// allocates memory for more than the caller expects or the input can hold, whatever
// sizes the input states.
//
// It has the filters LZMA, LZMA2 and delta, but not the filters for machine code.
//
// All functions may be called concurrently.
package xz

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/ulikunitz/xz/lzma"
)

// Causes of errors.
var (
	// ErrCorrupt means that the input is damaged, or needs a filter or check that this
	// package does not have.
	ErrCorrupt = errors.New("xz: corrupt data")
	// ErrTooLarge means that the content of the input is longer than allowed.
	ErrTooLarge = errors.New("xz: decodes to too many bytes")
)

// Format is a form of stored bytes.
type Format uint8

// The formats, with the numbers that Python's lzma module gives them.
const (
	XZ    Format = 1 // .xz; a reader accepts any number of streams
	Alone Format = 2 // .lzma
	Raw   Format = 3 // the output of the filters alone
)

// Check is a checksum of the decoded bytes of an .xz block.
type Check uint8

// The checks, with their numbers in a stream.
const (
	None   Check = 0
	CRC32  Check = 1
	CRC64  Check = 4
	SHA256 Check = 10
)

// MaxDelta is the greatest distance of a delta filter.
const MaxDelta = 256

// Options say how bytes are written. They also say how Raw is read, which has no
// header.
type Options struct {
	Format Format
	Check  Check // of XZ
	// Deltas are the distances of delta filters, 1 to MaxDelta, in the order in which
	// they are applied in writing. XZ and Raw may have up to three.
	Deltas []int
	// LZMA1 says that the last filter of Raw is LZMA instead of LZMA2.
	LZMA1 bool
	// LC, LP and PB are numbers of bits that choose among models: bits of the byte
	// before a literal, of a literal's position, and of any position. Each is 0 to 4,
	// and LC and LP together are at most 4. Usual values are 3, 0 and 2.
	LC, LP, PB int
	// Dictionary is how far back repetitions may reach, in bytes. It is less if the
	// content is shorter.
	Dictionary int
}

// Verify refuses options that contradict each other.
func (o Options) Verify() error {
	if o.Format < XZ || o.Format > Raw {
		return fmt.Errorf("xz: format %d: want 1 to 3", o.Format)
	}
	if _, ok := o.Check.size(); !ok || o.Format != XZ && o.Check != None {
		return fmt.Errorf("xz: check %d is not one of format %d", o.Check, o.Format)
	}
	if len(o.Deltas) > 3 || len(o.Deltas) > 0 && (o.Format == Alone || o.LZMA1 && o.Format == XZ) {
		return errors.New("xz: the filters do not fit the format")
	}
	for _, d := range o.Deltas {
		if d < 1 || d > MaxDelta {
			return fmt.Errorf("xz: a delta of %d: want 1 to %d", d, MaxDelta)
		}
	}
	if o.LC < 0 || o.LP < 0 || o.LC+o.LP > 4 || o.PB < 0 || o.PB > 4 {
		return fmt.Errorf("xz: lc %d, lp %d, pb %d: want 0 to 4 each, and lc and lp together", o.LC, o.LP, o.PB)
	}
	if o.Dictionary < lzma.MinDictCap || o.Dictionary > math.MaxUint32 {
		return fmt.Errorf("xz: a dictionary of %d bytes: want %d to %d", o.Dictionary, lzma.MinDictCap, uint32(math.MaxUint32))
	}
	return nil
}

func (o Options) properties() lzma.Properties {
	return lzma.Properties{LC: o.LC, LP: o.LP, PB: o.PB}
}

// input gives the library one byte after the other, and no more than the library needs.
type input struct{ rest, then []byte }

// more reports whether there are bytes in rest.
func (in *input) more() bool {
	if len(in.rest) == 0 {
		in.rest, in.then = in.then, nil
	}
	return len(in.rest) > 0
}

func (in *input) Read(p []byte) (int, error) {
	if !in.more() && len(p) > 0 {
		return 0, io.EOF
	}
	n := copy(p, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}

func (in *input) ReadByte() (byte, error) {
	if !in.more() {
		return 0, io.EOF
	}
	b := in.rest[0]
	in.rest = in.rest[1:]
	return b, nil
}

// output collects the output of the library.
type output struct{ b []byte }

func (out *output) Write(p []byte) (int, error) {
	out.b = append(out.b, p...)
	return len(p), nil
}

func (out *output) WriteByte(b byte) error {
	out.b = append(out.b, b)
	return nil
}
