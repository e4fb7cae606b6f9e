package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// chain returns the codec chain of the array, or of its inner chunks if it has shards. The
// chain comes from the job, from the source, or is the default, in this order. It is nil
// after a problem.
func (b *builder) chain(in codecs.Chunk) *codecs.Chain {
	if b.options.Codecs.Chain != nil {
		return b.jobChain(in)
	}
	kept := b.keptCodecs(in)
	specs := kept
	if specs == nil {
		specs = standard.DefaultChain(in.Type)
	}
	chain, err := b.chains.Bind(specs, in)
	if err != nil {
		b.problems = append(b.problems, b.plan.Job.CodecProblems(b.field+".codecs", b.env.Codecs, err)...)
		return nil
	}
	if kept == nil {
		b.problems = append(b.problems, b.plan.Job.Hazards(b.field+".codecs", chain, b.options.AllowInexact)...)
		return chain
	}
	b.keptHazards(chain)
	return chain
}

// jobChain is chain for an array whose codecs the job lists.
func (b *builder) jobChain(in codecs.Chunk) *codecs.Chain {
	field := b.field + ".codecs"
	fitted := b.fitted(in)
	chain, err := b.chains.Bind(fitted.Chain, in)
	if err != nil {
		b.problems = append(b.problems, fitted.Problems(b.plan.Job, field, b.env.Codecs, err)...)
		return nil
	}
	b.problems = append(b.problems, fitted.Hazards(b.plan.Job, field, chain, b.options.AllowInexact)...)
	return chain
}

// fitted returns the job's chain as the array gets it. It leaves out lossy codecs of the
// defaults if the array is a coordinate, or not of a floating-point type.
func (b *builder) fitted(in codecs.Chunk) jobfile.FittedCodecs {
	var why string
	switch {
	case !jobfile.FloatingPoint(in.Type):
		why = "is of type " + in.Type.Name()
	case b.coordinate || namedAsDimension(b.array.Info()):
		why = "is a coordinate"
	default:
		return b.options.Codecs.Fit(b.env.Codecs, in.Type)
	}
	if b.earlier || b.lossyIn(b.existingCodecs) {
		return b.options.Codecs.Fit(b.env.Codecs, in.Type) // the target already has these codecs
	}
	fitted := b.options.Codecs.FitLossless(b.env.Codecs, b.chains.Bind, in)
	if len(fitted.LeftOut) > 0 {
		b.chose = true
		b.note("codecs: %s left out, because lossy codecs of the defaults are for floating-point data and this array %s; it is stored by %s; codecs under arrays apply as they are",
			strings.Join(fitted.LeftOut, ", "), why, jobfile.Clip(jobfile.CodecsText(fitted.Chain), 300))
	}
	return fitted
}

// lossyIn reports whether a chain has a codec that may be lossy and that is in the job's
// chain, too.
func (b *builder) lossyIn(chain []codecs.Spec) bool {
	return slices.ContainsFunc(chain, func(s codecs.Spec) bool {
		d, err := b.env.Codecs.Lookup(s.Name)
		return err == nil && d.Lossy != "" && slices.ContainsFunc(b.options.Codecs.Chain, func(own codecs.Spec) bool {
			o, err := b.env.Codecs.Lookup(own.Name)
			return err == nil && o.Name == d.Name
		})
	})
}

// namedAsDimension reports whether an array has the name of one of its dimensions. It is a
// coordinate then, even if it has other dimensions, too.
func namedAsDimension(info *sources.Info) bool {
	return slices.Contains(info.DimensionNames, path.Base(info.Path))
}

// coordinatesIn returns the paths of the arrays that other arrays name as their coordinates
// or bounds, or in other CF attributes about places; see [compare.CoordinatesOf]. Some of
// the arrays are nil.
func coordinatesIn(paths []string, arrays []sources.Array) map[string]bool {
	known := make(map[string]bool, len(paths))
	for _, p := range paths {
		known[p] = true
	}
	found := map[string]bool{}
	for _, a := range arrays {
		if a == nil {
			continue
		}
		for _, at := range compare.CoordinatesOf(a.Info(), func(p string) bool { return known[p] }) {
			found[at] = true
		}
	}
	return found
}
