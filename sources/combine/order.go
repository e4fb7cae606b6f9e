package combine

import (
	"cmp"
	"context"
	"fmt"
	"path"
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

// coordinate is the path of the dimension's coordinate, the one nearest to the root, if
// members can be sorted by it; "" otherwise.
func (c *combined) coordinate() string {
	var found []string
	for _, at := range c.paths {
		v := c.vars[at]
		if path.Base(at) != c.how.Dimension() || v.report.Len() > 0 || len(v.faults) > 0 || slices.Contains(v.parts, nil) {
			continue
		}
		if !slices.ContainsFunc(v.parts, func(p sources.Array) bool {
			return c.sortable(p.Info()) != nil || p.Info().Type != v.parts[0].Info().Type
		}) {
			found = append(found, at)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return slices.MinFunc(found, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
}

// indexes returns an error if an array does not have one value for each index of the
// dimension.
func (c *combined) indexes(info *sources.Info) error {
	n, _ := ndarray.Elements(info.Shape)
	switch {
	case c.how.Stack != "" && n != 1:
		return fmt.Errorf("it has the shape %v, not one value for each file", info.Shape)
	case c.how.Stack == "" && !slices.Equal(info.DimensionNames, []string{c.how.Concat}):
		return fmt.Errorf("it has %s dimensions, not %q alone", compare.DimensionsText(info), c.how.Concat)
	}
	return nil
}

// filledOf lists the members that have values of a coordinate.
func filledOf(spans []span) []int {
	return slices.DeleteFunc(upTo(len(spans)), func(i int) bool { return spans[i].N == 0 })
}

// directions reports whether all values rise, or fall, through the members filled, which
// have values.
func directions(spans []span, filled []int) (up, down bool) {
	up, down = true, true
	for k, i := range filled {
		s := spans[i]
		up, down = up && s.Rising() && s.valid, down && s.Falling() && s.valid
		if k > 0 {
			before := spans[filled[k-1]]
			up, down = up && before.to < s.from, down && before.to > s.from
		}
	}
	return up, down
}

// sortable returns an error if members cannot be sorted by an array.
func (c *combined) sortable(info *sources.Info) error {
	if compare.OrderOf(info.Type) == nil {
		return fmt.Errorf("values of %s have no order here", info.Type.Name())
	}
	return c.indexes(info)
}
