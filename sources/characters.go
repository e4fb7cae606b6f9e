package sources

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
)

// encodingAttribute names the encoding of characters. xarray decodes texts by it.
const encodingAttribute = "_Encoding"

// Texts returns an array of characters as an array of texts, as xarray reads it. The texts
// have the data type null_terminated_bytes and the same bytes. If the last dimension has the
// characters of one text, the result does not have that dimension. Texts returns false if
// there are no texts: for other arrays; for an array without dimensions, which in NetCDF
// only carries attributes; and for texts that no data type is long enough for.
func Texts(array Array) (Array, bool) {
	info := *array.Info()
	length, rank := 1, len(info.Shape)
	switch {
	case info.Characters == NoCharacters || rank == 0:
		return nil, false
	case info.Characters == LastDimension:
		rank--
		length = info.Shape[rank]
		if length < 1 || length > dtype.MaxSize {
			return nil, false
		}
		info.Shape = info.Shape[:rank:rank]
		if info.DimensionNames != nil {
			info.DimensionNames = info.DimensionNames[:rank:rank]
		}
		if info.Chunks != nil {
			info.Chunks = info.Chunks[:rank:rank]
		}
		info.Notes = append(slices.Clip(info.Notes), "the characters along the last dimension become texts")
	default:
		info.Notes = append(slices.Clip(info.Notes), "the characters become texts of one character")
	}
	info.Type, info.Characters = dtype.NullTerminated(length), NoCharacters
	info.Shards, info.Slowest, info.Layout, info.Codecs, info.Obstacle = nil, nil, nil, nil, "characters become texts"
	if info.Fill != nil {
		info.Fill = bytes.Repeat(info.Fill, length)
	}
	if fill := info.Attributes.Get("_FillValue"); fill != nil {
		info.Attributes = info.Attributes.With("_FillValue", nil)
		info.Notes = append(info.Notes, fmt.Sprintf("the attribute _FillValue (%.80s) is left out: xarray opens no texts that have it", fill))
	}
	return &textArray{array, &info}, true
}

// Numbers returns an array of characters as an array of uint8, without the attribute
// _Encoding: with it, xarray would take the numbers for texts. Other arrays stay as they are.
func Numbers(array Array) Array {
	if array.Info().Characters == NoCharacters {
		return array
	}
	info := *array.Info()
	info.Characters = NoCharacters
	info.Notes = append(slices.Clip(info.Notes), "stored as uint8: NetCDF characters have no core Zarr type"+textsHint(info))
	if text := info.Attributes.Get(encodingAttribute); text != nil {
		info.Attributes = info.Attributes.With(encodingAttribute, nil)
		info.Findings = append(slices.Clip(info.Findings), cf.Finding{
			Code:    LeftOut,
			Message: fmt.Sprintf("the attribute %s (%.80s) is left out: it is about characters, but the array has numbers", encodingAttribute, text),
			Hint:    "programs that want text decode the last dimension with this encoding",
		})
	}
	return Described(array, &info)
}

// textsHint tells how an array of characters becomes texts, if it can.
func textsHint(info Info) string {
	if len(info.Shape) == 0 {
		return ""
	}
	return "; data_type: null_terminated_bytes makes texts of them"
}

// textArray is the result of Texts.
type textArray struct {
	characters Array
	info       *Info
}

func (t *textArray) Info() *Info { return t.info }

// ReadRegion implements [Array]. The bytes of a text are its characters.
func (t *textArray) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := CheckRegion(t.info, dst, start); err != nil {
		return err
	}
	dst.Type = dtype.Uint8
	if len(t.characters.Info().Shape) > len(start) {
		dst.Shape, dst.Strides = append(slices.Clip(dst.Shape), t.info.Type.Size()), append(slices.Clip(dst.Strides), 1)
		start = append(slices.Clip(start), 0)
	}
	return t.characters.ReadRegion(ctx, dst, start)
}
