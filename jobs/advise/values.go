package advise

import (
	"bytes"
	"math"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/jobs/trial"
)

// valuesOf adds the values of a cell to those of the cells before. Elements that are the fill
// value do not count.
func valuesOf(v *standard.Values, in codecs.Chunk, cell trial.Cell) {
	n, ok := in.Type.(dtype.Numeric)
	if !ok || n.Kind() != dtype.Float {
		return
	}
	inside := ndarray.New(in.Type, cell.Inside)
	ndarray.Copy(inside, cell.Elements.Sub(ndarray.Region{Start: make([]int, len(cell.Inside)), Shape: cell.Inside}))
	switch in.Type.Size() {
	case 4:
		addValues[float32](v, inside, in.Fill)
	case 8:
		addValues[float64](v, inside, in.Fill)
	}
}

func addValues[T float32 | float64](v *standard.Values, a ndarray.Array, fill dtype.Scalar) {
	elements, ok := ndarray.As[T](a)
	if !ok {
		return
	}
	size := ndarray.ItemSize(a.Type)
	for i, x := range elements {
		if bytes.Equal(a.Data[a.Offset+i*size:][:size], fill) {
			continue
		}
		switch x := float64(x); {
		case math.IsNaN(x):
			v.NaN = true
		case math.IsInf(x, 0):
			v.Infinite = true
		default:
			v.Min, v.Max = math.Min(v.Min, x), math.Max(v.Max, x)
		}
	}
}
