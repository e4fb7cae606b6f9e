package zarr

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// markMissing sets the attribute _FillValue of a v2 array to the value that readers
// take for missing data. For xarray, the fill value of v2 means missing data if the
// dimensions of the array have names. In v3, xarray goes by the attribute alone.
//
// A fill value of zero may mean that nobody chose one. Zero counts as missing data in two
// cases: if packed values are unpacked, and if other arrays of the hierarchy have no fill
// value, as in hierarchies that xarray wrote. In all other cases, a finding says that zero
// may mean missing data.
func (a *array) markMissing(mode cf.Mode) {
	list, t := a.info.Attributes, a.info.Type
	scaled := list.Get("scale_factor") != nil || list.Get("add_offset") != nil
	undone := scaled && (mode == cf.Codecs || mode == cf.Unpack)
	own := list.Get("_FillValue")
	if own != nil && a.named {
		own = asMark(t, own)
		a.info.Attributes = list.With("_FillValue", own)
	}
	if a.info.Fill == nil || !a.named && (own != nil || !scaled) || undone && own != nil {
		return
	}
	value := sources.FillAttribute(t, a.info.Fill)
	shown := string(value)
	if number, ok := sources.FillText(value); ok && isNumber(t) {
		shown = number
	}
	switch {
	case undone:
		a.info.Attributes = list.With("_FillValue", value)
	case shown == "NaN", bytes.Equal(own, value): // readers of v3 take the same value for missing data
	case own == nil && a.named && isNumber(t) && (!bytes.Equal(a.info.Fill, t.Default()) || a.source.chosen):
		a.info.Attributes = list.With("_FillValue", value)
		a.info.Notes = append(a.info.Notes, fmt.Sprintf("xarray takes the fill value of a Zarr v2 array, %s, for missing data: "+
			"in v3 the attribute _FillValue says so; attributes: {_FillValue: null} leaves it out", shown))
	default:
		a.info.Findings = append(a.info.Findings, cf.Finding{
			Code:    sources.FillMeaning,
			Message: fmt.Sprintf("xarray takes the fill value of a Zarr v2 array, %s, for missing data, but in v3 only the value of the attribute _FillValue", shown),
			Hint:    fmt.Sprintf("set attributes: {_FillValue: %s} if the fill value stands for missing data", value),
		})
	}
}

// choosesFills reports whether somebody chose the fill values of a v2 hierarchy, as xarray
// does. Then an array with named dimensions that needs no fill value has null or NaN. In a
// hierarchy that zarr-python wrote by itself, such an array has zero.
func (s *source) choosesFills() bool {
	needsNone := map[string]bool{} // by the document of an array
	for _, n := range s.nodes {
		if !n.array || n.format != dtype.V2 {
			continue
		}
		none, known := needsNone[string(n.text)]
		if !known {
			var document struct {
				Fill json.RawMessage `json:"fill_value"`
			}
			none = json.Unmarshal(n.text, &document) == nil && (string(document.Fill) == "null" || string(document.Fill) == `"NaN"`)
			needsNone[string(n.text)] = none
		}
		if !none {
			continue
		}
		if attributes, err := zarr.ParseAttributesV2(n.attributes); err == nil && attributes.Get(zarr.DimensionsAttribute) != nil {
			return true
		}
	}
	return false
}

// isNumber reports whether elements are integers or floats.
func isNumber(t dtype.Type) bool {
	n, ok := t.(dtype.Numeric)
	return ok && n.Kind() != dtype.Bool && n.Kind() != dtype.Complex
}

// asMark returns an attribute _FillValue in its v3 form. A value that is not a number of
// the array's type stays unchanged.
func asMark(t dtype.Type, own json.RawMessage) json.RawMessage {
	if !isNumber(t) {
		return own
	}
	fill, err := t.ParseScalar(dtype.V3, own)
	if err != nil {
		return own
	}
	return sources.FillAttribute(t, fill)
}
