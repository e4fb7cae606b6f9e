package compare

import (
	"context"
	"encoding/json"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
)

// Calendars compares two different values of the attribute calendar. nil stands for an
// array without the attribute. ok is true if the two calendars differ only in times before
// 1582-10-15. Then least is the least number, in the units, of a later time. An array
// without a value [Before] least means the same times in both calendars.
func Calendars(x, y, units json.RawMessage) (least float64, ok bool) {
	least, ok = cf.Reform(units)
	return least, ok && cf.SameAfterReform(x, y)
}

// calendarPiece is how many elements [Before] reads at a time.
const calendarPiece = 1 << 16

// HasTimes reports whether [Before] can search an array: its elements are numbers, and they
// are not packed.
func HasTimes(info *sources.Info) bool { return info.Packing == nil && NumberOf(info.Type) != nil }

// Before returns the index and the text of the first element in C order that is less than
// least. The index is nil if there is none. NaN is not less. The array has times, see
// [HasTimes]. An error is one of reading.
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
