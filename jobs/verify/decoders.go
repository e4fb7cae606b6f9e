package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/zarr"
)

// newDecoder makes the decoder of an array from its document. An error says why no reader can
// use the document.
func (v *verification) newDecoder(ctx context.Context, array string) (*decoder, error) {
	text, err := v.target.ReadAll(ctx, path.Join(array, zarr.MetadataKey), zarr.MaxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // documents has reported the absence
	}
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	d := &decoder{behind: map[uint8]*view{}}
	if d.meta, err = zarr.ParseArray(text, v.env.Codecs.Types()); err != nil {
		return d, nil // the document differs, too
	}
	d.chain, err = v.env.Codecs.Bind(d.meta.Codecs, codecs.Chunk{Type: d.meta.Type, Shape: d.meta.Grid.Chunk, Fill: d.meta.Fill})
	if err != nil {
		d.chain = nil
		return d, nil
	}
	d.view = *newView(d.chain)
	return d, nil
}

// decoderOf returns the decoder of an array, or nil if the array has no document. It keeps some
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

// viewOf returns the view of the elements that the first array → array codecs make. behind is
// the number of these codecs. The view is nil if the chain has fewer.
func (v *verification) viewOf(d *decoder, behind uint8) *view {
	if behind == 0 {
		return &d.view
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	made, ok := d.behind[behind]
	if !ok {
		if chain, err := d.chain.Behind(int(behind), v.env.Codecs.Bind); err == nil {
			made = newView(chain)
		}
		d.behind[behind] = made
	}
	return made
}
