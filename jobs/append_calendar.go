package jobs

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// calendars are the attributes calendar of an array in the source and in the target, nil
// for none. Values from least on are the same times in both.
type calendars struct {
	own, target json.RawMessage
	least       float64
}

// sameFrom reports whether two calendars of the array are the same for later times in
// the units. It leaves it to sameCalendar to look at the values.
func (t *there) sameFrom(own, target, units json.RawMessage) bool {
	least, ok := compare.Calendars(own, target, units)
	if !ok || !compare.HasTimes(t.array.Info()) {
		return false
	}
	t.calendars = &calendars{own, target, least}
	return true
}

// sameCalendar refuses an array that has a time for which the calendars of source and
// target differ.
func (a *PlannedArray) sameCalendar(ctx context.Context) error {
	c := a.there.calendars
	if c == nil {
		return nil
	}
	is := func(value json.RawMessage) string { return compare.AttributeText("calendar", value) }
	for _, side := range []struct {
		where string
		array sources.Array
	}{{"source", a.there.own}, {"target", a.there.array}} {
		index, value, err := compare.Before(ctx, side.array, c.least)
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
