package verify

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
)

// digests adds up the digests on record for each array. A chunk that is not stored holds the
// fill value.
func (v *verification) digests(ctx context.Context) error {
	totals := map[string]*digest.Total{}
	for o, err := range v.record.journal.Objects(ctx) {
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		array, below, ok := v.arrayOf(o.Key)
		if !ok {
			continue
		}
		t := totals[array]
		if t == nil {
			t = new(digest.Total)
			totals[array] = t
		}
		if t.Add(o.Digest); !t.Known() || !v.sparse(array) {
			continue
		}
		d, values, err := v.behind(ctx, array, t.Behind())
		if err != nil {
			return err
		}
		if values == nil {
			t.Forget()
		} else if chunk, ok := d.meta.ChunkAt(below); ok {
			t.Cover(values.fill, chunk)
		} else {
			t.Forget()
		}
	}
	for i, a := range v.record.done.Arrays {
		if m := &v.record.manifest.Arrays[i]; a.Empty == m.Chunks && totals[m.Target] == nil {
			totals[m.Target] = new(digest.Total)
		}
	}
	v.result.Digests = map[string]digest.Optional{}
	for array, t := range totals {
		sum := t.Covered()
		if i, ok := v.record.arrays[array]; ok && v.record.manifest.Arrays[i].Undigested {
			continue // rows that another program has written have no digests
		}
		if sum.Known && v.sparse(array) {
			d, values, err := v.behind(ctx, array, t.Behind())
			if err != nil {
				return err
			}
			if values == nil {
				continue
			}
			sum = t.Filled(values.fill, d.meta.Grid.Shape)
		}
		if sum.Known {
			v.result.Digests[array] = sum
		}
	}
	return nil
}

// behind returns the decoder of an array, and its view of the elements that the first
// array → array codecs make. codecs is the number of these codecs. The view is nil if the
// published document does not have as many.
func (v *verification) behind(ctx context.Context, array string, codecs uint8) (*decoder, *view, error) {
	d, err := v.decoderOf(ctx, array)
	if err != nil || d == nil || d.chain == nil {
		return d, nil, err
	}
	return d, v.viewOf(d, codecs), nil
}

// sparse reports whether an array may have chunks that are not stored. If the last run has
// made a new target, the record says which arrays have none.
func (v *verification) sparse(array string) bool {
	i, ok := v.record.arrays[array]
	return !ok || v.record.manifest.Append != "" || i >= len(v.record.done.Arrays) || v.record.done.Arrays[i].Empty > 0
}
