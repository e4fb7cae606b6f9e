package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strconv"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// coordinatePiece is how many values of a coordinate are read at a time.
const coordinatePiece = 1 << 16

// ErrNoPlace is the cause of an error about a row that belongs before a row of the target. It
// says why a run cannot insert rows, and what a user can do instead.
var ErrNoPlace = errors.New("a run adds rows only after the last row of the target; to insert rows, migrate all files again, to a new target or with target.existing: overwrite; to leave such rows out, set source.select")

// CheckCoordinate compares the incoming values of a coordinate with its existing values.
// known is true if the existing values contain all incoming values, in the same order and
// with no other value between them. If they contain only some, or all in another order,
// CheckCoordinate returns an error. New values must continue in the direction of the
// existing values. Texts may come in any order: disorder says where they leave the order
// of the existing texts.
func (e *Existing) CheckCoordinate(ctx context.Context) (known bool, disorder string, err error) {
	c := newCoordinate(e)
	if known, err = c.check(ctx); err != nil {
		return false, "", fmt.Errorf("coordinate %q: %w", e.Path, err)
	}
	if !known && c.text != nil {
		disorder = c.textOrder()
	}
	return known, disorder, nil
}

func newCoordinate(e *Existing) *coordinate {
	kind := e.Incoming.Info().Type
	packing, err := cf.Read(kind, e.Meta.Attributes, nil)
	if packing == nil || err != nil { // or codecs unpack the values
		packing, _ = e.Incoming.Info().Packing.(*cf.Packing)
	}
	return &coordinate{Existing: e, values: compare.ValuesOf(kind), order: compare.OrderOf(kind), text: compare.TextOrder(kind), packing: packing}
}

// coordinate is a coordinate that is being checked.
type coordinate struct {
	*Existing
	new    ndarray.Array // values of the source, from row from on
	from   int
	values compare.Values
	order  compare.Order         // nil: the values have no order
	text   func(x, y []byte) int // the order of texts; nil: the values are no texts
	trend  compare.Trend         // of the texts of the target
	last   []byte                // the last text of the target
	// packing says how the values are packed; nil: they are not packed.
	packing *cf.Packing

	found   int      // the number of values that source and target have in common
	inOrder bool     // these values are the first rows of the source, and follow each other in the target
	first   struct { // the first of these values in the target, and its rows
		old, new int
		value    []byte
	}
}

// read reads the values of the source. It returns a function that finds the row of a value
// in the source, and an error if two rows have the same value, or if a value is NaN or NaT.
func (c *coordinate) read(ctx context.Context) (find func(item []byte) (int, bool), err error) {
	if c.new, err = readRows(ctx, c.Incoming, 0, c.Incoming.Info().Shape[0]); err != nil {
		return nil, err
	}
	if err := c.numbers(); err != nil {
		return nil, err
	}
	return c.finder()
}

// numbers returns an error if a value of the source is NaN or NaT.
func (c *coordinate) numbers() error {
	if i := unknown(c.new, c.order); i >= 0 {
		return fmt.Errorf("row %d of the source is %s, which does not identify a row: replace it by a number in the source", c.from+i, c.none())
	}
	return nil
}

// none returns the name of a value without a place in the order.
func (c *coordinate) none() string {
	if _, ok := c.new.Type.(dtype.Temporal); ok {
		return "NaT"
	}
	return "NaN"
}

func (c *coordinate) check(ctx context.Context) (known bool, err error) {
	find, err := c.read(ctx)
	if err != nil {
		return false, err
	}
	rows := c.new.Shape[0]
	err = c.existing(ctx, func(row int, old ndarray.Array) { c.look(old, row, find) })
	switch {
	case err != nil:
		return false, err
	case c.found == 0:
		return false, c.goesOn(ctx)
	case c.found == rows && c.inOrder:
		c.Known = c.first.old
		return true, nil
	}
	return false, fmt.Errorf("row %d of the source, %s, is row %d of the target already, but other rows of the source are not in the target, or in another order: append new rows alone, or set target.append: {overlap: skip}, which leaves out the rows that the target has ({overlap: same} also compares their values)%s",
		c.first.new, c.spell(c.first.value), c.first.old, BeginsAnew(c.Path))
}

// existing calls see with all rows of the target, piece by piece. row is the first row of a
// piece. It returns an error if a value is NaN or NaT.
func (c *coordinate) existing(ctx context.Context, see func(row int, old ndarray.Array)) error {
	for at := 0; at < c.Rows; at += coordinatePiece {
		old, err := readRows(ctx, c.Array, at, min(coordinatePiece, c.Rows-at))
		if err != nil {
			return err
		}
		if i := unknown(old, c.order); i >= 0 {
			return fmt.Errorf("row %d of the target is %s, so zmigrate cannot tell whether new rows belong after it: replace it by a number in the target", at+i, c.none())
		}
		see(at, old)
	}
	return nil
}

// BeginsAnew returns the hint for a coordinate that has the same values in several files.
// Such a coordinate does not tell the rows of these files apart.
func BeginsAnew(coordinate string) string {
	return fmt.Sprintf("; if %q begins again in each file, make a new target without it (source.exclude): the names of the files then tell which rows the target has", coordinate)
}

// readRows reads some values of a coordinate.
func readRows(ctx context.Context, a sources.Array, from, n int) (ndarray.Array, error) {
	values := ndarray.New(a.Info().Type, []int{n})
	return values, a.ReadRegion(ctx, values, []int{from})
}

// finder returns a function that finds the row of a value in the source, and an error if
// two rows have the same value.
func (c *coordinate) finder() (func(item []byte) (int, bool), error) {
	if d := c.direction(); d != 0 {
		size := c.new.Type.Size()
		return func(item []byte) (int, bool) {
			return sort.Find(c.new.Shape[0], func(i int) int { return -d * c.order.Compare(item, c.new.Data[i*size:(i+1)*size]) })
		}, nil
	}
	place := make(map[string]int, c.new.Shape[0])
	for item := range c.new.Items() {
		key := c.values.Key(item)
		if other, twice := place[key]; twice {
			return nil, fmt.Errorf("rows %d and %d of the source have the same value, %s%s", other, len(place), c.spell(item), BeginsAnew(c.Path))
		}
		place[key] = len(place)
	}
	return func(item []byte) (int, bool) {
		i, ok := place[c.values.Key(item)]
		return i, ok
	}, nil
}

// direction returns -1 if the values of the source rise, 1 if they fall, and 0 otherwise. A
// single value rises.
func (c *coordinate) direction() int {
	if c.order == nil {
		return 0
	}
	var trend compare.Trend
	var before []byte
	for item := range c.new.Items() {
		if before == nil {
			before = item
		}
		trend.Add(c.order.Compare(before, item))
		before = item
	}
	switch {
	case trend.Rising():
		return -1
	case trend.Falling():
		return 1
	default:
		return 0
	}
}

// unknown returns the first row whose value has no place in the order, as NaN has none. It
// returns -1 if there is no such row.
func unknown(values ndarray.Array, order compare.Order) (row int) {
	if order == nil {
		return -1
	}
	for item := range values.Items() {
		if _, ok := order(item); !ok {
			return row
		}
		row++
	}
	return -1
}

// look looks up values of the target in the source. The first of these values is row at of
// the target.
func (c *coordinate) look(old ndarray.Array, at int, find func([]byte) (int, bool)) {
	for item := range old.Items() {
		if i, ok := find(item); ok {
			if c.found == 0 {
				c.first.old, c.first.new, c.inOrder = at, i, true
				c.first.value = slices.Clone(item)
			}
			c.inOrder = c.inOrder && i == c.found && at == c.first.old+i
			c.found++
		}
		if c.text != nil {
			if c.trend.N == 0 {
				c.last = slices.Clone(item)
			}
			c.trend.Add(c.text(c.last, item))
			c.last = append(c.last[:0], item...)
		}
		at++
	}
}

// goesOn checks that the values of the source continue those of the target in the same
// direction. Values without an order are not checked.
func (c *coordinate) goesOn(ctx context.Context) error {
	tail := min(c.Rows, 2)
	old, err := readRows(ctx, c.Array, c.Rows-tail, tail)
	if err != nil || c.order == nil {
		return err
	}
	next, stop := iter.Pull(old.Items())
	defer stop()
	before, _ := next()
	// A single row has no direction. Most coordinates rise.
	direction := cmp.Or(c.direction(), -1)
	if tail == 2 {
		last, _ := next()
		if d := c.order.Compare(before, last); d != 0 {
			before, direction = last, d
		} else {
			before = nil // the values of the target neither rise nor fall
		}
	}
	_, err = c.throughout(before, direction)
	if err != nil && tail < 2 && c.new.Shape[0] < 2 {
		err = fmt.Errorf("%w; if the coordinate falls, begin the target with two rows: they show the direction", err)
	}
	return err
}

// throughout checks that the values of the source go in one direction, and that the first
// one comes after the value before. If before is nil, the first one may be any value.
// throughout returns the last value.
func (c *coordinate) throughout(before []byte, direction int) (last []byte, err error) {
	row := c.from
	for item := range c.new.Items() {
		if before != nil && c.order.Compare(before, item) != direction {
			why := ErrNoPlace
			if row > 0 {
				why = errors.New("sort the rows of the source" + BeginsAnew(c.Path))
			}
			return nil, fmt.Errorf("%s: %w", c.gap(row, item, before), why)
		}
		before = item
		row++
	}
	return before, nil
}

// gap returns the message for a row of the source that breaks the order.
func (c *coordinate) gap(row int, item, before []byte) string {
	return fmt.Sprintf("%s, %s, does not go on from %s, %s, in the order of the rows before",
		c.where(row), c.spell(item), c.where(row-1), c.spell(before))
}

// where names a row of the source. Row -1 is the last row of the target.
func (c *coordinate) where(row int) string {
	if row < 0 {
		return fmt.Sprintf("row %d of the target", c.Rows-1)
	}
	return fmt.Sprintf("row %d of the source", row)
}

// physical unpacks values. The attribute units speaks of the unpacked values.
func (c *coordinate) physical(values ndarray.Array) ndarray.Array {
	if c.packing == nil {
		return values
	}
	unpacked := ndarray.New(c.packing.Physical, values.Shape)
	c.packing.Unpack(unpacked, values)
	return unpacked
}

// spell spells a value, unpacked and with its units.
func (c *coordinate) spell(value []byte) string {
	if c.packing == nil {
		return c.spellPhysical(c.new.Type, value)
	}
	stored := ndarray.New(c.new.Type, []int{1})
	copy(stored.Data, value)
	return c.spellPhysical(c.packing.Physical, c.physical(stored).Data)
}

func (c *coordinate) spellPhysical(t dtype.Type, value []byte) string {
	text := string(t.FormatScalar(dtype.V3, value))
	if units, err := strconv.Unquote(string(c.Meta.Attributes.Get("units"))); err == nil {
		text += " " + units
	}
	return text
}

// textOrder says where the texts of the source leave the order of the target's texts. The
// result is "" if they keep the order, or if the target's texts neither rise nor fall. A
// single text rises.
func (c *coordinate) textOrder() string {
	direction := -1
	switch {
	case c.trend.N == 0 || !c.trend.Rising() && !c.trend.Falling():
		return ""
	case !c.trend.Rising():
		direction = 1
	}
	before, row := c.last, 0
	for item := range c.new.Items() {
		if c.text(before, item) != direction {
			return c.gap(row, item, before)
		}
		before = slices.Clone(item)
		row++
	}
	return ""
}
