package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
)

// mostFirst is how many values without an order are searched for repeated ones before a
// target is made of them.
const mostFirst = 4 << 20

// check implements [target]. If the job appends rows later, it refuses coordinates to
// which nothing could be appended; see checkCoordinate.
func (creation) check(ctx context.Context, p *Plan, _ *codecs.Registry) error {
	if p.dim == "" {
		return nil
	}
	var errs []error
	for i := range p.Arrays {
		a := &p.Arrays[i]
		t := &there{path: a.Target, meta: a.Meta, own: a.elements(), axis: slices.Index(a.Meta.DimensionNames, p.dim)}
		if t.coordinate(p.dim) {
			errs = append(errs, checkFirst(ctx, t))
		}
	}
	return errors.Join(errs...)
}

// checkFirst asks of the first values of a coordinate what checkCoordinate asks of later
// ones. t has no array yet. Values without an order are searched for repeated ones if
// there are no more than mostFirst.
func checkFirst(ctx context.Context, t *there) error {
	c, rows := newCoordinate(t), t.own.Info().Shape[0]
	if err := c.begins(ctx, rows); err != nil {
		return fmt.Errorf("coordinate %q: %w", t.path, err)
	}
	return nil
}

// begins is checkFirst for a coordinate with that many rows, which are read piece by
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
		if c.new, err = readRows(ctx, c.own, c.from, min(coordinatePiece, rows-c.from)); err != nil {
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
