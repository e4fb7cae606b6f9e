package codecs

import "strconv"

// Loss is one way in which a bound codec changes the values that it stores. It is known
// before any data is read.
type Loss struct {
	Name string // the codec's name; for a codec of an inner chain, the inner codec's name
	What string // what becomes of values, such as "rounded to whole numbers"
	// AtMost is the greatest difference between a stored value and the value that comes
	// back. It is 0 if What says it, or if no bound is known beforehand.
	AtMost float64
	// Anything means that a number may also become infinite, and NaN a number.
	Anything bool
}

// String returns What, followed by the bound if there is one.
func (l Loss) String() string {
	if l.AtMost == 0 {
		return l.What
	}
	return l.What + ", at most " + strconv.FormatFloat(l.AtMost, 'g', 6, 64) + " away"
}

// BoundOf returns the greatest difference that losses allow together. It is 0 if no bound is
// known.
func BoundOf(losses []Loss) float64 {
	bound := 0.0
	for _, l := range losses {
		if l.AtMost == 0 {
			return 0
		}
		bound += l.AtMost
	}
	return bound
}
