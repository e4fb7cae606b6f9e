package target

import (
	"cmp"
	"context"
	"fmt"
)

// mostFirst is how many values without an order are searched for repeated ones before a
// target is made of them.
const mostFirst = 4 << 20

// CheckFirst asks of the first values of a coordinate what CheckCoordinate asks of later
// ones. The target is new, and Array is nil. Values without an order are searched for
// repeated ones if there are no more than mostFirst.
func (e *Existing) CheckFirst(ctx context.Context) error {
	c, rows := newCoordinate(e), e.Incoming.Info().Shape[0]
	if err := c.begins(ctx, rows); err != nil {
		return fmt.Errorf("coordinate %q: %w", e.Path, err)
	}
	return nil
}

// begins is CheckFirst for a coordinate with that many rows, which are read piece by
// piece.
func (c *coordinate) begins(ctx context.Context, rows int) (err error) {
	if c.order == nil {
		if rows <= mostFirst {
			_, err = c.read(ctx)
		}
		return err
	}
	var before []byte
	direction := 0
	for c.from = 0; c.from < rows && err == nil; c.from += coordinatePiece {
		if c.new, err = readRows(ctx, c.Incoming, c.from, min(coordinatePiece, rows-c.from)); err != nil {
			return err
		}
		if err = c.numbers(); err != nil {
			return err
		}
		// One value alone ascends.
		direction = cmp.Or(direction, c.begin(), -1)
		before, err = c.throughout(before, direction)
	}
	return err
}

// begin is the direction of the first two values of the source, 0 where there are
// none.
func (c *coordinate) begin() int {
	if c.new.Shape[0] < 2 {
		return 0
	}
	size := c.new.Type.Size()
	return c.order.Compare(c.new.Data[:size], c.new.Data[size:2*size])
}
