package sources

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"

	"github.com/zmigrate/zmigrate/dtype"
)

// FillMeaning is the code of a finding: readers of the source take its fill value for
// missing data, but readers of the target do not.
const FillMeaning = "fill-value-meaning"

// FillAttribute returns a fill value in the form that the attribute
// _FillValue of a Zarr v3 array needs: for floats the base64 text of the
// value as a little-endian float64, for integers and booleans the JSON value.
//
// The form is that of xarray. xarray masks missing data with this attribute, and not
// with the array's fill_value. It cannot open a store in which the attribute of an array
// of floats is a JSON number. A NaN of a float16 or float32 becomes the usual NaN,
// whatever its payload.
func FillAttribute(t dtype.Type, fill dtype.Scalar) json.RawMessage {
	text := t.FormatScalar(dtype.V3, fill)
	n, ok := t.(dtype.Numeric)
	if !ok || n.Kind() != dtype.Float {
		return text
	}
	wide, err := dtype.Float64.ParseScalar(dtype.V3, text)
	if err != nil { // the bits of a narrower NaN
		wide, _ = dtype.Float64.ParseScalar(dtype.V3, json.RawMessage(`"NaN"`))
	}
	little := binary.LittleEndian.AppendUint64(nil, binary.NativeEndian.Uint64(wide))
	return json.RawMessage(strconv.Quote(base64.StdEncoding.EncodeToString(little)))
}

// FillText is the inverse of FillAttribute for floats, as a text for people. It returns
// the number that a fill value in base64 stands for, or false if the value is no such
// text.
func FillText(value json.RawMessage) (number string, ok bool) {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return "", false
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) != 8 {
		return "", false
	}
	return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)), 'g', -1, 64), true
}
