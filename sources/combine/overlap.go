package combine

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// overlap finds out which rows are taken if several members have the same value of the
// coordinate. Each value is taken once, in the order of the values.
func (c *combined) overlap(ctx context.Context, v *variable) error {
	spans := c.spans[v.path]
	if c.how.Overlap == sources.OverlapError || len(c.names) < 2 || spans == nil {
		return nil
	}
	filled := filledOf(spans)
	if up, down := directions(spans, filled); up || down {
		return nil
	}
	falling := slices.ContainsFunc(filled, func(i int) bool { return spans[i].N > 1 && spans[i].Falling() })
	for _, i := range filled {
		s := spans[i]
		if !s.valid || falling && !s.Falling() || !falling && !s.Rising() {
			return nil // checkRange reports it
		}
	}
	for _, at := range c.paths {
		if other := c.vars[at]; other != v && path.Base(at) == c.how.Dimension() && other.first() >= 0 && c.indexes(other.parts[other.first()].Info()) == nil {
			return wrong("overlap", "arrays %q and %q are both coordinates of %q: exclude one of them", v.path, at, c.how.Dimension())
		}
	}
	type row struct {
		value      uint64
		member, at int
	}
	var rows []row
	order := compare.OrderOf(v.parts[0].Info().Type)
	for _, i := range filled {
		whole := ndarray.New(v.parts[i].Info().Type, v.parts[i].Info().Shape)
		if err := v.parts[i].ReadRegion(ctx, whole, make([]int, len(whole.Shape))); err != nil {
			return err
		}
		at := 0
		for item := range whole.Items() {
			x, _ := order(item)
			if falling {
				x = ^x
			}
			rows = append(rows, row{x, i, at})
			at++
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.value, b.value) })
	twice := 0
	for k, r := range rows {
		first := k == 0 || rows[k-1].value != r.value
		last := k == len(rows)-1 || rows[k+1].value != r.value
		if !first && c.how.Overlap == sources.OverlapFirst || !last && c.how.Overlap == sources.OverlapLast {
			twice++
			continue
		}
		if n := len(c.runs); n > 0 && c.runs[n-1].member == r.member && c.runs[n-1].from+c.runs[n-1].n == r.at {
			c.runs[n-1].n++
			continue
		}
		c.runs = append(c.runs, run{r.member, r.at, 1})
	}
	which := "first"
	if c.how.Overlap == sources.OverlapLast {
		which = "last"
	}
	v.note("%d rows that several files have are taken from the %s of these files", twice, which)
	return nil
}

// overlapsWithout returns an error if Overlap is set, because no coordinate tells which
// rows are the same.
func (c *combined) overlapsWithout() error {
	if c.how.Overlap == sources.OverlapError || len(c.names) < 2 {
		return nil
	}
	return wrong("overlap", "rows are the same if they have the same value of the coordinate %q, but not every file has a coordinate of this name with values that can be sorted: leave overlap out", c.how.Dimension())
}

// taken returns the parts of a variable, cut to the rows that are taken. dim is the joined
// dimension.
func (c *combined) taken(v *variable, dim int) ([]sources.Array, error) {
	if c.runs == nil {
		return v.parts, nil
	}
	var list []sources.Array
	spans := c.spans[c.ordering()]
	for _, r := range c.runs {
		part := v.parts[r.member]
		if c.how.Stack != "" {
			list = append(list, part)
			continue
		}
		n := part.Info().Shape[dim]
		if n != spans[r.member].N {
			return nil, fmt.Errorf("array %q has %d rows in %s, but the coordinate has %d", v.path, n, c.names[r.member], spans[r.member].N)
		}
		if r.n < n {
			part = sources.Window(part, dim, r.from, r.n)
		}
		list = append(list, part)
	}
	return list, nil
}

// ordering is the path of the coordinate by which members are ordered.
func (c *combined) ordering() string { return cmp.Or(c.how.Order, c.coordinate()) }
