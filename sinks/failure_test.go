package sinks

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// memoryRegions is an array that WriteFrom reads. It fails at some of its regions.
type memoryRegions struct {
	values ndarray.Array
	fail   func(start []int) bool // nil: at none
}

func (m memoryRegions) ReadRegion(_ context.Context, dst ndarray.Array, start []int) error {
	if m.fail != nil && m.fail(start) {
		return errFault
	}
	ndarray.Copy(dst, m.values.Sub(ndarray.Region{Start: start, Shape: dst.Shape}))
	return nil
}

// TestEveryFailureIsTold fails each operation of each call of a Writer. The call returns
// the error. Until a Commit has succeeded, readers see the old root.
func TestEveryFailureIsTold(t *testing.T) {
	ctx := t.Context()
	spec := ArraySpec{Type: dtype.Int32, Shape: []int{0, 6}, Chunks: []int{2, 3}, Shards: []int{4, 6}}
	part := func(from, rows int) ndarray.Array {
		return countedValues().Sub(ndarray.Region{Start: []int{from, 0}, Shape: []int{rows, 6}})
	}
	array := func(f func(a *Array) error) func(w *Writer) error {
		return func(w *Writer) error {
			a, err := w.Array(ctx, "g/a")
			if err != nil {
				return err
			}
			return f(a)
		}
	}
	appendRows := array(func(a *Array) error { _, err := a.Append(ctx, part(3, 4), ""); return err })
	none := func(*Writer) error { return nil }
	for name, test := range map[string]struct{ before, call func(w *Writer) error }{
		"open":              {none, func(w *Writer) error { _, err := existingWriter(ctx, w.store, Options{}); return err }},
		"arrays":            {none, func(w *Writer) error { _, err := w.Arrays(ctx); return err }},
		"arrays in folders": {none, func(w *Writer) error { _, err := w.Arrays(ctx); return err }},
		"array":             {none, func(w *Writer) error { _, err := w.Array(ctx, "g/a"); return err }},
		"create array": {none, func(w *Writer) error {
			_, err := w.CreateArray(ctx, "g/h/new", ArraySpec{Type: dtype.Int8, Shape: []int{1}})
			return err
		}},
		"create group":        {none, func(w *Writer) error { return w.CreateGroup(ctx, "g/h", nil) }},
		"attributes":          {none, func(w *Writer) error { return w.SetAttributes(ctx, "g/a", zarr.Attributes{}.With("n", []byte("1"))) }},
		"attributes of group": {none, func(w *Writer) error { return w.SetAttributes(ctx, "g", zarr.Attributes{}.With("n", []byte("1"))) }},
		"write parts":         {none, array(func(a *Array) error { return a.WriteRegion(ctx, part(0, 1), []int{0, 0}) })},
		"write again": { // the objects that were stored are to be read
			array(func(a *Array) error { return a.WriteRegion(ctx, part(0, 3), []int{0, 0}) }),
			array(func(a *Array) error { return a.WriteRegion(ctx, part(0, 1), []int{0, 0}) }),
		},
		"append": {none, appendRows},
		"commit parts": { // half of the array's rows wait
			array(func(a *Array) error { return a.WriteRegion(ctx, part(0, 1), []int{0, 0}) }),
			func(w *Writer) error { return w.Commit(ctx) },
		},
		"write from":           {none, array(func(a *Array) error { return a.WriteFrom(ctx, memoryRegions{values: part(0, 3)}) })},
		"write the fill value": {none, array(func(a *Array) error { return a.WriteRegion(ctx, ndarray.New(dtype.Int32, []int{3, 6}), []int{0, 0}) })},
		"commit": {func(w *Writer) error {
			_, err := w.CreateArray(ctx, "g/h/new", ArraySpec{Type: dtype.Int8, Shape: []int{1}})
			one := zarr.Attributes{}.With("n", []byte("1"))
			return errors.Join(err, appendRows(w), w.CreateGroup(ctx, "k", nil), w.SetAttributes(ctx, "", one), w.SetAttributes(ctx, "other", one))
		}, func(w *Writer) error { return w.Commit(ctx) }},
	} {
		memory := 100
		if name == "commit parts" {
			memory = 10_000
		}
		for at, failed := int64(1), true; failed; at++ {
			var left atomic.Int64 // operations until one fails, some of them at the same time
			made := testWriter(t, Options{Unconsolidated: name == "arrays in folders"}, func(string, string) error {
				if left.Add(-1) == 0 {
					return errFault
				}
				return nil
			})
			a := must[*Array](t)(made.CreateArray(ctx, "g/a", spec))
			must[[]int](t)(a.Append(ctx, part(0, 3), ""))
			if err := errors.Join(made.CreateGroup(ctx, "other", nil), made.Commit(ctx)); err != nil {
				t.Fatal(err)
			}
			root := objectsOf(t, made)["zarr.json"]
			w := must[*Writer](t)(existingWriter(ctx, made.store, Options{Memory: memory}))
			if err := test.before(w); err != nil {
				t.Fatal(err)
			}
			left.Store(at)
			err := test.call(w)
			failed = left.Load() <= 0
			left.Store(0) // none fails from here on
			switch {
			case failed != errors.Is(err, errFault):
				t.Errorf("%s: operation %d failed: %v, the error is %v", name, at, failed, err)
			case failed && !strings.HasPrefix(name, "commit") && objectsOf(t, w)["zarr.json"] != root:
				t.Errorf("%s: the root's document has changed", name)
			case !failed && (err != nil || at == 1):
				t.Errorf("%s: after %d operations: %v", name, at-1, err)
			}
		}
	}
}
