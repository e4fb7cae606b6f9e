package filters

import (
	"fmt"
	"strconv"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// A chunk in JSON or MessagePack is a list: the elements, lists within lists if there are
// several dimensions, then the data type of NumPy and the shape. An element of no dimension
// is a list of one.

// mostRanks bounds the depth of lists. Arrays of NumPy have at most 64 dimensions.
const mostRanks = 64

// ofObjects binds a filter that stores lists of objects. parse decodes the lists.
func ofObjects(parse func(src []byte) (any, error)) binder {
	return func(in codecs.Chunk) (decoder, codecs.Size, error) {
		if in.Type != dtype.StringType {
			return nil, codecs.Size{}, unsuited("data type " + in.Type.Name() + ": want objects")
		}
		return func(dst ndarray.Array, src []byte) error {
			chunk, err := parse(src)
			if err != nil {
				return err
			}
			return setItems(dst, chunk, in.Fill)
		}, codecs.Size{Max: codecs.MaxVariable, Unbounded: true}, nil
	}
}

// none is the element None, which becomes the empty text, as in vlen-utf8 of numcodecs.
type none struct{}

// other is what an element is that is neither a text, an int, None nor a list.
type other string

// setItems fills dst with the texts of a decoded chunk. The values of the chunk are
// []any, string, int, none and other. A number that is the fill value stands for it:
// zarr-python 2 fills arrays of objects with 0 when nobody chose a fill value.
func setItems(dst ndarray.Array, chunk any, fill dtype.Scalar) error {
	list, _ := chunk.([]any)
	if len(list) < 2 {
		return fmt.Errorf("%w: want a list of elements with their data type and shape", codecs.ErrCorrupt)
	}
	last := len(list) - 1
	shape, _ := list[last].([]any)
	elements := flatten(nil, list[:last-1], max(len(shape), 1))
	if _, named := list[last-1].(string); !named || !isShape(shape, len(elements)) || len(elements) != dst.Len() {
		return fmt.Errorf("%w: %d elements of shape %v, want %d elements", codecs.ErrCorrupt, len(elements), list[last], dst.Len())
	}
	i := -1
	return dst.SetItems(func() ([]byte, error) {
		i++
		switch v := elements[i].(type) {
		case string:
			return []byte(v), nil
		case none:
			return nil, nil
		case int:
			if digits := strconv.Itoa(v); digits != string(fill) {
				return nil, notText(i, digits)
			}
			return fill, nil
		case []any:
			return nil, notText(i, "a list")
		default:
			return nil, notText(i, fmt.Sprint(v))
		}
	})
}

// isShape reports whether a decoded shape is one of n elements.
func isShape(shape []any, n int) bool {
	for _, v := range shape {
		extent, ok := v.(int)
		if !ok || extent <= 0 || n%extent != 0 {
			return false
		}
		n /= extent
	}
	return n == 1
}

// flatten appends the elements of lists within lists to to.
func flatten(to, list []any, depth int) []any {
	if depth == 1 {
		return append(to, list...)
	}
	for _, v := range list {
		inner, _ := v.([]any) // anything else leaves too few elements
		to = flatten(to, inner, depth-1)
	}
	return to
}

// notText returns the error about an element.
func notText(i int, what string) error {
	return fmt.Errorf("element %d in C order is %s, and not a text: exclude the array, or write it again with texts alone", i, what)
}
