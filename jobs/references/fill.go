package references

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// fillAttribute is the attribute that says which value stands for missing data.
const fillAttribute = "_FillValue"

// setFill sets the fill value and the attribute _FillValue of an array as readers of Zarr v2
// understand them. fill is the value of elements that are not stored, and missing says whether
// there are such elements.
//
// xarray takes the fill value of a Zarr v2 array for missing data. So an array without the
// attribute gets a fill value of null, which means that there is none and that unstored
// elements are zero, if that is true. Otherwise the array gets its fill value, and the finding
// says what xarray makes of it.
func setFill(meta *zarr.Array, fill dtype.Scalar, missing bool) *cf.Finding {
	meta.Fill = nil
	stated := meta.Attributes.Get(fillAttribute)
	if stated != nil && bytes.Equal(stated, sources.FillAttribute(meta.Type, fill)) {
		meta.Fill = fill
		meta.Attributes = meta.Attributes.With(fillAttribute, meta.Type.FormatScalar(dtype.V2, fill))
		return nil
	}
	if number, ok := sources.FillText(stated); ok && stated != nil {
		text := json.RawMessage(number)
		if !json.Valid(text) { // NaN and the infinities
			text, _ = json.Marshal(map[string]string{"+Inf": "Infinity", "-Inf": "-Infinity"}[number])
			if number == "NaN" {
				text = json.RawMessage(`"NaN"`)
			}
		}
		meta.Attributes = meta.Attributes.With(fillAttribute, text)
	}
	if !missing || bytes.Equal(fill, meta.Type.Default()) {
		return nil
	}
	meta.Fill = fill
	return &cf.Finding{
		Code: sources.FillMeaning,
		Message: fmt.Sprintf("some chunks are not stored and have the fill value %s, which the attribute _FillValue does not name: xarray takes that value for missing data",
			meta.Type.FormatScalar(dtype.V2, fill)),
		Hint: "open the table with use_zarr_fill_value_as_mask=False, or convert the array",
	}
}
