package trial

import "github.com/zmigrate/zmigrate/zarr"

// spread returns the indices of n chunks of a grid, or of all chunks if there are no more
// than n. The same grid and n give the same chunks. They are the points of a Halton sequence,
// which fills a box of several dimensions evenly: J. H. Halton, "On the efficiency of certain
// quasi-random sequences of points" (1960).
func spread(grid zarr.Grid, n int) [][]int {
	counts := grid.Count()
	all := grid.Len()
	var list [][]int
	if all <= n {
		for number := range all {
			list = append(list, grid.Index(number))
		}
		return list
	}
	taken := map[int]bool{}
	// The sequence meets the chunks of small grids again and again. Chunks that it has not met
	// after some rounds are taken in the order of their numbers.
	for k := 1; len(list) < n && k <= 16*n; k++ {
		index := make([]int, len(counts))
		for i, count := range counts {
			index[i] = min(int(mirrored(k, bases[i%len(bases)])*float64(count)), count-1)
		}
		if number := grid.Number(index); !taken[number] {
			taken[number] = true
			list = append(list, index)
		}
	}
	for number := 0; len(list) < n; number++ {
		if !taken[number] {
			list = append(list, grid.Index(number))
		}
	}
	return list
}

// bases are those of the sequence, one for each dimension.
var bases = []int{2, 3, 5, 7, 11, 13, 17, 19}

// mirrored returns the number whose digits behind the point, in a base, are those of k in
// front of it, the last one first.
func mirrored(k, base int) float64 {
	x, digit := 0.0, 1.0
	for ; k > 0; k /= base {
		digit /= float64(base)
		x += float64(k%base) * digit
	}
	return x
}
