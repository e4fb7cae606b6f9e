package target

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/sources"
)

// Overlap is the rows that a target and its source both have, by a coordinate. They are the
// first rows of the source.
type Overlap struct {
	Rows int // that both have
	Of   int // rows of the source
	runs []sharedRows
}

// sharedRows are N rows, one behind the other in the target and in the source.
type sharedRows struct{ existing, incoming, n int }

// Overlap finds the rows of a coordinate that are in the array already. It refuses rows
// that are not, and that belong in front of rows of the array.
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
	err = c.existing(ctx, func(row int, item []byte) {
		if i, ok := find(item); ok && at[i] < 0 {
			at[i], last = row, max(last, i)
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

// existing calls see with each row of the target.
func (c *coordinate) existing(ctx context.Context, see func(row int, item []byte)) error {
	for at := 0; at < c.Rows; at += coordinatePiece {
		old, err := readRows(ctx, c.Array, at, min(coordinatePiece, c.Rows-at))
		if err != nil {
			return err
		}
		if i := unknown(old, c.order); i >= 0 {
			return fmt.Errorf("row %d of the target is %s: zmigrate cannot tell whether rows belong behind it; first replace it by a number in the target", at+i, c.none())
		}
		row := at
		for item := range old.Items() {
			see(row, item)
			row++
		}
	}
	return nil
}

const noHole = "rows come only behind those of the target: to fill a hole, migrate all files once more, with existing: overwrite or to a new target; source.select leaves such rows out"

// fillsNoHole refuses a row of the source that the target does not have, and that belongs in
// front of a row that it has. last is the last row of the source that the target has.
func (c *coordinate) fillsNoHole(ctx context.Context, row, last int) error {
	size := c.new.Type.Size()
	if c.order == nil {
		if last > row {
			return fmt.Errorf("row %d of the source is not in the target, and row %d of the source, which comes later, is there: %s", row, last, noHole)
		}
		return nil
	}
	item := c.new.Data[row*size : (row+1)*size]
	direction, err := c.existingDirection(ctx)
	if err != nil || direction == 0 {
		return err // of values in no order none is in front of another
	}
	var before, after int
	var low, high []byte
	err = c.existing(ctx, func(_ int, is []byte) {
		switch {
		case c.order.Compare(is, item) == direction:
			low = append(low[:0], is...)
			before++
		case after == 0:
			high = slices.Clone(is)
			fallthrough
		default:
			after++
		}
	})
	switch {
	case err != nil || after == 0:
		return err
	case before == 0:
		return fmt.Errorf("row %d of the source, %s, belongs in front of the first row of the target, %s, and %s", row, c.spell(item), c.spell(high), noHole)
	default:
		return fmt.Errorf("row %d of the source, %s, belongs between rows %d and %d of the target, %s and %s, and %s", row, c.spell(item), before-1, before, c.spell(low), c.spell(high), noHole)
	}
}

// existingDirection is -1 if the target's values rise, 1 if they fall, and 0 for the others:
// by the last two rows. Of a single row, the source tells the direction.
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

// CheckOverlap compares the values of the rows that the array and its source both have.
// Incoming has all rows of the source, those that are left out, too. The chain is that of
// the array.
func (e *Existing) CheckOverlap(ctx context.Context, chain *codecs.Chain, o *Overlap) error {
	for _, run := range o.runs {
		part := *e
		part.Incoming = sources.Window(e.Incoming, e.Axis, run.incoming, run.n)
		index, m, err := part.otherRow(ctx, chain, run.existing)
		if err != nil {
			return err
		}
		if m != nil {
			return fmt.Errorf("array %q: element %v is %s in the target, and %s in the source, in row %d, by their coordinates the same row: with overlap: same, rows that both have must have the same values; overlap: skip leaves the target's, and existing: overwrite makes the target anew",
				e.Path, index, m.X, m.Y, index[e.Axis]-run.existing+run.incoming)
		}
	}
	return nil
}
