package sources

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

const (
	// comparedBytes is the size of an array up to which its values are compared
	// between members.
	comparedBytes = 16 << 20
	// pieceElements is how many elements are read at once for that.
	pieceElements = 1 << 16
)

// mismatch is the first element in which two arrays differ.
type mismatch struct {
	index []int
	x, y  string
}

func (m *mismatch) text(first, other string) string {
	return fmt.Sprintf("the value at %v is %s in %s and %s in %s", m.index, m.x, first, m.y, other)
}

// compareValues compares the values of a variable with those of the first member,
// as far as others have the same type and shape. It returns for each member where
// it differs first, nil where it does not.
func (c *combined) compareValues(ctx context.Context, v *variable) ([]*mismatch, error) {
	found := make([]*mismatch, len(v.parts))
	if len(v.parts) == 1 {
		return found, nil
	}
	first := v.parts[v.first()]
	info := first.Info()
	if tooLarge(info) {
		v.note("taken from %s; the values in the other files, of more than %d MiB each, are not compared", c.names[v.first()], comparedBytes>>20)
		return found, nil
	}
	want := ndarray.New(info.Type, info.Shape)
	if err := first.ReadRegion(ctx, want, make([]int, len(info.Shape))); err != nil {
		return nil, err
	}
	err := InParallel(ctx, len(v.parts), func(ctx context.Context, i int) (err error) {
		p := v.parts[i]
		if p == nil || p == first || !slices.Equal(p.Info().Shape, info.Shape) || !dtype.Same(p.Info().Type, info.Type) {
			return nil // told already
		}
		found[i], err = differs(ctx, want, p)
		return err
	})
	return found, err
}

// tooLarge reports whether an array has too many values to compare them.
func tooLarge(info *Info) bool {
	n, ok := ndarray.Elements(info.Shape)
	return !ok || n > comparedBytes/ndarray.ItemSize(info.Type)
}

// differs finds the first element of an array that is not that of want.
func differs(ctx context.Context, want ndarray.Array, a Array) (*mismatch, error) {
	for piece := range ndarray.Pieces(want.Shape, pieceElements) {
		got := ndarray.New(want.Type, slices.Clone(piece.Shape))
		if err := a.ReadRegion(ctx, got, slices.Clone(piece.Start)); err != nil {
			return nil, err
		}
		x, y, at := firstDifference(want.Sub(piece), got)
		if at < 0 {
			continue
		}
		m := &mismatch{slices.Clone(piece.Start), show(want.Type, x), show(want.Type, y)}
		for k, n := range slices.Backward(piece.Shape) {
			m.index[k] += at % n
			at /= n
		}
		return m, nil
	}
	return nil, nil
}

// show writes an element for a message.
func show(t dtype.Type, item []byte) string {
	return clip(string(t.FormatScalar(dtype.V3, slices.Clone(dtype.Scalar(item)))))
}

// firstDifference returns the first element that is not the same in two arrays of
// one shape, and its number in C order; -1 where there is none.
func firstDifference(a, b ndarray.Array) (x, y []byte, at int) {
	p, ok := a.Contiguous()
	q, both := b.Contiguous()
	if ok && both && a.Heap == nil && bytes.Equal(p, q) {
		return nil, nil, -1
	}
	next, stop := iter.Pull(b.Items())
	defer stop()
	for x := range a.Items() {
		if y, _ := next(); !bytes.Equal(x, y) {
			return x, y, at
		}
		at++
	}
	return nil, nil, -1
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
