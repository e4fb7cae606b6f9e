package plan

import (
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/sources"
)

// Bundles divides the units of the plan into n bundles of about the same number of bytes of
// array elements. Some may have no units. The division depends on nothing but the plan and n,
// so each process finds the same one. If source chunks hold the elements of several units, the
// bundles end where source chunks end, as far as that moves their ends by less than half a
// bundle: so each source chunk is mostly decoded by one process.
func (p *Plan) Bundles(n int) []journal.Bundle {
	var total float64
	for i := range p.Arrays {
		total += float64(p.Arrays[i].Bytes())
	}
	list := make([]journal.Bundle, 0, n)
	first, array := 0, 0   // the next bundle begins here; the array that its end is looked for in
	units, before := 0, 0. // units and bytes of the arrays before that one
	for k := 1; k <= n; k++ {
		want := total * float64(k) / float64(n)
		for array < len(p.Arrays)-1 && before+float64(p.Arrays[array].Bytes()) <= want {
			before += float64(p.Arrays[array].Bytes())
			units += p.Arrays[array].Chunks()
			array++
		}
		end := p.Units()
		if k < n && array < len(p.Arrays) {
			a := &p.Arrays[array]
			each := float64(a.Bytes()) / max(float64(a.Chunks()), 1)
			in := min(int(math.Round((want-before)/max(each, 1))), a.Chunks())
			in -= aligned(a.array.Info(), a.Grid.Chunk, a.Grid.Count(), in, int(total/float64(n)/max(each, 1)))
			end = max(units+in, first)
		}
		list = append(list, journal.Bundle{First: first, End: end})
		first = end
	}
	return list
}

// aligned returns by how many units the end of a bundle moves back, so that it is the end of
// source chunks, too. end is a number of units in an array whose chunks of the given shape
// stand in a grid of counts; bundle is how many units a bundle has.
func aligned(info *sources.Info, chunk, counts []int, end, bundle int) int {
	inner, shared := 1, false // units in one step along the axis; source chunks hold several units
	best := 0
	for axis, count := range slices.Backward(counts) {
		if axis >= len(info.Chunks) || chunk[axis] < 1 {
			return 0
		}
		steps := (info.Chunks[axis] + chunk[axis] - 1) / chunk[axis]
		shared = shared || steps > 1
		row := max(count*inner, 1)
		if by := end % row % (max(steps, 1) * inner); shared && by < bundle/2 {
			best = by
		}
		inner = row
	}
	return best
}
