package plan

import (
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// again refuses to encode existing rows once more, if the codecs may change values each
// time. Errors would add up in published rows.
func (g *Growth) again(p *Plan) error {
	var ps jobfile.Problems
	for i := range p.Arrays {
		a := &p.Arrays[i]
		if a.Append.Rewritten == 0 {
			continue
		}
		codec := a.Chain.Unstable()
		if codec == "" {
			continue
		}
		_, field := p.Job.Options(a.Source)
		extent := a.Meta.Grid.Chunk[a.Append.Axis]
		ps = append(ps, p.Job.Problem(field, fmt.Sprintf("array %q: the last %d rows of the target would be decoded and encoded again, and the codec %s may change their values each time",
			a.Target, a.Append.Rows%extent, codec), againHint(extent, g.Dimension, "make a new target with")))
	}
	return ps.Err()
}

// againHint returns the way out for an array whose chunks must not be encoded again. extent
// is the number of rows of a chunk along dim. otherwise is the verb for other chunks.
func againHint(extent int, dim, otherwise string) string {
	return fmt.Sprintf("append whole chunks to whole chunks, %d rows along %s at a time, or %s chunks (of arrays in shards: shards) of extent 1 along it, or codecs that are lossless or round to the nearest, such as zstd and bitround",
		extent, dim, otherwise)
}

// partial warns of arrays whose last chunk the run leaves only partly filled, if their
// codecs may change values each time. The function again refuses the next rows of such an
// array.
func (p *Plan) partial() (ps jobfile.Problems) {
	if p.dim == "" || p.Nothing() {
		return nil
	}
	for i := range p.Arrays {
		a := &p.Arrays[i]
		axis := slices.Index(a.Meta.DimensionNames, p.dim)
		if a.Append != nil {
			axis = a.Append.Axis
		}
		if axis < 0 || a.Meta.Grid.Runs != nil {
			continue
		}
		extent := a.Meta.Grid.Chunk[axis]
		codec := a.Chain.Unstable()
		if a.Meta.Grid.Shape[axis]%extent == 0 || codec == "" {
			continue
		}
		_, field := p.Job.Options(a.Source)
		w := p.Job.Problem(field, fmt.Sprintf("array %q: its last chunk will have %d of %d rows, and no rows can be appended to that chunk, because the codec %s may change values each time that they are stored",
			a.Target, a.Meta.Grid.Shape[axis]%extent, extent, codec), againHint(extent, p.dim, "choose"))
		w.Warning, w.Code = true, "append-partial-chunk"
		ps = append(ps, w)
	}
	return ps
}
