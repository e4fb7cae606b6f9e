package target

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
)

// Overlap describes the rows that a target and its source have in common, as the values of
// a coordinate tell. They are the first rows of the source.
type Overlap struct {
	Rows int // the number of rows in common
	Of   int // the number of rows of the source
	runs []sharedRows
}

// sharedRows are n rows that source and target have in the same order, without other rows
// between them. The first one is row existing of the target and row incoming of the source.
type sharedRows struct{ existing, incoming, n int }

// Overlap finds the incoming rows that the target has already. It returns an error if
// another incoming row belongs before an existing row.
func (e *Existing) Overlap(ctx context.Context) (*Overlap, error) {
	o, err := newCoordinate(e).overlap(ctx)
	if err != nil {
		return nil, fmt.Errorf("coordinate %q: %w", e.Path, err)
	}
	return o, nil
}

func (c *coordinate) overlap(ctx context.Context) (*Overlap, error) {
	find, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	o := &Overlap{Of: c.new.Shape[0]}
	at := slices.Repeat([]int{-1}, o.Of) // the row of the target for each row of the source
	last := -1                           // the last row of the source that the target has
	err = c.existing(ctx, func(row int, old ndarray.Array) {
		for item := range old.Items() {
			if i, ok := find(item); ok && at[i] < 0 {
				at[i], last = row, max(last, i)
			}
			row++
		}
	})
	if err != nil {
		return nil, err
	}
	for o.Rows < o.Of && at[o.Rows] >= 0 {
		i := o.Rows
		if n := len(o.runs); n > 0 && at[i] == at[i-1]+1 {
			o.runs[n-1].n++
		} else {
			o.runs = append(o.runs, sharedRows{at[i], i, 1})
		}
		o.Rows++
	}
	if o.Rows == o.Of {
		return o, nil
	}
	return o, c.fillsNoHole(ctx, o.Rows, last)
}

// fillsNoHole returns an error if a row of the source belongs before a row of the target.
// The target does not have the row. last is the last row of the source that it has.
func (c *coordinate) fillsNoHole(ctx context.Context, row, last int) error {
	size := c.new.Type.Size()
	if c.order == nil {
		if last > row {
			return fmt.Errorf("row %d of the source is not in the target, but row %d of the source, a later one, is: %w", row, last, ErrNoPlace)
		}
		return nil
	}
	item := c.new.Data[row*size : (row+1)*size]
	direction, err := c.existingDirection(ctx)
	if err != nil || direction == 0 {
		return err // if the values have no order, none of them comes before another one
	}
	var before, after int
	var low, high []byte
	err = c.existing(ctx, func(_ int, old ndarray.Array) {
		for value := range old.Items() {
			switch {
			case c.order.Compare(value, item) == direction:
				low = append(low[:0], value...)
				before++
			case after == 0:
				high = slices.Clone(value)
				fallthrough
			default:
				after++
			}
		}
	})
	switch {
	case err != nil || after == 0:
		return err
	case before == 0:
		return fmt.Errorf("row %d of the source, %s, belongs before the first row of the target, %s: %w", row, c.spell(item), c.spell(high), ErrNoPlace)
	default:
		return fmt.Errorf("row %d of the source, %s, belongs between rows %d and %d of the target, %s and %s: %w", row, c.spell(item), before-1, before, c.spell(low), c.spell(high), ErrNoPlace)
	}
}

// existingDirection returns -1 if the values of the target rise, 1 if they fall, and 0
// otherwise. The last two rows decide. If the target has one row, the source decides.
func (c *coordinate) existingDirection(ctx context.Context) (int, error) {
	tail := min(c.Rows, 2)
	old, err := readRows(ctx, c.Array, c.Rows-tail, tail)
	if err != nil {
		return 0, err
	}
	if tail < 2 {
		return cmp.Or(c.direction(), -1), nil
	}
	size := old.Type.Size()
	return c.order.Compare(old.Data[:size], old.Data[size:]), nil
}

// CheckOverlap compares the values of the rows that source and target have in common.
// Incoming must have all rows of the source, also those that the run leaves out. chain is
// the codec chain of the existing array.
func (e *Existing) CheckOverlap(ctx context.Context, chain *codecs.Chain, o *Overlap) error {
	for _, run := range o.runs {
		part := *e
		part.Incoming = sources.Window(e.Incoming, e.Axis, run.incoming, run.n)
		index, m, err := part.otherRow(ctx, chain, run.existing)
		if err != nil {
			return err
		}
		if m != nil {
			return fmt.Errorf("array %q: element %v of the target is %s, and %s in the source, whose row %d has the same coordinate: target.append: {overlap: same} demands that common rows have the same values; {overlap: skip} keeps the values of the target, and target.existing: overwrite writes the target anew",
				e.Path, index, m.X, m.Y, index[e.Axis]-run.existing+run.incoming)
		}
	}
	return nil
}
