package jobfile

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

// FittedCodecs is a chain of a job as one array gets it.
type FittedCodecs struct {
	Chain   []codecs.Spec
	Added   string   // array → bytes codec that the job's chain lacks; "": none
	LeftOut []string // lossy codecs that the array does not get
	from    []int    // for each codec of Chain its place in the job's chain, -1 for one that was added
}

// Fit returns the job's chain with the array → bytes codec that data type t needs, if the
// chain has none. Without a type, the codec is the usual one. A chain with a codec that is
// not known stays as it is.
func (c Codecs) Fit(registry *codecs.Registry, t dtype.Type) FittedCodecs {
	f := FittedCodecs{Chain: c.Chain, from: make([]int, len(c.Chain))}
	for i := range f.from {
		f.from[i] = i
	}
	f.complete(registry, t)
	return f
}

// FitLossless does what Fit does for arrays that lossy codecs of the defaults are not meant
// for: coordinates, and arrays of other types than floating-point ones. If the chain comes
// from the defaults and would lose something of the chunk in, FitLossless leaves out the
// codecs that can be lossy. bind is [codecs.Registry.Bind].
func (c Codecs) FitLossless(registry *codecs.Registry, bind func([]codecs.Spec, codecs.Chunk) (*codecs.Chain, error), in codecs.Chunk) FittedCodecs {
	f := c.Fit(registry, in.Type)
	if !c.Inherited || !mayLose(registry, f.Chain) {
		return f
	}
	if chain, err := bind(f.Chain, in); err == nil && len(chain.Losses()) == 0 {
		return f
	}
	lossless := FittedCodecs{}
	lossless.Chain, lossless.from, lossless.LeftOut = withoutLossy(registry, c.Chain)
	compressed := slices.ContainsFunc(lossless.Chain, func(s codecs.Spec) bool {
		d, err := registry.Lookup(s.Name)
		return err != nil || d.Kind != codecs.KindArrayToArray
	})
	lossless.complete(registry, in.Type)
	if !compressed { // only the codecs that were left out compressed
		for _, s := range standard.DefaultChain(in.Type)[1:] {
			lossless.Chain, lossless.from = append(lossless.Chain, s), append(lossless.from, -1)
		}
	}
	return lossless
}

// complete adds the array → bytes codec that a chain lacks, also to the chains of inner
// chunks.
func (f *FittedCodecs) complete(registry *codecs.Registry, t dtype.Type) {
	place := len(f.Chain)
	for i, s := range f.Chain {
		d, err := registry.Lookup(s.Name)
		if err != nil {
			return
		}
		if d.Kind != codecs.KindArrayToArray {
			place = min(place, i)
		}
		if d.Kind == codecs.KindArrayToBytes {
			f.Chain = withInner(registry, f.Chain, func(inner []codecs.Spec) []codecs.Spec {
				return Codecs{Chain: inner}.Fit(registry, t).Chain
			})
			return
		}
	}
	if f.Added = registry.Usual(); t != nil {
		f.Added = standard.DefaultChain(t)[0].Name
	}
	if f.Added != "" {
		f.Chain = slices.Insert(slices.Clone(f.Chain), place, codecs.Spec{Name: f.Added})
		f.from = slices.Insert(f.from, place, -1)
	}
}

// mayLose reports whether a chain has a codec that is lossy with some configuration.
func mayLose(registry *codecs.Registry, chain []codecs.Spec) (lossy bool) {
	withInner(registry, chain, func(inner []codecs.Spec) []codecs.Spec {
		lossy = lossy || mayLose(registry, inner)
		return inner
	})
	return lossy || slices.ContainsFunc(chain, func(s codecs.Spec) bool {
		d, err := registry.Lookup(s.Name)
		return err == nil && d.Lossy != ""
	})
}

// withoutLossy returns the codecs of a chain that are never lossy, with their places in
// it, and the names of the others.
func withoutLossy(registry *codecs.Registry, chain []codecs.Spec) (list []codecs.Spec, from []int, leftOut []string) {
	for i, s := range chain {
		if d, err := registry.Lookup(s.Name); err == nil && d.Lossy != "" {
			leftOut = append(leftOut, s.Name)
			continue
		}
		list, from = append(list, s), append(from, i)
	}
	list = withInner(registry, list, func(inner []codecs.Spec) []codecs.Spec {
		kept, _, names := withoutLossy(registry, inner)
		leftOut = append(leftOut, names...)
		return kept
	})
	return list, from, leftOut
}

// withInner returns a chain in which the chains of inner chunks are changed. A
// configuration that cannot be read, or whose chain does not change, stays as it is.
func withInner(registry *codecs.Registry, chain []codecs.Spec, change func([]codecs.Spec) []codecs.Spec) []codecs.Spec {
	out := chain
	for i, s := range chain {
		if d, err := registry.Lookup(s.Name); err != nil || !d.Container {
			continue
		}
		var fields map[string]json.RawMessage
		var inner []codecs.Spec
		if json.Unmarshal(s.Configuration, &fields) != nil || json.Unmarshal(fields["codecs"], &inner) != nil {
			continue
		}
		changed := change(inner)
		if len(changed) == len(inner) && CodecsText(changed) == CodecsText(inner) {
			continue
		}
		if len(changed) == 0 {
			changed = []codecs.Spec{}
		}
		out = slices.Clone(out)
		fields["codecs"] = json.RawMessage(CodecsText(changed))
		out[i].Configuration = json.RawMessage(show(fields))
	}
	return out
}

// Problems is [Job.CodecProblems] for an error of the fitted chain, positioned in the
// job's chain.
func (f FittedCodecs) Problems(j *Job, field string, registry *codecs.Registry, err error) Problems {
	return j.CodecProblems(field, registry, f.inJob(err))
}

// inJob returns an error of the fitted chain as one of the job's chain.
func (f FittedCodecs) inJob(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list := joined.Unwrap()
		own := make([]error, len(list))
		for i, e := range list {
			own[i] = f.inJob(e)
		}
		return errors.Join(own...)
	}
	if of, ok := errors.AsType[*codecs.Error](err); ok && of.Index >= 0 {
		return &codecs.Error{Index: f.from[of.Index], Codec: of.Codec, Err: of.Err}
	}
	return err
}

// Hazards is [Job.Hazards] for the fitted chain, positioned in the job's chain.
func (f FittedCodecs) Hazards(j *Job, field string, chain *codecs.Chain, allowInexact bool) Problems {
	return j.hazards(field, chain, f.from, allowInexact)
}

// FloatingPoint reports whether a type is one of real or complex floating-point numbers.
func FloatingPoint(t dtype.Type) bool {
	n, ok := t.(dtype.Numeric)
	return ok && (n.Kind() == dtype.Float || n.Kind() == dtype.Complex)
}
