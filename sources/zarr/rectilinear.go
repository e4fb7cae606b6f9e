package zarr

import (
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
)

// checkedChains bounds how many extents of chunks are tried with the codecs when an array
// is opened.
const checkedChains = 4096

// chainOf returns the codec chain of a chunk.
func (a *array) chainOf(index []int) (*codecs.Chain, error) {
	if a.grid.Runs == nil {
		return a.chain, nil
	}
	return a.source.chainFor(a.chain, a.grid.ChunkShape(index))
}

// chainFor returns the codecs of a chain for chunks of another shape.
func (s *source) chainFor(chain *codecs.Chain, shape []int) (*codecs.Chain, error) {
	in := chain.Chunk()
	in.Shape = shape
	chain, err := s.chains.Bind(chain.Specs(), in)
	if err != nil {
		return nil, fmt.Errorf("chunks of shape %v: %w", shape, err)
	}
	return chain, nil
}

// describeUneven describes arrays whose chunks have several shapes in the terms of a
// regular grid. It tries each extent of a chunk with the codecs.
func (s *source) describeUneven(k *kind) error {
	checked := 0
	for dim, runs := range k.grid.Runs {
		seen := map[int]bool{}
		for _, r := range runs {
			if seen[r.Extent] || checked == checkedChains {
				continue
			}
			seen[r.Extent] = true
			checked++
			shape := append([]int{}, k.grid.Chunk...)
			shape[dim] = r.Extent
			if _, err := s.chainFor(k.chain, shape); err != nil {
				return err
			}
		}
	}
	k.common.Notes = append(k.common.Notes, fmt.Sprintf("the chunk grid is rectilinear, with chunks up to the shape %v: the target gets a regular grid", k.grid.Chunk))
	if layout, ok := k.chain.Shards(); ok { // the inner chunks all have one shape
		k.common.Shards, k.common.Codecs = nil, layout.Inner().Specs()
	} else if _, ok := k.grid.Regular(); !ok {
		k.common.Chunks = nil
	}
	return nil
}
