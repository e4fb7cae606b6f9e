package netcdf

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"unicode/utf8"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/netcdftype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
	"github.com/zmigrate/zmigrate/zarr"
)

func (a *attribute) len() int {
	if a.kind == objectKind {
		return 0
	}
	if a.kind == netcdftype.String {
		return bytes.Count(a.values, []byte{0})
	}
	return len(a.values) / a.kind.Size()
}

// isText reports whether the values are characters or strings.
func (a *attribute) isText() bool { return a.kind == netcdftype.Char || a.kind == netcdftype.String }

// value returns value number i in the host's byte order.
func (a *attribute) value(i int) dtype.Scalar {
	t := dataType(a.kind)
	s := slices.Clone(dtype.Scalar(a.values[i*t.Size() : (i+1)*t.Size()]))
	if o, ok := t.(dtype.Ordered); ok && dtype.Native == dtype.Little {
		o.SwapInto(s, s)
	}
	return s
}

// text returns the value of an attribute that is a single text, else "".
func (a *attribute) text() string {
	if a.kind != netcdftype.Char && (a.kind != netcdftype.String || a.len() != 1) {
		return ""
	}
	if a.zeros {
		return hdf5.Text(a.values)
	}
	return hdf5.Text(bytes.ReplaceAll(a.values, []byte{0}, nil))
}

// json returns the values as an attribute of Zarr; see the package comment.
func (a *attribute) json() json.RawMessage {
	if a.kind == objectKind {
		return a.values
	}
	if a.kind == netcdftype.Char {
		return quote(a.text())
	}
	n := a.len()
	all := make([][]byte, n)
	if a.kind == netcdftype.String {
		for i, text := range bytes.SplitN(a.values, []byte{0}, n+1)[:n] {
			all[i] = quote(hdf5.Text(text))
		}
	} else {
		for i := range all {
			all[i] = number(dataType(a.kind), a.value(i))
		}
	}
	if n == 1 && a.shape == nil {
		return all[0]
	}
	for k := len(a.shape) - 1; k > 0; k-- {
		rows := make([][]byte, 0, len(all)/a.shape[k])
		for row := range slices.Chunk(all, a.shape[k]) {
			rows = append(rows, jsonList(row))
		}
		all = rows
	}
	return jsonList(all)
}

// jsonList writes values as a JSON array.
func jsonList(values [][]byte) json.RawMessage {
	return slices.Concat([]byte{'['}, bytes.Join(values, []byte{','}), []byte{']'})
}

// textFindings reports attributes that are texts whose encoding is guessed.
func textFindings(list []attribute) (findings []cf.Finding) {
	for i := range list {
		if a := &list[i]; a.isText() && !utf8.Valid(a.values) {
			findings = append(findings, cf.Finding{
				Code: sources.NotUTF8, Message: fmt.Sprintf("the attribute %s is not UTF-8, so it is read as Latin-1: %.200s", a.name, a.json()),
				Hint: "if that is wrong, give the attribute in the job",
			})
		}
	}
	return findings
}

// number writes a value as JSON. A NaN is "NaN" whatever its bits, because attributes
// have no other spelling for it.
func number(t dtype.Type, s dtype.Scalar) json.RawMessage {
	if f, ok := float(t, s); ok && math.IsNaN(f) {
		return json.RawMessage(`"NaN"`)
	}
	return t.FormatScalar(dtype.V3, s)
}

// float returns the value of a float32 or float64. It returns false for other types.
func float(t dtype.Type, s dtype.Scalar) (float64, bool) {
	switch t {
	case dtype.Float32:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(s))), true
	case dtype.Float64:
		return math.Float64frombits(binary.NativeEndian.Uint64(s)), true
	default:
		return 0, false
	}
}

// quote writes a string as JSON, without the escapes that HTML needs.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // every string can be encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// attributesJSON returns a list of attributes as attributes of a Zarr node. If two have the
// same name, the last counts.
func attributesJSON(list []attribute) zarr.Attributes {
	var all zarr.Attributes
	place := map[string]int{}
	for i := range list {
		a := zarr.Attribute{Name: list[i].name, Value: list[i].json()}
		if k, again := place[a.Name]; again {
			all[k] = a
			continue
		}
		place[a.Name] = len(all)
		all = append(all, a)
	}
	return all
}

// find returns the attribute with this name, or nil if there is none. If two have the
// name, the last counts.
func find(list []attribute, name string) *attribute {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].name == name {
			return &list[i]
		}
	}
	return nil
}

// attributeType returns the data type of an attribute's values. It is nil if the
// attribute is missing, is text, or is an object.
func attributeType(list []attribute, name string) dtype.Type {
	if a := find(list, name); a != nil && !a.isText() && a.kind != objectKind {
		return dataType(a.kind)
	}
	return nil
}

const attrFill = "_FillValue"

// setFill sets the fill value of a variable from its attribute _FillValue, and rewrites
// the attribute as readers of Zarr expect it. char says that the variable holds
// characters.
func setFill(info *sources.Info, list []attribute, char bool) {
	const name = attrFill
	a := find(list, name)
	_, notNumber := netcdftype.To(info.Type)
	switch {
	case a == nil && find(list, "missing_value") != nil:
		note(info, "missing_value is kept as an attribute and not used as fill value")
		return
	case a == nil:
		return
	case info.Type == dtype.StringType && a.isText():
		info.Fill, info.FillFrom = dtype.Scalar(a.text()), name
		return
	case a.len() == 0 || a.isText() != char || notNumber != nil || a.kind == netcdftype.String:
		note(info, "the attribute _FillValue (%s) is not a value of the variable's type and is not used as fill value", a.json())
		return
	case a.len() > 1:
		note(info, "the attribute _FillValue has %d values: the first is used", a.len())
	}
	first, given := a.value(0), dataType(a.kind)
	fill, ok := convert(given, first, info.Type)
	if ok {
		info.Fill, info.FillFrom = fill, name
	} else {
		note(info, "the attribute _FillValue (%s) has no exact %s value and is not used as fill value", number(given, first), info.Type.Name())
	}
	isFloat := info.Type == dtype.Float32 || info.Type == dtype.Float64
	switch {
	case ok:
		info.Attributes = info.Attributes.With(name, sources.FillAttribute(info.Type, fill))
	case isFloat:
		info.Attributes = info.Attributes.With(name, sources.FillAttribute(dtype.Float64, wide(given, first)))
	}
	if isFloat {
		note(info, "the attribute _FillValue (%s) is written in base64, the form that xarray reads", number(given, first))
	}
}

func note(info *sources.Info, format string, args ...any) {
	info.Notes = append(info.Notes, fmt.Sprintf(format, args...))
}

// convert returns the value of type to that equals s, a value of type from, exactly. It
// returns false if there is none. Both types are numbers.
func convert(from dtype.Type, s dtype.Scalar, to dtype.Type) (dtype.Scalar, bool) {
	if dtype.Same(from, to) {
		return s, true
	}
	text := from.FormatScalar(dtype.V3, s)
	exact := rational(from, s)
	if exact != nil && to != dtype.Float32 && to != dtype.Float64 {
		if !exact.IsInt() {
			return nil, false
		}
		text = json.RawMessage(exact.Num().String())
	}
	converted, err := to.ParseScalar(dtype.V3, text)
	if err != nil {
		return nil, false
	}
	if exact == nil { // NaN or infinite
		return converted, true
	}
	return converted, rational(to, converted).Cmp(exact) == 0
}

// rational returns the exact value of a number, or nil for NaN and infinities.
func rational(t dtype.Type, s dtype.Scalar) *big.Rat {
	if f, ok := float(t, s); ok {
		return new(big.Rat).SetFloat64(f)
	}
	r, _ := new(big.Rat).SetString(string(t.FormatScalar(dtype.V3, s)))
	return r
}

// wide returns the float64 nearest to a number.
func wide(t dtype.Type, s dtype.Scalar) dtype.Scalar {
	f, ok := float(t, s)
	if !ok {
		f, _ = rational(t, s).Float64()
	}
	return binary.NativeEndian.AppendUint64(nil, math.Float64bits(f))
}
