package combine

import (
	"context"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
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

// shownOf returns a function that spells elements of an array for messages: what they mean,
// if they are packed.
func shownOf(info *sources.Info) func(item []byte) string {
	packing, err := cf.Read(info.Type, info.Attributes, nil)
	if packing == nil || err != nil {
		return func(item []byte) string { return compare.Show(info.Type, item) }
	}
	return func(item []byte) string {
		stored, meant := ndarray.New(info.Type, []int{1}), ndarray.New(packing.Physical, []int{1})
		copy(stored.Data, item)
		packing.Unpack(meant, stored)
		return compare.Show(packing.Physical, meant.Data)
	}
}

// readSpan reads a coordinate, whose elements have an order.
func readSpan(ctx context.Context, a sources.Array, order compare.Order) (s span, err error) {
	info := a.Info()
	show := shownOf(info)
	var last []byte
	for piece := range ndarray.Pieces(info.Shape, pieceElements) {
		got := ndarray.New(info.Type, slices.Clone(piece.Shape))
		if err := a.ReadRegion(ctx, got, slices.Clone(piece.Start)); err != nil {
			return s, err
		}
		for item := range got.Items() {
			x, valid := order(item)
			if s.N == 0 {
				s.from, s.valid, s.first = x, valid, show(item)
				last = slices.Clone(item)
			}
			s.Add(order.Compare(last, item))
			s.to, last = x, append(last[:0], item...)
		}
	}
	if s.N > 0 {
		s.last = show(last)
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
