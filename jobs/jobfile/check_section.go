package jobfile

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// section is a group of array options and the field that it stands in.
type section struct {
	field   string
	options ArrayOptions
}

// sections returns the defaults and all rules.
func (j *Job) sections() []section {
	list := []section{{"defaults", j.Defaults}}
	for _, r := range j.Arrays {
		list = append(list, section{FieldPath("arrays", r.Pattern), r.ArrayOptions})
	}
	return list
}

// checker collects problems, each only once: several rules may have the same faulty option
// from the defaults.
type checker struct {
	job      *Job
	codecs   *codecs.Registry
	types    *dtype.Registry
	seen     map[Problem]bool
	problems Problems
}

func (c *checker) add(ps ...Problem) {
	for _, p := range ps {
		if !c.seen[p] {
			c.seen[p] = true
			c.problems = append(c.problems, p)
		}
	}
}

func (c *checker) report(field, hint, format string, args ...any) {
	c.add(c.job.Problem(field, fmt.Sprintf(format, args...), hint))
}

// options checks a section on its own.
func (c *checker) options(s section) {
	o := s.options
	rank := c.rank(s)
	driver := c.job.driver
	if o.Codecs.Keep && driver != nil && driver.Codecs == sources.NoCodecs {
		c.report(s.field+".codecs", "list the codecs", "sources of the driver %s have no codecs to keep", driver.Name)
	}
	if o.Chunks.Keep && driver != nil && driver.Declared {
		c.report(s.field+".chunks", `"auto", or a list of integers`, "a %s source has no chunks to keep", driver.Name)
	}
	if o.DataType == nil && (o.Cast.Rounding+o.Cast.OutOfRange != "" || o.Cast.ScalarMap != nil) {
		p := c.job.Problem(s.field+".cast", "has no effect without data_type", "")
		p.Warning, p.Code = true, "unused-field"
		c.add(p)
	}
	if c.unusedAccess(s) {
		p := c.job.Problem(s.field+".access", "has no effect: chunks says what shape chunks have", "leave out one of them; extents by the names of dimensions go with access")
		p.Warning, p.Code = true, "unused-field"
		c.add(p)
	}
	var t dtype.Type
	if o.DataType != nil {
		t = c.dataType(s.field+".data_type", o.DataType)
	}
	c.chain(s, t, c.fill(s, t), rank)
	c.readable(s)
	if chunks := o.Chunks.Shape; len(chunks) == len(o.Shards) {
		for i, n := range o.Shards {
			if n%chunks[i] != 0 {
				c.report(fmt.Sprintf("%s.shards[%d]", s.field, i), "each extent of shards has to be a multiple of the extent of chunks", "%d is no multiple of the extent %d of the chunks", n, chunks[i])
			}
		}
	}
}

// unusedAccess reports whether a section has access although its chunks settle the shape for
// all of its arrays. A shape that comes from the defaults counts only for arrays of its
// rank, so access shapes the chunks of other arrays.
func (c *checker) unusedAccess(s section) bool {
	o := s.options
	return o.Access != "" && (o.Chunks.Keep || o.Chunks.Shape != nil) && !o.FromDefaults.Chunks
}

// rank returns the number of dimensions that the fields of a section have entries
// for, -1 if it has no such field, and reports fields that contradict each other.
func (c *checker) rank(s section) int {
	rank, from := -1, ""
	for _, f := range s.options.dimensioned() {
		switch {
		case f.inherited && s.field != "defaults": // counts only for arrays of its rank
		case rank < 0:
			rank, from = f.entries, f.name
		case f.entries >= 0 && f.entries != rank:
			c.report(s.field+"."+f.name, "", "has %d entries, but %s has %d", f.entries, from, rank)
		}
	}
	return rank
}

// dimensioned lists the fields with one entry for each dimension. entries is -1 for a field
// that is not given. Inherited chunks and shards count only for arrays of their rank.
func (o ArrayOptions) dimensioned() []struct {
	name      string
	entries   int
	inherited bool
} {
	return []struct {
		name      string
		entries   int
		inherited bool
	}{
		{"chunks", lengthOf(o.Chunks.Shape), o.FromDefaults.Chunks}, {"shards", lengthOf(o.Shards), o.FromDefaults.Shards},
		{"dimension_names", lengthOf(o.DimensionNames), false},
	}
}

// dataType reads a Zarr v3 data type and reports a bad one, returning nil.
func (c *checker) dataType(field string, text json.RawMessage) dtype.Type {
	if isTextType(text) {
		return nil // the source knows how long the texts are
	}
	t, err := c.types.ParseV3(text)
	if err != nil {
		c.report(field, "", "%v", err)
		return nil
	}
	return t
}

// fill reads the fill value of a section for a type. It returns nil without a type,
// and for a bad fill value, which it reports.
func (c *checker) fill(s section, t dtype.Type) dtype.Scalar {
	if t == nil {
		return nil
	}
	if s.options.FillValue == nil {
		return t.Default()
	}
	fill, err := t.ParseScalar(dtype.V3, s.options.FillValue)
	if err != nil {
		c.report(s.field+".fill_value", "", "%v", err)
		return nil
	}
	return fill
}

// chain checks the codecs of a section. With a type and a fill value they are bound
// to a chunk of one of the trial shapes; without, they are only read. A rank of -1 is
// not known.
func (c *checker) chain(s section, t dtype.Type, fill dtype.Scalar, rank int) {
	specs := s.options.Codecs.Chain
	if specs == nil {
		return
	}
	field := s.field + ".codecs"
	fitted := s.options.Codecs.Fit(c.codecs, t)
	err := c.codecs.Check(fitted.Chain)
	switch {
	case err != nil:
	case t != nil && fill != nil:
		shapes := trialShapes(c.codecs, s, t, rank)
		for _, shape := range shapes {
			var chain *codecs.Chain
			in := codecs.Chunk{Type: t, Shape: shape, Fill: fill}
			if !FloatingPoint(t) {
				fitted = s.options.Codecs.FitLossless(c.codecs, c.codecs.Bind, in)
			}
			if chain, err = c.codecs.Bind(fitted.Chain, in); err == nil {
				c.hazards(s, field, chain, fitted)
				c.shards(s, chain)
				return
			}
		}
		if len(shapes) > 1 {
			return // the number of dimensions may be at fault
		}
	case t == nil && rank >= 0:
		err = c.byRank(fitted.Chain, rank)
	}
	if err != nil {
		c.add(fitted.Problems(c.job, field, c.codecs, err)...)
	}
}

// shards checks the shards of a section whose inner chunks have the given chain.
func (c *checker) shards(s section, inner *codecs.Chain) {
	chunk := inner.Chunk()
	if len(s.options.Shards) != len(chunk.Shape) {
		return
	}
	for i, n := range s.options.Shards {
		if n%chunk.Shape[i] != 0 {
			return // reported with the options
		}
	}
	spec, err := standard.Sharding(inner)
	if err == nil {
		chunk.Shape = s.options.Shards
		_, err = c.codecs.Bind([]codecs.Spec{spec}, chunk)
	}
	if err != nil {
		c.report(s.field+".shards", "choose larger chunks or smaller shards", "%v", err)
	}
}

// mostRank is the highest number of dimensions that is tried if the job does not tell
// it.
const mostRank = 8

// trialShapes returns shapes to bind a section's codecs to; it is enough that the
// codecs bind to one of them. That is the shape of the chunks if the section tells it.
// Otherwise it is one shape of the right rank or, if the rank is not known, one of
// each rank. There are none for codecs that depend on a shape that is not known.
func trialShapes(registry *codecs.Registry, s section, t dtype.Type, rank int) [][]int {
	o := s.options
	var extents []int
	depends := false
	if len(o.Codecs.Chain) > 0 {
		extents, depends = registry.Extents(o.Codecs.Chain[0])
	}
	switch {
	case o.Chunks.Shape != nil && (rank < 0 || len(o.Chunks.Shape) == rank):
		return [][]int{o.Chunks.Shape}
	case o.Shards != nil && len(o.Shards) == rank && t != nil:
		return [][]int{zarr.AutoChunks(o.Shards, o.Shards, zarr.ItemBytes(t, 0))}
	case extents != nil:
		if rank < 0 || len(extents) == rank {
			return [][]int{extents}
		}
	case depends || slices.ContainsFunc(o.Codecs.Chain[min(1, len(o.Codecs.Chain)):], func(s codecs.Spec) bool { _, ok := registry.Extents(s); return ok }):
		return nil
	}
	if rank >= 0 {
		return [][]int{slices.Repeat([]int{1}, rank)} // any size will do
	}
	shapes := make([][]int, mostRank)
	for i := range shapes {
		shapes[i] = slices.Repeat([]int{1}, i+1)
	}
	return shapes
}

// hazards reports the hazards of a section's chain. What happens to the fill value is
// reported only if the job tells that value.
func (c *checker) hazards(s section, field string, chain *codecs.Chain, fitted FittedCodecs) {
	known := s.options.FillValue != nil || c.job.traits().Declared
	for _, p := range fitted.Hazards(c.job, field, chain, s.options.AllowInexact) {
		if known || p.Code != codecs.FillValueChanges {
			c.add(p)
		}
	}
}

// byRank checks the codecs in front of a chain that need no data type, such as transpose,
// against a number of dimensions.
func (c *checker) byRank(specs []codecs.Spec, rank int) error {
	front := slices.IndexFunc(specs, func(s codecs.Spec) bool {
		d, err := c.codecs.Lookup(s.Name)
		return err != nil || !d.ByRank
	})
	usual := c.codecs.Usual()
	if front <= 0 || usual == "" {
		return nil
	}
	in := codecs.Chunk{Type: dtype.Uint8, Shape: slices.Repeat([]int{1}, rank), Fill: dtype.Uint8.Default()}
	_, err := c.codecs.Bind(append(slices.Clone(specs[:front]), codecs.Spec{Name: usual}), in)
	return err
}

// lengthOf returns the length of a list, -1 for nil.
func lengthOf[T any](list []T) int {
	if list == nil {
		return -1
	}
	return len(list)
}

// readable reports a codec or a data type that a required reader does not open. Unknown codecs
// are reported elsewhere.
func (c *checker) readable(s section) {
	known := slices.DeleteFunc(slices.Clone(s.options.Codecs.Chain), func(s codecs.Spec) bool {
		_, err := c.codecs.Lookup(s.Name)
		return err != nil
	})
	for _, r := range c.job.RequiredReaders() {
		refused, refuses := r.RefusesCodecs(known)
		if !refuses && s.options.DataType != nil {
			if t, err := c.types.ParseV3(s.options.DataType); err == nil {
				refused, refuses = r.RefusesType(t)
			}
		}
		if refuses {
			message, hint := Unreadable(r, refused)
			c.add(c.job.Problem(s.field+"."+refused.Field, message, hint))
		}
	}
}
