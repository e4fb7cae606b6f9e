package run

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/zarr"
)

// digesting yields the objects of the target. When all of them were yielded, the digests of
// the values of the arrays are known: the sums of those of their chunks. A chunk that is not
// stored holds the fill value.
func (r *run) digesting(ctx context.Context) iter.Seq2[journal.Object, error] {
	if r.plan.Job.Run.Digest == "none" {
		return r.objects(ctx)
	}
	return func(yield func(journal.Object, error) bool) {
		totals := make([]digest.Total, len(r.arrays))
		arrays := r.arraysByPath()
		for o, err := range r.objects(ctx) {
			if err == nil {
				r.addDigest(totals, arrays, o)
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
		r.setDigests(totals)
	}
}

// addDigest adds the digest of an object to that of its array.
func (r *run) addDigest(totals []digest.Total, arrays map[string]int, o journal.Object) {
	f, ok := r.chunkAt(o.Key, arrays)
	if !ok {
		return // of an array that does not grow
	}
	t := &totals[f.array]
	if t.Add(o.Digest); !t.Known() || !r.sparse(f.array) {
		return
	}
	a := &r.plan.Arrays[f.array]
	if chunk, ok := a.Meta.ChunkAt(below(o.Key, a.Target)); ok {
		t.Cover(a.FillBehind(int(t.Behind())), chunk)
	} else {
		t.Forget()
	}
}

func (r *run) setDigests(totals []digest.Total) {
	for i := range totals {
		a, t := &r.plan.Arrays[i], &totals[i]
		r.arrays[i].values = t.Covered()
		if r.arrays[i].values.Known && r.sparse(i) {
			r.arrays[i].values = t.Filled(a.FillBehind(int(t.Behind())), a.Meta.Grid.Shape)
		}
		if a.Append != nil && a.Append.Undigested {
			r.arrays[i].values = digest.Optional{}
		}
	}
}

// valuesAttribute returns the attribute with the digest of the values of an array. Its value
// is nil if the digest is not known, or if the job wants none.
func (r *run) valuesAttribute(i int) (zarr.Attribute, error) {
	x := zarr.Attribute{Name: zarr.DigestAttribute}
	if !r.plan.Job.Target.DigestAttribute || !r.arrays[i].values.Known {
		return x, nil
	}
	text, err := r.arrays[i].values.MarshalText()
	if err == nil {
		x.Value, err = json.Marshal("zmigrate:" + string(text))
	}
	return x, err
}

// sparse reports whether an array may have chunks that are not stored.
func (r *run) sparse(i int) bool { return r.arrays[i].empty > 0 || r.outcome.keepsObjects() }
