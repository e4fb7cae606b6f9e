package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// boxBytes is the size up to which inner chunks of a shard are decoded together.
const boxBytes = 8 << 20

// newDecoder reads the document of an array. Errors say why no reader can use the document.
func (v *verification) newDecoder(ctx context.Context, array string) (*decoder, error) {
	text, err := v.target.ReadAll(ctx, path.Join(array, zarr.MetadataKey), zarr.MaxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // documents has found that
	}
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	d := &decoder{}
	if d.meta, err = zarr.ParseArray(text, v.env.Codecs.Types()); err != nil {
		return d, nil // the document differs, too
	}
	d.chain, err = v.env.Codecs.Bind(d.meta.Codecs, codecs.Chunk{Type: d.meta.Type, Shape: d.meta.Grid.Chunk, Fill: d.meta.Fill})
	if err != nil {
		d.chain = nil
		return d, nil
	}
	d.fill = ndarray.New(d.meta.Type, []int{1})
	ndarray.Fill(d.fill, d.meta.Fill)
	d.box = slices.Clone(d.meta.Grid.Chunk)
	if s, ok := d.chain.InnerChunks(); ok {
		d.box = slices.Clone(s.Inner().Chunk().Shape)
		for k := len(d.box) - 1; k >= 0; k-- {
			one, _ := ndarray.Bytes(d.meta.Type, d.box)
			n := max(1, min(boxBytes/max(one, 1), (d.meta.Grid.Chunk[k]+d.box[k]-1)/d.box[k]))
			if d.box[k] = min(d.box[k]*n, d.meta.Grid.Chunk[k]); d.box[k] < d.meta.Grid.Chunk[k] {
				break
			}
		}
	}
	d.bytes, _ = ndarray.Bytes(d.meta.Type, d.box)
	return d, nil
}

// decoderOf returns the decoder of an array, nil if the array has no document. It keeps some
// decoders, because the objects of an array come one after the other.
func (v *verification) decoderOf(ctx context.Context, array string) (*decoder, error) {
	v.mu.Lock()
	d, ok := v.decoders[array]
	v.mu.Unlock()
	if ok {
		return d, nil
	}
	d, err := v.newDecoder(ctx, array)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.decoders) >= 64 {
		clear(v.decoders)
	}
	v.decoders[array] = d
	return d, nil
}
