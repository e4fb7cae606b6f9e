package cf

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
)

// JoinLimits returns the value of an attribute for which [IsLimit] is true, for an array
// that is joined of two arrays: the wider of both limits, in the spelling that it has. x and
// y are the values of the attribute in the two arrays. s and t are the types of their
// numbers, or nil if only their JSON is known. A range that runs downwards, as that of
// latitudes from north to south, stays so. JoinLimits returns false if a value is missing,
// is not made of finite numbers, or is a range that runs the other way.
func JoinLimits(attribute string, x, y json.RawMessage, s, t dtype.Type) (json.RawMessage, bool) {
	pair := attribute == validRange || attribute == "actual_range"
	a, listed, okA := limits(x, s)
	b, _, okB := limits(y, t)
	want := 1
	if pair {
		want = 2
	}
	if !okA || !okB || len(a) != want || len(b) != want {
		return nil, false
	}
	falls := false
	if pair {
		down := [2]int{a[0].exact.Cmp(a[1].exact), b[0].exact.Cmp(b[1].exact)}
		if falls = down[0] > 0 || down[1] > 0; falls && slices.Min(down[:]) < 0 {
			return nil, false
		}
	}
	for i := range a {
		upper := attribute == validMax || i == 1
		if c := b[i].exact.Cmp(a[i].exact); c != 0 && (c > 0) == (upper != falls) {
			a[i] = b[i]
		}
	}
	texts := make([]json.RawMessage, len(a))
	for i := range a {
		texts[i] = a[i].text
	}
	if !listed {
		return texts[0], true
	}
	all, err := json.Marshal(texts)
	return all, err == nil
}

// spelled is a finite number of an attribute, and its JSON.
type spelled struct {
	number
	text json.RawMessage
}

// limits returns the numbers of an attribute. listed says that they are in a list.
func limits(value json.RawMessage, t dtype.Type) (list []spelled, listed, ok bool) {
	if value == nil {
		return nil, false, false
	}
	read, ok := numbers(value, t)
	if !ok {
		return nil, false, false
	}
	var texts []json.RawMessage
	if value = bytes.TrimSpace(value); value[0] != '[' {
		texts = []json.RawMessage{value}
	} else if err := json.Unmarshal(value, &texts); err != nil {
		return nil, false, false
	} else {
		listed = true
	}
	for i, n := range read {
		if n.exact == nil {
			return nil, false, false
		}
		list = append(list, spelled{n, texts[i]})
	}
	return list, listed, true
}
