package jobs

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
)

// calendars are those of an array in the source and in the target, nil for none,
// which are one from its value least on.
type calendars struct {
	own, target json.RawMessage
	least       float64
}

// sameFrom reports whether two calendars of the array, whose values have the units,
// are one from some value on; sameCalendar then looks at the values.
func (t *there) sameFrom(own, target, units json.RawMessage) bool {
	least, ok := cf.Reform(units)
	if !ok || !cf.SameAfterReform(own, target) || t.array.Info().Packing != nil || numberOf(t.meta.Type) == nil {
		return false
	}
	t.calendars = &calendars{own, target, least}
	return true
}

// sameCalendar refuses an array whose values are not all from where the calendars of
// source and target are one.
func (a *PlannedArray) sameCalendar(ctx context.Context) error {
	c := a.there.calendars
	if c == nil {
		return nil
	}
	is := func(value json.RawMessage) string { return attributeText("calendar", value) }
	for _, side := range []struct {
		where string
		array sources.Array
	}{{"source", a.there.own}, {"target", a.there.array}} {
		index, value, err := below(ctx, side.array, c.least)
		switch {
		case err != nil:
			return fmt.Errorf("%s: array %q: %w", side.where, a.Target, err)
		case index != nil:
			return fmt.Errorf("array %q: the attribute calendar is %s, in the target %s, and element %v of the %s, %s, is a time before 1582-10-15, where these differ: %s",
				a.Target, is(c.own), is(c.target), index, side.where, value, otherMeaning("calendar"))
		}
	}
	a.Notes = append(a.Notes, fmt.Sprintf("the attribute calendar stays %s, in the source it is %s: the same for times from 1582-10-15 on, which all are", is(c.target), is(c.own)))
	return nil
}

// calendarPiece is how many elements are looked at at a time.
const calendarPiece = 1 << 16

// below returns the index of an element that is less than a number, and its text; nil
// where there is none. What is not a number is not less.
func below(ctx context.Context, array sources.Array, least float64) (index []int, text string, err error) {
	t := array.Info().Type
	number := numberOf(t)
	for region := range ndarray.Pieces(array.Info().Shape, calendarPiece) {
		values := ndarray.New(t, region.Shape)
		if err := array.ReadRegion(ctx, values, region.Start); err != nil {
			return nil, "", err
		}
		at := 0
		for item := range values.Items() {
			if number(item) < least {
				return elementOf(region, at), string(t.FormatScalar(dtype.V3, item)), nil
			}
			at++
		}
	}
	return nil, "", nil
}

// numberOf returns a function that gives elements as numbers, nil for types whose
// elements are none.
func numberOf(t dtype.Type) func(item []byte) float64 {
	n, ok := t.(dtype.Numeric)
	if !ok || comparison(t) == nil {
		return nil
	}
	switch n.Kind() {
	case dtype.Int:
		return func(item []byte) float64 { return float64(signed(item)) }
	case dtype.Uint:
		return func(item []byte) float64 { return float64(unsigned(item)) }
	default: // what comparison knows else are floats
		return float
	}
}
