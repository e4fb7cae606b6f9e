package sources

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"

	"github.com/zmigrate/zmigrate/dtype"
)

// FillMeaning is the code of the finding that readers of the source take its fill
// value for missing data, and those of the target do not.
const FillMeaning = "fill-value-meaning"

// FillAttribute returns a fill value in the form that the attribute
// _FillValue of a Zarr v3 array needs: for floats the base64 text of the
// value as a little-endian float64, for integers and booleans the JSON value.
//
// The form is xarray's: it masks with the attribute, not with the array's
// fill_value, and fails to open a store whose float array has a JSON number
// there. A NaN of a float16 or float32 with another payload than the usual
// one becomes the usual NaN.
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

// FillText is the other way round, for people to read: it returns the number that
// a fill value in base64 stands for, false for what is none.
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
