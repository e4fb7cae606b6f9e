package ndarray

import "slices"

// axis is one dimension of a copy: its extent and both strides in bytes.
type axis struct{ n, dst, src int }

// axes lists the dimensions that are longer than one, in decreasing order of their
// stride in dst. Neighbours that are one run on both sides are merged.
func axes(dst, src Array) []axis {
	list := make([]axis, 0, len(dst.Shape)+1)
	for i, n := range dst.Shape {
		if n > 1 {
			list = append(list, axis{n, dst.Strides[i], src.Strides[i]})
		}
	}
	slices.SortStableFunc(list, func(a, b axis) int { return b.dst - a.dst })
	merged := list[:0]
	for _, a := range list {
		if k := len(merged) - 1; k >= 0 && merged[k].dst == a.dst*a.n && merged[k].src == a.src*a.n {
			merged[k] = axis{merged[k].n * a.n, a.dst, a.src}
			continue
		}
		merged = append(merged, a)
	}
	return merged
}

// pairFastest moves the dimension with the smallest stride in src next to the last
// dimension, which has the smallest stride in dst. The two make the blocks of a
// permuted copy. A single dimension gets a partner of extent one.
func pairFastest(list []axis) []axis {
	n := len(list)
	if n == 1 {
		return []axis{{1, 0, 0}, list[0]}
	}
	best := 0
	for i, a := range list[:n-1] {
		if a.src < list[best].src {
			best = i
		}
	}
	a := list[best]
	return slices.Insert(slices.Delete(list, best, best+1), n-2, a)
}
