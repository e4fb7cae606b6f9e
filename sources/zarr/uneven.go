package zarr

import (
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
)

// checkedChains bounds the shapes for which it is checked, when an array is opened, that
// its codecs take them.
const checkedChains = 4096

// chainOf returns the codecs of a chunk.
func (a *array) chainOf(index []int) (*codecs.Chain, error) {
	if a.grid.Runs == nil {
		return a.chain, nil
	}
	return a.chainFor(a.grid.ChunkShape(index))
}

func (a *array) chainFor(shape []int) (*codecs.Chain, error) {
	in := a.chain.Chunk()
	in.Shape = shape
	chain, err := a.source.chains.Bind(a.chain.Specs(), in)
	if err != nil {
		return nil, fmt.Errorf("chunks of shape %v: %w", shape, err)
	}
	return chain, nil
}

// describeUneven makes an array whose chunks have several shapes known as one
// with the regular grid that comes next to it. Each extent of a chunk is held
// against the codecs.
func (a *array) describeUneven() error {
	checked := 0
	for k, runs := range a.grid.Runs {
		seen := map[int]bool{}
		for _, r := range runs {
			if seen[r.Extent] || checked == checkedChains {
				continue
			}
			seen[r.Extent] = true
			checked++
			shape := append([]int{}, a.grid.Chunk...)
			shape[k] = r.Extent
			if _, err := a.chainFor(shape); err != nil {
				return err
			}
		}
	}
	a.info.Notes = append(a.info.Notes, fmt.Sprintf("the chunk grid is rectilinear, with chunks up to the shape %v: one of even chunks is written", a.grid.Chunk))
	if layout, ok := a.chain.Shards(); ok { // of which the inner chunks are even
		a.info.Shards, a.info.Codecs = nil, layout.Inner().Specs()
	} else if _, ok := a.grid.Regular(); !ok {
		a.info.Chunks = nil
	}
	return nil
}
