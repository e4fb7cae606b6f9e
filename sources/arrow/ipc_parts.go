package arrow

import (
	"context"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// next implements [rows].
func (r *ipcRows) next(ctx context.Context, n int, out ndarray.Array, null *nulls) error {
	if r.parts == nil {
		err := r.values(ctx, r.node, r.at, r.at+n, out, null)
		r.at += n
		return err
	}
	for done := 0; done < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		some, lo, hi := r.near(n - done)
		part := out.Sub(ndarray.Region{Start: []int{done * r.node.elements}, Shape: []int{some * r.node.elements}})
		own := &nulls{n: part.Shape[0]}
		err := r.gather(ctx, some, lo, hi, part, own)
		if err != nil {
			return err
		}
		if own.set != nil {
			copy(null.all()[done*r.node.elements:], own.set)
		}
		done += some
	}
	return nil
}

// near returns how many of the next values, at most most, are read at once, and the values from lo
// to hi that have all of them: a single part, or several parts that are not far from each other.
func (r *ipcRows) near(most int) (n, lo, hi int) {
	first := r.parts[0]
	n, lo, hi = min(most, first.n), first.begin, first.begin+min(most, first.n)
	for _, p := range r.parts[1:] {
		some := min(most-n, p.n)
		from, to := min(lo, p.begin), max(hi, p.begin+some)
		if some == 0 || to-from > mostGathered || to-from > 8*(n+some)+64 {
			break
		}
		n, lo, hi = n+some, from, to
	}
	return n, lo, hi
}

// gather reads the next n values, which are among the values lo to hi.
func (r *ipcRows) gather(ctx context.Context, n, lo, hi int, out ndarray.Array, null *nulls) error {
	if first := &r.parts[0]; n <= first.n {
		err := r.values(ctx, r.node, first.begin, first.begin+n, out, null)
		r.take(n)
		return err
	}
	once := ndarray.New(out.Type, []int{(hi - lo) * r.node.elements})
	tally := once.Borrow(out)
	defer tally.End()
	nullOnce := &nulls{n: once.Shape[0]}
	if err := r.values(ctx, r.node, lo, hi, once, nullOnce); err != nil {
		return err
	}
	for done := 0; done < n; {
		p := r.parts[0]
		some := min(p.n, n-done)
		from, to, count := (p.begin-lo)*r.node.elements, done*r.node.elements, some*r.node.elements
		ndarray.Copy(out.Sub(ndarray.Region{Start: []int{to}, Shape: []int{count}}), once.Sub(ndarray.Region{Start: []int{from}, Shape: []int{count}}))
		if nullOnce.set != nil {
			copy(null.all()[to:], nullOnce.set[from:][:count])
		}
		r.take(some)
		done += some
	}
	return out.Heap.Err()
}

// take goes on by n values, which the first part has.
func (r *ipcRows) take(n int) {
	if r.parts[0].n == n {
		r.parts = r.parts[1:]
		return
	}
	r.parts[0] = part{r.parts[0].begin + n, r.parts[0].n - n}
}

// partsOf returns the parts of a list of parts that have its elements lo to hi. tally counts their
// memory.
func partsOf(list []part, lo, hi int, tally *ndarray.Tally) ([]part, error) {
	for len(list) > 0 && lo >= list[0].n {
		lo, hi, list = lo-list[0].n, hi-list[0].n, list[1:]
	}
	behind, end := 0, 0
	for behind < len(list) && end < hi {
		end += list[behind].n
		behind++
	}
	if err := tally.Take(partBytes * behind); err != nil || behind == 0 {
		return []part{}, err
	}
	all := slices.Clone(list[:behind])
	all[behind-1].n -= max(end-hi, 0)
	all[0].begin, all[0].n = all[0].begin+lo, all[0].n-lo
	return all, nil
}

// partBytes is the memory of a part.
const partBytes = 16
