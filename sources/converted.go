package sources

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Converter changes elements, each by itself, to another data type; a bound cast_value
// codec is one. It is safe for concurrent use.
type Converter interface {
	// Encode fills dst from src, two arrays of one shape.
	Encode(dst, src ndarray.Array) error
}

// converted is an array whose elements are converted as they are read.
type converted struct {
	array   Array
	info    Info
	convert Converter
}

// convertedPiece is how many elements are converted at a time.
const convertedPiece = 1 << 15

// Converted returns an array that reads the elements of array and converts them to data
// type t. A call of ReadRegion converts piece by piece; Info.Memory counts the memory for a
// piece. An error of convert names the index at which its piece begins.
func Converted(array Array, convert Converter, t dtype.Type) Array {
	c := &converted{array: array, info: *array.Info(), convert: convert}
	c.info.Type = t
	c.info.Memory = cmp.Or(c.info.Memory, ScratchBytes) + convertedPiece*(ndarray.ItemSize(t)+ndarray.ItemSize(array.Info().Type))
	return c
}

func (c *converted) Info() *Info { return &c.info }

// ReadRegion implements [Array].
func (c *converted) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := CheckRegion(&c.info, dst, start); err != nil {
		return err
	}
	for r := range ndarray.Pieces(dst.Shape, convertedPiece) {
		own, made := ndarray.New(c.array.Info().Type, r.Shape), ndarray.New(c.info.Type, r.Shape)
		at := slices.Clone(start)
		for i, n := range r.Start {
			at[i] += n
		}
		if err := c.array.ReadRegion(ctx, own, at); err != nil {
			return err
		}
		if err := c.convert.Encode(made, own); err != nil {
			return fmt.Errorf("elements from %v on: %w", at, err)
		}
		ndarray.Copy(dst.Sub(r), made)
	}
	return nil
}
