package sources

import (
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// StoredOrder lists the dimensions of an array, slowest first.
func (i *Info) StoredOrder() []int {
	if i.Slowest != nil {
		return i.Slowest
	}
	order := make([]int, len(i.Shape))
	for k := range order {
		order[k] = k
	}
	return order
}

// layout returns the Layout of an array without chunks. The caller may change them.
func (i *Info) layout() *Layout {
	if p := i.Layout; p != nil {
		return &Layout{Most: slices.Clone(p.Most), Whole: slices.Clone(p.Whole), Steps: slices.Clone(p.Steps), Order: slices.Clone(p.Order)}
	}
	p := &Layout{Most: make([]int, len(i.Shape)), Whole: slices.Clone(i.Shape), Steps: make([]int, len(i.Shape)), Order: slices.Clone(i.StoredOrder())}
	for k := range p.Steps {
		p.Steps[k] = 1
	}
	return p
}

// Reads returns about how many reads a region of an array without chunks takes. shape is the shape
// of the region. As [NewStrided] does, it counts elements that lie apart as one read, if what is between them
// costs no more than a request.
func (i *Info) Reads(shape []int) int64 {
	p := i.layout()
	size := ndarray.ItemSize(i.Type)
	gap := i.LongRun / longRun
	pieces, reads := int64(1), int64(1)
	distance, span := size, size         // span: bytes from the first to the last element so far
	scratch := !slices.IsSorted(p.Order) // elements do not go straight to their place
	for _, k := range slices.Backward(p.Order) {
		n := shape[k]
		if most := p.Most[k]; most > 0 && n > most {
			pieces *= int64((n + most - 1) / most)
			n = most
		}
		n = (n-1)*p.Steps[k] + 1 // what is between the indices of one piece is read, too
		switch gapped := distance > span; {
		case n <= 1:
		case reads > 1 || distance-span > gap || gapped && !scratch && span > gap || (gapped || scratch) && span > ScratchBytes:
			reads *= int64(n)
		case gapped || scratch:
			together := (ScratchBytes-span)/distance + 1
			reads = int64((n + together - 1) / together)
			span, scratch = span+(n-1)*distance, true
		default:
			span += (n - 1) * distance
		}
		distance *= p.Whole[k]
	}
	return pieces * reads
}
