package verify

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
)

// arraySum adds up the digest of an array from those of its objects.
type arraySum struct {
	of      digest.Optional
	filled  digest.Sum // the sum for the same chunks if they held only the fill value
	unknown bool       // an object has no digest
}

// digests adds up the digests on record for each array. A chunk that is not stored holds the
// fill value.
func (v *verification) digests(ctx context.Context) error {
	sums := map[string]*arraySum{}
	for o, err := range v.record.journal.Objects(ctx) {
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		array, below, ok := v.arrayOf(o.Key)
		if !ok {
			continue
		}
		s := sums[array]
		if s == nil {
			s = &arraySum{of: o.Digest}
			s.of.Sum = 0
			sums[array] = s
		}
		if s.unknown = s.unknown || !o.Digest.Known || o.Digest.Behind != s.of.Behind; s.unknown {
			continue
		}
		s.of.Sum += o.Digest.Sum
		if !v.sparse(array) {
			continue
		}
		d, err := v.decoderOf(ctx, array)
		if err != nil {
			return err
		}
		index, ok := d.index(below)
		if ok {
			values := v.viewOf(d, s.of.Behind)
			if ok = values != nil; ok {
				s.filled += digest.Constant(values.fill, d.meta.Grid.Region(index))
			}
		}
		s.unknown = !ok
	}
	for i, a := range v.record.done.Arrays {
		if m := &v.record.manifest.Arrays[i]; a.Empty == m.Chunks && sums[m.Target] == nil {
			sums[m.Target] = &arraySum{of: digest.Optional{Known: true}}
		}
	}
	v.result.Digests = map[string]digest.Optional{}
	for array, s := range sums {
		if !s.unknown && v.sparse(array) {
			d, err := v.decoderOf(ctx, array)
			if err != nil {
				return err
			}
			if d == nil || d.chain == nil {
				continue
			}
			values := v.viewOf(d, s.of.Behind)
			if values == nil {
				continue
			}
			s.of.Sum += digest.Constant(values.fill, ndarray.Region{Start: make([]int, len(d.meta.Grid.Shape)), Shape: d.meta.Grid.Shape}) - s.filled
		}
		if !s.unknown {
			v.result.Digests[array] = s.of
		}
	}
	return nil
}

// sparse reports whether an array may have chunks that are not stored. For the arrays that
// the last run has written, the record says so.
func (v *verification) sparse(array string) bool {
	i, ok := v.record.arrays[array]
	return !ok || v.record.manifest.Append != "" || i >= len(v.record.done.Arrays) || v.record.done.Arrays[i].Empty > 0
}
