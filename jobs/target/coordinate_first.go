package target

import (
	"cmp"
	"context"
	"fmt"
)

// mostFirst is how many values CheckFirst searches for repeated ones, if they have no order.
const mostFirst = 4 << 20

// CheckFirst checks the values of a coordinate of a new target, by the rules that
// CheckCoordinate has for later values. Array is nil. If the values have no order and there
// are more than mostFirst of them, CheckFirst does not check them.
func (e *Existing) CheckFirst(ctx context.Context) error {
	c, rows := newCoordinate(e), e.Incoming.Info().Shape[0]
	if err := c.begins(ctx, rows); err != nil {
		return fmt.Errorf("coordinate %q: %w", e.Path, err)
	}
	return nil
}

// begins does what CheckFirst does. It reads the rows piece by piece.
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
		// A single value rises.
		direction = cmp.Or(direction, c.begin(), -1)
		before, err = c.throughout(before, direction)
	}
	return err
}

// begin returns the direction of the first two values of the source. It is 0 if there are
// fewer than two values.
func (c *coordinate) begin() int {
	if c.new.Shape[0] < 2 {
		return 0
	}
	size := c.new.Type.Size()
	return c.order.Compare(c.new.Data[:size], c.new.Data[size:2*size])
}
