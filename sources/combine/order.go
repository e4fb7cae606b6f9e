package combine

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
)

// comparedIndexes is how many values of a coordinate are looked through for those
// that two members have.
const comparedIndexes = 4 << 20

// span is what the values of a coordinate in a member come to. Elements are
// compared by numbers that sort as they do.
type span struct {
	n           int
	first, last string // for messages
	from, to    uint64 // the first and the last one
	low, high   uint64
	valid       bool // from is no NaN and no not-a-time
	rising      bool // each value is greater than the one before
	falling     bool
	turn        int // the first index at which it is neither, 0: none
}

// readSpan reads a coordinate, whose elements number sorts.
func readSpan(ctx context.Context, a sources.Array, number func([]byte) (uint64, bool)) (span, error) {
	info := a.Info()
	s := span{low: math.MaxUint64, rising: true, falling: true}
	var last []byte
	for piece := range ndarray.Pieces(info.Shape, pieceElements) {
		got := ndarray.New(info.Type, slices.Clone(piece.Shape))
		if err := a.ReadRegion(ctx, got, slices.Clone(piece.Start)); err != nil {
			return s, err
		}
		for item := range got.Items() {
			x, valid := number(item)
			if s.n == 0 {
				s.from, s.valid, s.first = x, valid, show(info.Type, item)
			} else {
				s.rising = s.rising && valid && x > s.to
				s.falling = s.falling && valid && x < s.to
				if s.turn == 0 && !s.rising && !s.falling {
					s.turn = s.n
				}
			}
			if valid {
				s.low, s.high = min(s.low, x), max(s.high, x)
			}
			s.to, last = x, append(last[:0], item...)
			s.n++
		}
	}
	if s.n > 0 {
		s.last = show(info.Type, last)
	}
	return s, nil
}

// readSpans reads a coordinate of all members, which have it.
func readSpans(ctx context.Context, v *variable) ([]span, error) {
	spans := make([]span, len(v.parts))
	err := sources.InParallel(ctx, len(v.parts), func(ctx context.Context, i int) (err error) {
		spans[i], err = readSpan(ctx, v.parts[i], orderOf(v.parts[i].Info().Type))
		return err
	})
	return spans, err
}

// sign is the bit that makes a number with a sign negative.
const sign = 1 << 63

// orderOf returns what makes an element a number that sorts as it does, and false
// of NaN and not-a-time; nil for types without an order.
func orderOf(t dtype.Type) func(item []byte) (uint64, bool) {
	kind, size := dtype.Kind(0), t.Size()
	if n, ok := t.(dtype.Numeric); ok {
		kind = n.Kind()
	}
	if _, ok := t.(dtype.Temporal); ok {
		return func(p []byte) (uint64, bool) {
			x := binary.NativeEndian.Uint64(p)
			return x ^ sign, x != sign
		}
	}
	whole := func(p []byte) uint64 {
		switch size {
		case 1:
			return uint64(p[0])
		case 2:
			return uint64(binary.NativeEndian.Uint16(p))
		case 4:
			return uint64(binary.NativeEndian.Uint32(p))
		default:
			return binary.NativeEndian.Uint64(p)
		}
	}
	switch {
	case kind == dtype.Uint:
		return func(p []byte) (uint64, bool) { return whole(p), true }
	case kind == dtype.Int:
		shift := 64 - 8*size
		return func(p []byte) (uint64, bool) { return uint64(int64(whole(p)<<shift)>>shift) ^ sign, true }
	case t == dtype.Float32:
		return func(p []byte) (uint64, bool) {
			return floatOrder(float64(math.Float32frombits(binary.NativeEndian.Uint32(p))))
		}
	case t == dtype.Float64:
		return func(p []byte) (uint64, bool) {
			return floatOrder(math.Float64frombits(binary.NativeEndian.Uint64(p)))
		}
	default:
		return nil
	}
}

// floatOrder returns a number that sorts as f does, false for NaN.
func floatOrder(f float64) (uint64, bool) {
	bits := math.Float64bits(f + 0) // -0 is 0
	if bits&sign != 0 {
		return ^bits, f == f
	}
	return bits | sign, f == f
}
