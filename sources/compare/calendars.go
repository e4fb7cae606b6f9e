package compare

import (
	"context"
	"encoding/json"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
)

// Calendars compares two values of the attribute calendar, nil for none, which differ:
// where they do so in times before 1582-10-15 alone, it returns the least number that is
// a later time in the units. Arrays of which no value is [Before] that mean the same
// times in both.
func Calendars(x, y, units json.RawMessage) (least float64, ok bool) {
	least, ok = cf.Reform(units)
	return least, ok && cf.SameAfterReform(x, y)
}

// calendarPiece is how many elements are looked at at a time.
const calendarPiece = 1 << 16

// HasTimes reports whether the elements of an array are numbers that can be times as
// they are stored, of which [Before] can tell.
func HasTimes(info *sources.Info) bool { return info.Packing == nil && NumberOf(info.Type) != nil }

// Before returns the index of an element that is less than a number, and its text; nil
// where there is none. NaN is not less.
func Before(ctx context.Context, array sources.Array, least float64) (index []int, text string, err error) {
	t := array.Info().Type
	number := NumberOf(t)
	for region := range ndarray.Pieces(array.Info().Shape, calendarPiece) {
		values := ndarray.New(t, region.Shape)
		if err := array.ReadRegion(ctx, values, region.Start); err != nil {
			return nil, "", err
		}
		at := 0
		for item := range values.Items() {
			if number(item) < least {
				return IndexIn(region, at), Show(t, item), nil
			}
			at++
		}
	}
	return nil, "", nil
}
