package target

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// SameFrom reports whether the calendars of source and target differ only in early times.
// If they do, CheckCalendar checks that the array has no such time.
func (e *Existing) SameFrom(own, target, units json.RawMessage) bool {
	least, ok := compare.Calendars(own, target, units)
	if !ok || !compare.HasTimes(e.Array.Info()) {
		return false
	}
	e.calendars = &calendars{own, target, least}
	return true
}

// CheckCalendar returns an error if the array has a time for which the calendars of source
// and target differ. The note says that the calendars differ. It is "" if they are equal.
func (e *Existing) CheckCalendar(ctx context.Context) (note string, err error) {
	c := e.calendars
	if c == nil {
		return "", nil
	}
	is := func(value json.RawMessage) string { return compare.AttributeText("calendar", value) }
	for _, side := range []struct {
		where string
		array sources.Array
	}{{"source", e.Incoming}, {"target", e.Array}} {
		index, value, err := compare.Before(ctx, side.array, c.least)
		switch {
		case err != nil:
			return "", fmt.Errorf("%s: array %q: %w", side.where, e.Path, err)
		case index != nil:
			return "", fmt.Errorf("array %q: the attribute calendar is %s in the source and %s in the target, and element %v of the %s, %s, is a time before 1582-10-15, when the calendars differ: %s",
				e.Path, is(c.own), is(c.target), index, side.where, value, OtherMeaning("calendar"))
		}
	}
	return fmt.Sprintf("the attribute calendar stays %s, in the source it is %s: the calendars agree from 1582-10-15 on, and no time is earlier", is(c.target), is(c.own)), nil
}
