package combine

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// pieceElements is how many elements of a coordinate are read at once.
const pieceElements = 1 << 16

// mismatch is the first element in which two arrays differ.
type mismatch struct {
	index []int
	x, y  string
}

func (m *mismatch) text(first, other string) string {
	return fmt.Sprintf("the value at %v is %s in %s and %s in %s", m.index, m.x, first, m.y, other)
}

// show writes an element for a message.
func show(t dtype.Type, item []byte) string {
	return clip(string(t.FormatScalar(dtype.V3, slices.Clone(dtype.Scalar(item)))))
}

// firstDifference returns the first elements that are not the same value in two
// arrays of one shape, and their number in C order; -1 where there are none.
func firstDifference(a, b ndarray.Array) (x, y []byte, at int) {
	same := sameValue(a.Type)
	next, stop := iter.Pull(b.Items())
	defer stop()
	for x := range a.Items() {
		if y, _ := next(); !same(x, y) {
			return x, y, at
		}
		at++
	}
	return nil, nil, -1
}

// sameValue returns what tells whether two elements are one value. All zeros of
// floats are, and all NaNs.
func sameValue(t dtype.Type) func(x, y []byte) bool {
	if t != dtype.Float32 && t != dtype.Float64 {
		return bytes.Equal
	}
	number := orderOf(t)
	return func(x, y []byte) bool {
		if bytes.Equal(x, y) {
			return true
		}
		a, valid := number(x)
		b, both := number(y)
		return valid == both && (a == b || !valid)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// clip shortens text of a file for a message.
func clip(text string) string {
	const most = 80
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
