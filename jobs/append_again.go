package jobs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

// again refuses to store rows that are there once more by codecs that may change
// them each time: errors would add up in rows that were published.
func (g *growth) again(p *Plan, registry *codecs.Registry) error {
	var ps Problems
	for i := range p.Arrays {
		a := &p.Arrays[i]
		if a.Append.Rewritten == 0 {
			continue
		}
		codec := drifting(a.Chain, registry)
		if codec == "" {
			continue
		}
		_, field := p.Job.Options(a.Source)
		extent := a.Meta.Grid.Chunk[a.Append.Axis]
		ps = append(ps, p.Job.Problem(field, fmt.Sprintf("array %q: the last %d rows there would be decoded and encoded again, and the codec %s may change their values each time",
			a.Target, a.Append.Rows%extent, codec), againHint(extent, g.dim, "make a new target with")))
	}
	return ps.Err()
}

// againHint is the way out for chunks of so many rows that cannot be stored again.
func againHint(extent int, dim, otherwise string) string {
	return fmt.Sprintf("append whole chunks to whole chunks, %d rows along %s at a time, or %s chunks (of arrays in shards: shards) of extent 1 along it, or codecs that are lossless or round to the nearest, such as zstd and bitround",
		extent, dim, otherwise)
}

// partial warns of arrays whose last chunk a run that appends, or the first one,
// will leave filled in part, by codecs for which again refuses the next rows.
func (p *Plan) partial(registry *codecs.Registry) (ps Problems) {
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
		codec := drifting(a.Chain, registry)
		if a.Meta.Grid.Shape[axis]%extent == 0 || codec == "" {
			continue
		}
		_, field := p.Job.Options(a.Source)
		w := p.Job.Problem(field, fmt.Sprintf("array %q: its last chunk will have %d of %d rows, and none can be appended to it, as the codec %s may change values each time that they are stored",
			a.Target, a.Meta.Grid.Shape[axis]%extent, extent, codec), againHint(extent, p.dim, "choose"))
		w.Warning, w.Code = true, "append-partial-chunk"
		ps = append(ps, w)
	}
	return ps
}

// drifting returns the name of the first codec of a chain that may change values
// which it has decoded before when they are encoded again, "" for none. Codecs
// that lose something are taken for such, but for those known to be stable.
func drifting(chain *codecs.Chain, registry *codecs.Registry) string {
	for i, s := range chain.Specs() {
		if s.Name == "sharding_indexed" {
			if name := driftingInside(s, chain.Stage(i), registry); name != "" {
				return name
			}
		}
		d, err := registry.Lookup(s.Name)
		if err != nil || d.Lossy != "" && !stable(chain, i) {
			return s.Name
		}
	}
	return ""
}

// driftingInside is drifting for the inner chunks of shards.
func driftingInside(shards codecs.Spec, in codecs.Chunk, registry *codecs.Registry) string {
	var inner struct {
		Shape  []int         `json:"chunk_shape"`
		Codecs []codecs.Spec `json:"codecs"`
	}
	if err := json.Unmarshal(shards.Configuration, &inner); err != nil {
		return shards.Name
	}
	in.Shape = inner.Shape
	chain, err := registry.Bind(inner.Codecs, in)
	if err != nil {
		return shards.Name
	}
	return drifting(chain, registry)
}

// stable reports whether codec i of a chain, one that may lose something, is
// known to give values that it has decoded back as they are.
func stable(chain *codecs.Chain, i int) bool {
	specs := chain.Specs()
	s := specs[i]
	var c struct {
		Mode      any
		Tolerance float64
		Offset    json.RawMessage
		Scale     json.RawMessage
	}
	if s.Configuration != nil && json.Unmarshal(s.Configuration, &c) != nil {
		return false
	}
	switch s.Name {
	case "bitround", "numcodecs.bitround", "numcodecs.quantize", "numcodecs.astype", "packbits":
		return true
	case "cast_value":
		return stableCast(s, false)
	case "zfp":
		return c.Mode == "reversible"
	case "numcodecs.zfpy":
		return c.Mode == 4.0 && c.Tolerance < 0
	case "numcodecs.delta":
		return !isFloat(chain.Stage(i).Type)
	case "scale_offset":
		in := chain.Stage(i).Type
		return !isFloat(in) || i+1 < len(specs) && specs[i+1].Name == "cast_value" && stableCast(specs[i+1], true) &&
			absorbs(in, chain.Stage(i+2).Type, c.Offset, c.Scale)
	case "numcodecs.fixedscaleoffset":
		return absorbs(chain.Stage(i).Type, chain.Stage(i+1).Type, c.Offset, c.Scale)
	}
	return false
}

// stableCast reports whether a cast rounds to the nearest number, and its scalar
// map takes all that it gives back there again. behind is set for a cast of what
// was computed, which only finds NaN in a map again.
func stableCast(s codecs.Spec, behind bool) bool {
	var c struct {
		Rounding string
		Map      struct{ Encode, Decode [][2]json.RawMessage } `json:"scalar_map"`
	}
	if json.Unmarshal(s.Configuration, &c) != nil || c.Rounding != "" && c.Rounding != dtype.NearestEven.String() {
		return false
	}
	encode, decode := c.Map.Encode, c.Map.Decode
	for _, pair := range encode {
		back := func(p [2]json.RawMessage) bool { return bytes.Equal(p[0], pair[1]) && bytes.Equal(p[1], pair[0]) }
		if !slices.ContainsFunc(decode, back) || behind && string(pair[0]) != `"NaN"` {
			return false
		}
	}
	for _, pair := range decode {
		if !slices.ContainsFunc(encode, func(p [2]json.RawMessage) bool { return bytes.Equal(p[0], pair[1]) }) {
			return false
		}
	}
	return true
}

// absorbs reports whether rounding to integers takes away what the arithmetic of
// (x − offset) × scale and back in floats adds: its error, in units of the
// integers, is below half of one. An error of eight units in the last place of
// the largest number that occurs is more than there can be.
func absorbs(in, stored dtype.Type, offset, scale json.RawMessage) bool {
	digits, ok := map[int]float64{4: 24, 8: 53}[in.Size()]
	if !ok || !isFloat(in) || isFloat(stored) {
		return false
	}
	o, s := 0.0, 1.0
	if offset != nil && json.Unmarshal(offset, &o) != nil || scale != nil && json.Unmarshal(scale, &s) != nil {
		return false
	}
	if s = math.Abs(s); s < 1e-30 || s > 1e30 {
		return false
	}
	largest := math.Exp2(float64(8*stored.Size())) + 2*math.Abs(o)*s
	return 8*largest*math.Exp2(-digits) < 0.5
}

// isFloat reports whether elements are floats. Other types that codecs compute
// with are integers.
func isFloat(t dtype.Type) bool {
	n, ok := t.(dtype.Numeric)
	return ok && n.Kind() == dtype.Float
}
