package combine

import (
	"context"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

const (
	// comparedIndexes is how many values of a coordinate are searched for values that two
	// members have.
	comparedIndexes = 4 << 20
	// pieceElements is how many elements of a coordinate are read at once.
	pieceElements = 1 << 16
)

// span sums up the values of a coordinate in one member. from and to are numbers that
// sort as the elements do, see [compare.Order].
type span struct {
	compare.Trend
	first, last string // for messages
	from, to    uint64 // the numbers of the first and the last value
	valid       bool   // the first value is neither NaN nor not-a-time
}

// readSpan reads a coordinate, whose elements have an order.
func readSpan(ctx context.Context, a sources.Array, order compare.Order) (s span, err error) {
	info := a.Info()
	var last []byte
	for piece := range ndarray.Pieces(info.Shape, pieceElements) {
		got := ndarray.New(info.Type, slices.Clone(piece.Shape))
		if err := a.ReadRegion(ctx, got, slices.Clone(piece.Start)); err != nil {
			return s, err
		}
		for item := range got.Items() {
			x, valid := order(item)
			if s.N == 0 {
				s.from, s.valid, s.first = x, valid, compare.Show(info.Type, item)
				last = slices.Clone(item)
			}
			s.Add(order.Compare(last, item))
			s.to, last = x, append(last[:0], item...)
		}
	}
	if s.N > 0 {
		s.last = compare.Show(info.Type, last)
	}
	return s, nil
}

// readSpans reads a coordinate of all members. All members have it.
func (c *combined) readSpans(ctx context.Context, v *variable) error {
	spans := make([]span, len(v.parts))
	err := sources.InParallel(ctx, len(v.parts), func(ctx context.Context, i int) (err error) {
		spans[i], err = readSpan(ctx, v.parts[i], compare.OrderOf(v.parts[i].Info().Type))
		return err
	})
	if err == nil {
		c.spans[v.path] = spans
	}
	return err
}
